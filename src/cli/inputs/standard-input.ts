import { readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fromBytes } from "../../text/bytes.js";
import { type ExitCode, exitCodes } from "../output/command-result.js";

const CHUNK = 1 << 16;
const PAUSE_MS = 5;

/** The file in the working directory that standard input represents, unless --stdin-filename names another. */
export const STDIN_NAME = "stdin.conf";

let cachedInput: { readonly bytes: Buffer | undefined } | undefined;

/**
 * Reads all of standard input, waiting for data; returns undefined if it is not readable, such as a folder. It is read
 * once for all callers.
 */
function readStandardInput(): Buffer | undefined {
  cachedInput ??= { bytes: readAll() };
  return cachedInput.bytes;
}

function readAll(): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    try {
      const length = readSync(0, chunk);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, length));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return Buffer.concat(chunks);
      if (code !== "EAGAIN") return undefined;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** Returns standard input in place of a file if `-` is among the paths. */
export function replaceStandardInput(flags: {
  readonly paths: readonly string[];
  readonly stdinFilename?: string | undefined;
}): { path: string; overlay: ReadonlyMap<string, string> } | { failed: string; exitCode: ExitCode } | undefined {
  const { usage, unreadable } = exitCodes;
  if (!flags.paths.includes("-")) {
    if (flags.stdinFilename === undefined) return undefined;
    return { failed: "--stdin-filename needs the path `-`", exitCode: usage };
  }
  const path = resolve(flags.stdinFilename ?? STDIN_NAME);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const given =
      flags.stdinFilename === undefined ? `\`${STDIN_NAME}\`` : `\`${flags.stdinFilename}\` of --stdin-filename`;
    return { failed: `${given} is a directory; name a file with --stdin-filename`, exitCode: usage };
  }
  const bytes = readStandardInput();
  if (bytes === undefined) return { failed: "standard input cannot be read", exitCode: unreadable };
  return { path, overlay: new Map([[path, fromBytes(bytes)]]) };
}
