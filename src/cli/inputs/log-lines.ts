import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isEndlessDevice } from "../../project/files/file-content.js";
import { fromBytes } from "../../text/bytes.js";

/** A line as a binary string, or a marker for a line that exceeds the limit. */
export interface LogLine {
  readonly number: number;
  readonly text: string | undefined;
}

/** Longer lines cannot come from a server: it accepts requests of a few thousand bytes. */
export const MAX_LOG_LINE_LENGTH = 1 << 18;
const CHUNK = 1 << 18;
/** Delay before reading again while input is missing. */
const PAUSE_MS = 20;

/**
 * Opens a log whose lines are read in chunks: it may be larger than memory.
 *
 * @param path `-` for standard input
 */
export function openLog(path: string): { readonly lines: Iterable<LogLine> } | { readonly failed: string } {
  if (path === "-") return { lines: readLogLines(0) };
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return { failed: "it does not exist, or permission is denied" };
  }
  const failed = explainUnusableLog(descriptor);
  if (failed !== undefined) {
    closeSync(descriptor);
    return { failed };
  }
  return { lines: readLogLines(descriptor) };
}

function explainUnusableLog(descriptor: number): string | undefined {
  if (fstatSync(descriptor).isDirectory()) return "it is a directory";
  return isEndlessDevice(descriptor) ? "it is a device" : undefined;
}

function* readLogLines(descriptor: number): Generator<LogLine> {
  let number = 0;
  let rest = "";
  let isTooLong = false;
  for (const chunk of readChunks(descriptor)) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const text = isTooLong || line.length > MAX_LOG_LINE_LENGTH ? undefined : line.replace(/\r$/, "");
      isTooLong = false;
      yield { number: ++number, text };
    }
    if (rest.length <= MAX_LOG_LINE_LENGTH) continue;
    isTooLong = true;
    rest = "";
  }
  if (rest !== "" || isTooLong) yield { number: ++number, text: isTooLong ? undefined : rest };
}

function* readChunks(descriptor: number): Generator<string> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (;;) {
    const read = readSome(descriptor, buffer);
    if (read === 0) break;
    yield fromBytes(buffer.subarray(0, read));
  }
  if (descriptor !== 0) closeSync(descriptor);
}

/** Waits while a pipe is empty. */
function readSome(descriptor: number, buffer: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, buffer);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
