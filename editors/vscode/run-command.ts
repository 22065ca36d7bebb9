import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { type Uri, workspace } from "vscode";

/** The result of a command. */
export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The flag of each setting that has one for all commands. */
const flags: Readonly<Record<string, string>> = {
  serverRoot: "--server-root",
  sysroot: "--sysroot",
  modules: "--modules",
};

/** Returns the flags for the editor's settings. */
export function listFlags(uri: Uri): readonly string[] {
  const settings = workspace.getConfiguration("httpdLint", uri);
  const defines = settings.get<readonly string[]>("defines") ?? [];
  const named = Object.entries(flags).flatMap(([name, flag]) => {
    const value = settings.get<string | readonly string[] | null>(name);
    const text = typeof value === "string" ? value : (value ?? []).join(",");
    return text === "" ? [] : [`${flag}=${text}`];
  });
  return [...named, ...defines.map((define) => `--define=${define}`)];
}

/** Returns the folder in which the commands for a file run, to which their paths are relative. */
export function findFolder(uri: Uri): string {
  return workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? dirname(uri.fsPath);
}

/** Runs the command in the extension on the Node.js of the editor. */
export function runCommand(module: string, uri: Uri, args: readonly string[]): Promise<CommandOutput> {
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: "1" };
  const options = { cwd: findFolder(uri), env, maxBuffer: 1 << 28 };
  return new Promise((done) => {
    const child = execFile(process.execPath, [module, ...args], options, (_error, stdout, stderr) =>
      done({ exitCode: child.exitCode ?? 4, stdout, stderr }),
    );
  });
}
