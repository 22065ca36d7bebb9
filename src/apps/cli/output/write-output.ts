import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { realPathOf } from "../../../config/main-files.js";
import { redact } from "../../../report/secrets/redaction.js";
import { makeVisible } from "../../../report/text/visible-text.js";
import { resolveWriteTarget, withSignalsBlocked, writeAtomically } from "../../file-changes/atomic-write.js";
import { findRuleUrl } from "../../package-files.js";
import { type CommandResult, type ExitCode, exitCodes, type ReportFile } from "./command-result.js";
import { describeInterruptedRuns } from "./interrupted-runs.js";
import { isTerminal } from "./terminal.js";

/** Exit codes without a result: the output of an earlier run is not overwritten. */
const withoutResult: readonly ExitCode[] = [exitCodes.usage, exitCodes.unreadable, exitCodes.internal];

/** The status of a written result. */
export interface WriteStatus {
  /** The exit code. */
  readonly code: number;
  /** Standard output is closed: its reader left, or it cannot be written. */
  readonly isOutputClosed: boolean;
}

/**
 * Writes the result to its target; a file is written completely or not at all.
 *
 * @param quiet how often `-q` was given: once omits notes, twice also the result on standard output
 */
export function writeResult(outcome: CommandResult, target: string | undefined, quiet: number): WriteStatus {
  const { reports = [], read = [] } = outcome;
  const notes = limitSimilarNotes([...outcome.notes, ...describeInterruptedRuns(read)]);
  if (quiet === 0 || outcome.exitCode > exitCodes.findings) writeNotes(notes);
  writeNotes(outcome.timings ?? []);
  const files = reports.map((report) => ({ ...report, flag: "--report" }));
  if (target !== undefined) files.push({ path: target, output: outcome.output, flag: "--output" });
  const isWritten = !withoutResult.includes(outcome.exitCode);
  const failed = isWritten ? files.map((file) => writeReportFile(file, read)).find(Boolean) : undefined;
  if (failed !== undefined) {
    writeNotes([`httpd-lint: ${failed}`]);
    return { code: exitCodes.usage, isOutputClosed: false };
  }
  // The exit code may depend on the output, and is known only now.
  if (target !== undefined) return { code: outcome.exitCode, isOutputClosed: false };
  try {
    const isWritten =
      quiet < 2 ? writeOut(1, isTerminal(1) ? toVisibleChunks(outcome.output) : outcome.output) : compute(outcome);
    return { code: outcome.exitCode, isOutputClosed: !isWritten };
  } catch (error) {
    writeNotes([`httpd-lint: standard output cannot be written: ${explainSystemError(error)}`]);
    return { code: exitCodes.usage, isOutputClosed: true };
  }
}

/** Writes a file of the result. @returns an error message */
function writeReportFile(
  { path, output, flag }: ReportFile & { readonly flag: string },
  read: readonly string[],
): string | undefined {
  if (isInputFile(path, read))
    return `\`${path}\` of ${flag} is a file of the configuration, so it was not replaced; name another file`;
  try {
    withSignalsBlocked(() => writeFileWhole(path, output));
    return undefined;
  } catch (error) {
    return `\`${path}\` of ${flag} cannot be written: ${explainSystemError(error)}`;
  }
}

/** Maximum number of notes that differ only in the names that they quote. */
const MAX_SIMILAR_NOTES = 3;

