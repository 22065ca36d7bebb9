import { readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readNamedFile } from "../../../config/files/file-content.js";
import { findKernelPath } from "../../../config/files/kernel-files.js";
import { statOf } from "../../../config/main-files.js";
import { fromBytes } from "../../../text/bytes.js";
import type { Result } from "../../../text/result.js";
import { type CommandResult, exitCodes, failWith } from "../output/command-result.js";

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

/** Contents in place of files: standard input, and pipes that arguments name. */
export interface StreamInput {
  /** The paths as given, with `-` replaced. */
  readonly paths: readonly string[];
  /** The path that standard input represents, if it is among the paths. */
  readonly stdin: string | undefined;
  /** The contents by absolute path. */
  readonly overlay: ReadonlyMap<string, string>;
}

/**
 * Reads standard input if `-` is among the paths, and the pipes that a path, --main or --envvars names, as `<(…)` of a shell
 * does. A pipe can be read only once, and threads need its content. Pipes that only a configuration names are never
 * read.
 */
export function readStreams(flags: {
  readonly paths: readonly string[];
  readonly main?: string | undefined;
  readonly envvars?: string | undefined;
  readonly stdinFilename?: string | undefined;
}): Result<StreamInput, CommandResult> | undefined {
  const input = replaceStandardInput(flags);
  if (input && !input.ok) return input;
  const named = [...flags.paths, flags.main, flags.envvars].filter((path) => path !== undefined);
  const pipes = [...new Set(named)].filter(isPipePath);
  if (input === undefined && pipes.length === 0) return undefined;
  const overlay = new Map(input?.value.overlay);
  for (const path of pipes) {
    const content = readNamedFile(resolve(path));
    if (!content.ok) return failWith(exitCodes.unreadable, `\`${path}\` cannot be read: ${content.error.message}`);
    overlay.set(resolve(path), content.value.text);
  }
  const paths = flags.paths.map((path) => (path === "-" && input ? input.value.path : path));
  return { ok: true, value: { paths, stdin: input?.value.path, overlay } };
}

/** Reports whether a path is a pipe, or an open file such as `/dev/fd/3`. */
export function isPipePath(path: string): boolean {
  if (path === "-" || path === "") return false;
  const status = statOf(path);
  return status?.isFIFO() === true || (status?.isFile() === true && findKernelPath(resolve(path)) !== undefined);
}

/** Returns standard input in place of a file if `-` is among the paths. */
function replaceStandardInput(flags: {
  readonly paths: readonly string[];
  readonly stdinFilename?: string | undefined;
}): Result<{ readonly path: string; readonly overlay: ReadonlyMap<string, string> }, CommandResult> | undefined {
  const { usage, unreadable } = exitCodes;
  if (!flags.paths.includes("-")) {
    if (flags.stdinFilename === undefined) return undefined;
    return failWith(usage, "--stdin-filename needs the path `-`");
  }
  const path = resolve(flags.stdinFilename ?? STDIN_NAME);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const given =
      flags.stdinFilename === undefined ? `\`${STDIN_NAME}\`` : `\`${flags.stdinFilename}\` of --stdin-filename`;
    return failWith(usage, `${given} is a directory; name a file with --stdin-filename`);
  }
  const bytes = readStandardInput();
  if (bytes === undefined) return failWith(unreadable, "standard input cannot be read");
  return { ok: true, value: { path, overlay: new Map([[path, fromBytes(bytes)]]) } };
}
