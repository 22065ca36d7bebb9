import {
  commands,
  EventEmitter,
  languages,
  type TextDocumentContentProvider,
  Uri,
  ViewColumn,
  window,
  workspace,
} from "vscode";

/** The scheme of documents with results. */
export const SCHEME = "httpd-lint";

/** The language of texts with results. The manifest has its settings, such as that lines are wrapped. */
const LANGUAGE = "httpd-lint-report";

/** Shows results as read-only documents. */
export class TextView implements TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new EventEmitter<Uri>();
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  /** Adds a text without showing it; a text with the same name is replaced. @returns its address */
  add(name: string, text: string): Uri {
    const uri = Uri.from({ scheme: SCHEME, path: name });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    return uri;
  }

  /** Shows a text beside the editor; a result with the same name is replaced. */
  async show(name: string, text: string): Promise<void> {
    const uri = this.add(name, text);
    const document = await languages.setTextDocumentLanguage(await workspace.openTextDocument(uri), LANGUAGE);
    await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preview: true, preserveFocus: true });
  }

  /** Shows Markdown as a page beside the editor; a result with the same name is replaced. */
  async showMarkdown(name: string, text: string): Promise<void> {
    await commands.executeCommand("markdown.showPreviewToSide", this.add(name, text));
  }
}