/** Returns the notes without those that repeat a statement for many names, and their number. */
export function limitSimilarNotes(notes: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  const shown = notes.filter((note) => {
    const statement = note.replace(/`[^`]*`/g, "``");
    const count = (counts.get(statement) ?? 0) + 1;
    counts.set(statement, count);
    return count <= MAX_SIMILAR_NOTES;
  });
  const omitted = notes.length - shown.length;
  if (omitted === 0) return notes;
  return [...shown, `httpd-lint: ${omitted} similar ${omitted === 1 ? "note was" : "notes were"} omitted`];
}

/** Writes a file atomically. An existing pipe or device is written to directly. */
function writeFileWhole(target: string, output: CommandResult["output"]): void {
  const there = statSync(target, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    writeAt(target, output);
    return;
  }
  // A link is kept; its target is replaced.
  writeAtomically(resolveWriteTarget(target), there, (descriptor) => writeOut(descriptor, output));
}

function writeAt(path: string, output: CommandResult["output"]): void {
  const descriptor = openSync(path, "w");
  try {
    writeOut(descriptor, output);
  } finally {
    closeSync(descriptor);
  }
}

function isInputFile(target: string, read: readonly string[]): boolean {
  const real = realPathOf(target);
  return real !== undefined && read.includes(real);
}

/** Filters output for a terminal: only the colours and hyperlinks of reports remain as control sequences. */
function* toVisibleChunks(output: CommandResult["output"]): Generator<string> {
  for (const chunk of output) yield renderVisibleLines(chunk.toString());
}

const introducer = "\u001b";
const colour = `${introducer}\\[(?:0|1|2|4|22|24|3[1-69])m`;
/** The start of a hyperlink to a file or the page of a rule, and its end. */
const hyperlink = `${introducer}\\]8;;(?:file://[!-\\[\\]-~]*|https://[!-\\[\\]-~]*/rules/[a-z\\d-]+/[a-z\\d-]+\\.md)?${introducer}\\\\`;
const allowedControls = new RegExp(`(\\n|\\t|${colour}|${hyperlink})`);

/**
 * Replaces control characters with visible names, except for line ends, tabs, colours, and hyperlinks to files and to pages of
 * rules.
 *
 * @param env for the address of the pages
 */
export function renderVisibleLines(text: string, env: NodeJS.ProcessEnv = process.env): string {
  const parts = text.split(allowedControls);
  return parts.map((part, index) => (index % 2 === 1 && isOwn(part, env) ? part : makeVisible(part))).join("");
}

/** Reports whether the program itself writes a sequence: it links to no web pages but those of rules. */
function isOwn(sequence: string, env: NodeJS.ProcessEnv): boolean {
  const [, url, id = ""] = /(https:.*\/([^/]*)\.md)/.exec(sequence) ?? [];
  return url === undefined || url === findRuleUrl(id, env);
}

/** Computes output that is not written, because the exit code may depend on it. @returns that no reader left */
function compute({ output }: CommandResult): true {
  for (const _ of output);
  return true;
}

/** @returns whether the output was accepted; all of it is computed in any case, because exit codes may depend on it */
function writeOut(descriptor: number, output: CommandResult["output"]): boolean {
  let isWritten = true;
  for (const chunk of output) isWritten = writeAll(descriptor, chunk) && isWritten;
  return isWritten;
}

const writeFailures: Readonly<Record<string, string>> = {
  ENOENT: "its directory does not exist",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory",
  EBUSY: "it is in use",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  EDQUOT: "no space is left",
  EFBIG: "it would exceed the size limit",
  EBADF: "it is closed",
};

/** Explains an error of the operating system, and throws any other. */
function explainSystemError(error: unknown): string {
  if (!(error instanceof Error && "code" in error)) throw error;
  const code = String(error.code);
  return writeFailures[code] ?? `the system reports ${code || toOneLine(String(error))}`;
}

/** Writes notes to standard error without control sequences, because they may contain names and file contents. */
export function writeNotes(notes: readonly string[]): void {
  for (const note of notes) writeNote(`${redact(note, []).split("\n").map(makeVisible).join("\n")}\n`);
}

/** Writes a note. If standard error is not writable either, the exit code must report the failure. */
function writeNote(line: string): void {
  try {
    writeAll(2, line);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

/** Writes all data, waiting while a pipe is full; stops if the reader left. @returns whether no reader left */
function writeAll(descriptor: number, chunk: string | Buffer): boolean {
  const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw error;
    }
  }
  return true;
}

/** Returns a message without line breaks. */
export function toOneLine(message: string): string {
  return message.replace(/\s+/g, " ").trim();
}
