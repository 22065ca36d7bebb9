import { cpSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Ran, run } from "./command.js";

/** Runs git in a folder, without the user's own configuration. */
export function git(folder: string, ...args: readonly string[]): Ran {
  const identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"];
  const ran = run("git", [...identity, ...args], {
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  });
  if (ran.status !== 0) throw new Error(`git ${args.join(" ")} failed: ${ran.stderr}`);
  return ran;
}

/** Creates a repository from a folder's files. @returns the commit */
export function commitAll(folder: string): string {
  git(folder, "init", "--quiet");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "Everything");
  return git(folder, "rev-parse", "HEAD").stdout.trim();
}

/** Copies this project like a checkout: with uncommitted changes, without built or installed files. */
export function copyProject(into: string): void {
  const { stdout } = run("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"]);
  const { stdout: gone } = run("git", ["ls-files", "--deleted", "-z"]);
  const deleted = new Set(gone.split("\0"));
  for (const path of stdout.split("\0")) {
    if (path !== "" && !deleted.has(path)) cpSync(path, join(into, path));
  }
}

/** Makes the installed packages available to a copy of the project. */
export function lendPackages(copy: string): void {
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
}
