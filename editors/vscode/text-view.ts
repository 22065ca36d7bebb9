import { EventEmitter, type TextDocumentContentProvider, Uri, ViewColumn, window, workspace } from "vscode";

/** The scheme of documents with results. */
export const SCHEME = "httpd-lint";

/** Shows results as read-only documents. */
export class TextView implements TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new EventEmitter<Uri>();
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  /** Shows a text beside the editor; a result with the same name is replaced. */
  async show(name: string, text: string): Promise<void> {
    const uri = Uri.from({ scheme: SCHEME, path: name });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    const document = await workspace.openTextDocument(uri);
    await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preview: true, preserveFocus: true });
  }
}
