import {
  commands,
  type Disposable,
  type Hover,
  MarkdownString,
  Position,
  ProgressLocation,
  type TextDocument,
  type TextEditor,
  Uri,
  window,
  workspace,
} from "vscode";
import { previewMigration } from "./migrate";
import { listFlags, runCommand } from "./run-command";
import type { TextView } from "./text-view";

/** Registers the commands of the extension. @param module the path of the command's script */
export function registerCommands(module: string, view: TextView): Disposable[] {
  const onFile = (run: (editor: TextEditor) => Promise<void>) => async () => {
    const editor = window.activeTextEditor;
    if (editor === undefined || editor.document.uri.scheme !== "file") {
      void window.showWarningMessage("httpd-lint: open a configuration file first.");
      return;
    }
    // The commands read the files on the disk.
    await workspace.saveAll(false);
    await run(editor);
  };
  return [
    commands.registerCommand(
      "httpdLint.explain",
      onFile((editor) => explainRequest(module, view, editor)),
    ),
    commands.registerCommand(
      "httpdLint.upgrade",
      onFile((editor) => showUpgrade(module, view, editor)),
    ),
    commands.registerCommand(
      "httpdLint.migrate",
      onFile((editor) => previewMigration(module, view, editor.document)),
    ),
    commands.registerCommand("httpdLint.showAccess", (uri?: string, line?: number) => showAccess(view, uri, line)),
  ];
}

async function explainRequest(module: string, view: TextView, { document, selection }: TextEditor): Promise<void> {
  const request = await window.showInputBox({
    title: "Explain a request",
    prompt: "A URL or a path",
    value: findPathAround(document, selection.active.line),
  });
  if (request === undefined || request === "") return;
  const release = workspace.getConfiguration("httpdLint", document.uri).get<string>("release") ?? "";
  const own = release === "" ? [] : [`--release=${release}`];
  const args = ["explain", document.uri.fsPath, request, ...own, ...listFlags(document.uri)];
  await showOutput(module, view, document, `Request ${request.replaceAll("/", " ")}`, args);
}

/** Returns the path of the innermost section for URL paths around a line, or of the line itself; otherwise `/`. */
function findPathAround(document: TextDocument, line: number): string {
  for (let number = line, open = 0; number >= 0; number--) {
    const { text } = document.lineAt(number);
    const named = /^\s*(?:<Location|Alias|ScriptAlias|ProxyPass|Redirect(?:\s+\w+)?)\s+"?(\/[^"\s>]*)/i.exec(text)?.[1];
    if (named !== undefined && (number === line || (open === 0 && /^\s*</.test(text)))) return named;
    if (number !== line && /^\s*<\//.test(text)) open++;
    else if (/^\s*<\w/.test(text) && open > 0) open--;
  }
  return "/";
}

async function showUpgrade(module: string, view: TextView, { document }: TextEditor): Promise<void> {
  const args = ["upgrade", document.uri.fsPath, ...listFlags(document.uri)];
  await showOutput(module, view, document, "Upgrade report", args);
}

/** Runs a command, and shows its output, or its messages if it has none. */
async function showOutput(
  module: string,
  view: TextView,
  { uri }: TextDocument,
  name: string,
  args: readonly string[],
): Promise<void> {
  const { stdout, stderr } = await withProgress(name, () => runCommand(module, uri, args));
  await view.show(`${name}.txt`, stdout === "" ? stderr : stdout);
}

/** Shows the access of the section at the cursor, or at the code lens that was clicked. */
async function showAccess(view: TextView, uri?: string, line?: number): Promise<void> {
  const editor = window.activeTextEditor;
  const document = uri === undefined ? editor?.document : await workspace.openTextDocument(Uri.parse(uri));
  if (document === undefined) return;
  const number = line ?? editor?.selection.active.line ?? 0;
  const place = new Position(number, document.lineAt(number).firstNonWhitespaceCharacterIndex + 1);
  const access = await withProgress("Access map", () => findAccess(document.uri, place));
  const text = access ?? "This line is not in a section with access control.\n";
  await view.showMarkdown("Access map.md", nameLocations(text));
}

/** Replaces links to files, which pages of the editor do not show, by the names of the files with their lines. */
function nameLocations(markdown: string): string {
  return markdown.replaceAll(
    /\[(`[^`]*`|[^\]]*)\]\(file:[^)#]*\/([^)/#]+)#L(\d+)\)/g,
    (_, text: string, name: string, line: string) => `${text} ${decodeURIComponent(name)}:${line}`,
  );
}

const HEADING = "**Access to these paths**";
const MAX_TRIES = 20;

/** Asks the language server for the access, which it computes in the background. */
async function findAccess(uri: Uri, place: Position): Promise<string | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const hovers = await commands.executeCommand<readonly Hover[]>("vscode.executeHoverProvider", uri, place);
    const texts = hovers.flatMap(({ contents }) =>
      contents.map((each) =>
        each instanceof MarkdownString ? each.value : typeof each === "string" ? each : each.value,
      ),
    );
    const found = texts.flatMap((text) => text.split("\n\n---\n\n")).find((part) => part.includes(HEADING));
    if (found !== undefined) return `${found}\n`;
    if (!texts.some((text) => text.includes("still being computed"))) return undefined;
  }
  return undefined;
}

function withProgress<T>(title: string, run: () => Promise<T>): Thenable<T> {
  return window.withProgress({ location: ProgressLocation.Window, title: `httpd-lint: ${title}` }, run);
}
