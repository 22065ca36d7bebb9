import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A separate folder for tests; the caller removes it with `dispose`. */
export interface ScratchFolder {
  readonly path: string;
  dispose(): void;
}

export function scratchFolder(): ScratchFolder {
  const path = mkdtempSync(join(tmpdir(), "httpd-lint-"));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

/** Calls a function with a temporary folder, which is removed afterwards. */
export function inScratchFolder<T>(run: (folder: string) => T): T {
  const { path, dispose } = scratchFolder();
  try {
    return run(path);
  } finally {
    dispose();
  }
}

/** Calls an asynchronous function with a temporary folder. */
export async function whileInScratchFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const { path, dispose } = scratchFolder();
  try {
    return await run(path);
  } finally {
    dispose();
  }
}

/** Writes files by path relative to a folder; values other than strings are written as JSON. */
export function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | object>>,
  encoding: BufferEncoding = "utf8",
): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content), encoding);
  }
}
