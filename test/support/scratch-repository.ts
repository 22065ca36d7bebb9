import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Ran, run } from "./command.js";

/** A folder of its own for tests, to be removed by the caller's `dispose`. */
export interface ScratchFolder {
  readonly path: string;
  dispose(): void;
}

export function scratchFolder(): ScratchFolder {
  const path = mkdtempSync(join(tmpdir(), "httpd-lint-"));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

/** Writes files by path relative to a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Runs git in a folder, as somebody whose own settings do not matter. */
export function git(folder: string, ...args: readonly string[]): Ran {
  const identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"];
  const ran = run("git", [...identity, ...args], {
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  });
  if (ran.status !== 0) throw new Error(`git ${args.join(" ")} failed: ${ran.stderr}`);
  return ran;
}

/** Makes a repository of a folder's files. @returns the commit */
export function commitAll(folder: string): string {
  git(folder, "init", "--quiet");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "Everything");
  return git(folder, "rev-parse", "HEAD").stdout.trim();
}

/** Copies this project as a checkout would have it: with what is not committed yet, without what is built or installed. */
export function copyProject(into: string): void {
  const { stdout } = run("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"]);
  const { stdout: gone } = run("git", ["ls-files", "--deleted", "-z"]);
  const deleted = new Set(gone.split("\0"));
  for (const path of stdout.split("\0")) {
    if (path !== "" && !deleted.has(path)) cpSync(path, join(into, path));
  }
}

/** Lends a copy of the project the packages that are installed here. */
export function lendPackages(copy: string): void {
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
}
