import { basename, resolve } from "node:path";
import { commands, ProgressLocation, type TextDocument, Uri, window, workspace } from "vscode";
import { type CommandOutput, findFolder, listFlags, runCommand } from "./run-command";
import type { TextView } from "./text-view";

/** The parts of the JSON of `migrate` that the preview needs. */
interface Migration {
  readonly verdict: "proved" | "refused";
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Requests whose answers change, and that access rules do not affect. */
  readonly byRelease?: readonly unknown[];
  /** Requests for a page that the client may see at another path. */
  readonly samePage?: readonly unknown[];
}

const WRITE = "Write";

/** Shows what `migrate` would change as diffs, and writes it if the user accepts. */
export async function previewMigration(module: string, view: TextView, { uri }: TextDocument): Promise<void> {
  const from = workspace.getConfiguration("httpdLint", uri).get<string>("from") ?? "";
  const args = [uri.fsPath, ...(from === "" ? [] : [`--from=${from}`]), ...listFlags(uri)];
  const run = (...more: readonly string[]) =>
    withProgress(() => runCommand(module, uri, ["migrate", ...args, ...more]));
  const preview = await run("--format=json");
  const migration = parseMigration(preview);
  if (migration === undefined || migration.verdict === "refused") {
    // The text has the reasons, and the lines to change.
    const { stdout, stderr } = await run();
    await view.show("Migration refused.txt", `${stderr}${stdout === "" ? "" : `\n${stdout}`}`);
    return;
  }
  if (migration.files.length === 0) {
    void window.showInformationMessage("httpd-lint: no Order, Allow, Deny or Satisfy to convert.");
    return;
  }
  await showDiffs(view, findFolder(uri), migration.files);
  const isOne = migration.files.length === 1;
  const subject = isOne ? "1 file" : `${migration.files.length} files`;
  const question = `httpd-lint: ${subject} ${isOne ? "changes" : "change"}. ${describeProof(migration)}`;
  if ((await window.showInformationMessage(question, WRITE)) !== WRITE) return;
  // The files may have changed since the preview.
  await workspace.saveAll(false);
  if ((await run("--format=json")).stdout !== preview.stdout) {
    void window.showWarningMessage(
      "httpd-lint: the files changed after the preview. Nothing was written; run it again.",
    );
    return;
  }
  const { exitCode, stderr } = await run("--write", "--quiet");
  if (exitCode === 0) void window.showInformationMessage(`httpd-lint: ${subject} changed.`);
  else await view.show("Migration not written.txt", stderr);
}

function describeProof({ byRelease = [], samePage = [] }: Migration): string {
  const proof = "It is proved that every access decision stays the same without mod_access_compat";
  const count = byRelease.length + samePage.length;
  if (count === 0) return `${proof}.`;
  return `${proof}, except for ${count === 1 ? "1 kind" : `${count} kinds`} of requests that \`httpd-lint migrate\` lists.`;
}

function parseMigration({ stdout }: CommandOutput): Migration | undefined {
  try {
    return JSON.parse(stdout);
  } catch {
    // Wrong usage and unreadable files have only messages.
    return undefined;
  }
}

/** Shows each file with its new text, in one editor if there are several. */
async function showDiffs(view: TextView, folder: string, files: Migration["files"]): Promise<void> {
  const diffs = files.map(({ path, text }) => {
    const current = Uri.file(resolve(folder, path));
    return { path, current, next: view.add(`Migrated ${path}`, text) };
  });
  const [only] = diffs;
  if (only !== undefined && diffs.length === 1) {
    const title = `${basename(only.path)} (migration)`;
    await commands.executeCommand("vscode.diff", only.current, only.next, title, { preview: true });
    return;
  }
  const resources = diffs.map(({ current, next }) => [current, current, next]);
  await commands.executeCommand("vscode.changes", "Migration to Require", resources);
}

function withProgress<T>(run: () => Promise<T>): Thenable<T> {
  return window.withProgress({ location: ProgressLocation.Window, title: "httpd-lint: Migration" }, run);
}
