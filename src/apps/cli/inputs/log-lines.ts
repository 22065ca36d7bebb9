import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { isEndlessDevice } from "../../../config/files/file-content.js";
import { PipeReader } from "../../../config/files/pipe-reader.js";
import { fromBytes } from "../../../text/bytes.js";
import type { Result } from "../../../text/result.js";

/** A line as a binary string, or a marker for a line that exceeds the limit. */
export interface LogLine {
  readonly number: number;
  readonly text: string | undefined;
}

/** Longer lines cannot come from a server: it accepts requests of a few thousand bytes. */
export const MAX_LOG_LINE_LENGTH = 1 << 18;
const CHUNK = 1 << 18;

/**
 * Opens a log whose lines are read in chunks: it may be larger than memory.
 *
 * @param path `-` for standard input
 */
export function openLog(path: string): Result<Iterable<LogLine>, string> {
  if (path === "-") return { ok: true, value: readLogLines(readChunks(0, path, Buffer.alloc(0))) };
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return { ok: false, error: "it does not exist, or permission is denied" };
  }
  // A pipe may have no writer, and then never ends.
  const start = Buffer.allocUnsafe(CHUNK);
  const failed = explainUnusableLog(descriptor);
  const read =
    failed === undefined
      ? new PipeReader(descriptor, path).read(start)
      : ({ ok: false, error: { message: failed } } as const);
  if (read.ok) return { ok: true, value: readLogLines(readChunks(descriptor, path, start.subarray(0, read.value))) };
  closeSync(descriptor);
  return { ok: false, error: read.error.message };
}

function explainUnusableLog(descriptor: number): string | undefined {
  if (fstatSync(descriptor).isDirectory()) return "it is a directory";
  return isEndlessDevice(descriptor) ? "it is a device" : undefined;
}

function* readLogLines(chunks: Iterable<string>): Generator<LogLine> {
  let number = 0;
  let rest = "";
  let isTooLong = false;
  for (const chunk of chunks) {
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

/** Yields the content of a log after its start. Waits while a pipe is empty. */
function* readChunks(descriptor: number, path: string, start: Buffer): Generator<string> {
  yield fromBytes(start);
  const buffer = Buffer.allocUnsafe(CHUNK);
  const pipe = new PipeReader(descriptor, path, Number.POSITIVE_INFINITY);
  for (;;) {
    const read = pipe.read(buffer);
    if (!read.ok || read.value === 0) break;
    yield fromBytes(buffer.subarray(0, read.value));
  }
  if (descriptor !== 0) closeSync(descriptor);
}
