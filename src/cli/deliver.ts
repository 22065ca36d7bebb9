import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { type ExitCode, exitCodes } from "./exit-codes.js";
import type { Outcome } from "./outcome.js";

/** How commands end that have no result: what an earlier run wrote stays as it is. */
const withoutResult: readonly ExitCode[] = [exitCodes.usage, exitCodes.unreadable, exitCodes.internal];

/** Writes the result where it belongs; a file appears whole or not at all. */
export function deliver(outcome: Outcome, target: string | undefined, quiet: boolean): number {
  if (!quiet || outcome.exitCode > exitCodes.findings) writeNotes(outcome.notes);
  if (target === undefined) {
    for (const chunk of outcome.output) writeAll(1, chunk);
    return outcome.exitCode;
  }
  if (withoutResult.includes(outcome.exitCode)) return outcome.exitCode;
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeTo(temporary, outcome.output);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (!(error instanceof Error && "code" in error)) throw error;
    writeNotes([`httpd-lint: \`${target}\` of --output cannot be written: ${whyNotWritten(error)}`]);
    return exitCodes.usage;
  }
  return outcome.exitCode;
}

function writeTo(path: string, output: Outcome["output"]): void {
  const descriptor = openSync(path, "w");
  try {
    for (const chunk of output) writeAll(descriptor, chunk);
  } finally {
    closeSync(descriptor);
  }
}

const writeFailures: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EBUSY: "it is in use",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
};

function whyNotWritten(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return writeFailures[code] ?? `the system says ${code || oneLine(String(error))}`;
}

export function writeNotes(notes: readonly string[]): void {
  for (const note of notes) writeAll(2, `${note}\n`);
}

/** Writes all of it, also into a pipe that is full for the moment; a reader that left ends the output. */
function writeAll(descriptor: number, chunk: string | Buffer): void {
  const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
    }
  }
}

/** A message without line breaks. */
export function oneLine(message: string): string {
  return message.replace(/\s+/g, " ").trim();
}
