import { formatPatch as formatStructuredPatch, type StructuredPatchHunk } from "diff";
import { fromReadable, toReadable } from "../../text/source.js";
import { formatCount } from "../../text/words.js";
import { type LineChange, listLineChanges, splitLines } from "./line-changes.js";

/**
 * Renders the change of a file as a readable diff with three context lines; `patch` and `git apply` accept it if it is
 * valid UTF-8.
 */
export function formatPatch(path: string, before: string, after: string): string {
  return toReadable(formatBinaryPatch(path, before, after));
}

/** Renders the diff byte for byte, as a binary string. */
export function formatBinaryPatch(path: string, before: string, after: string): string {
  const rooted = fromReadable(path.startsWith("/") ? path : `/${path}`);
  const hunks = listHunks(splitLines(before), splitLines(after));
  const patch = formatStructuredPatch({
    ...{ oldFileName: "", newFileName: "", oldHeader: undefined, newHeader: undefined, hunks },
  });
  const [firstHunk = patch.length] = [/^@@ /m.exec(patch)?.index];
  return `--- ${headerName(`a${rooted}`)}\n+++ ${headerName(`b${rooted}`)}\n${patch.slice(firstHunk)}`;
}

const CONTEXT_LINES = 3;

/** Returns the hunks between two texts: changes with the unchanged lines around them. */
function listHunks(oldLines: readonly string[], newLines: readonly string[]): StructuredPatchHunk[] {
  const hunks: StructuredPatchHunk[] = [];
  const groups: LineChange[][] = [];
  for (const change of listLineChanges(oldLines, newLines)) {
    const group = groups.at(-1);
    const end = group?.at(-1)?.oldEnd;
    if (group && end !== undefined && change.oldStart - end <= 2 * CONTEXT_LINES) group.push(change);
    else groups.push([change]);
  }
  for (const group of groups) {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) continue;
    const before = Math.min(CONTEXT_LINES, first.oldStart);
    const [oldStart, newStart] = [first.oldStart - before, first.newStart - before];
    const after = Math.min(CONTEXT_LINES, oldLines.length - last.oldEnd);
    const lines: string[] = [];
    let at = oldStart;
    for (const change of group) {
      lines.push(...linesOfHunk(" ", oldLines.slice(at, change.oldStart)));
      lines.push(...linesOfHunk("-", oldLines.slice(change.oldStart, change.oldEnd)));
      lines.push(...linesOfHunk("+", newLines.slice(change.newStart, change.newEnd)));
      at = change.oldEnd;
    }
    lines.push(...linesOfHunk(" ", oldLines.slice(at, last.oldEnd + after)));
    const oldCount = last.oldEnd + after - oldStart;
    const newCount = last.newEnd + after - newStart;
    hunks.push({ oldStart: oldStart + 1, oldLines: oldCount, newStart: newStart + 1, newLines: newCount, lines });
  }
  return hunks;
}

function linesOfHunk(sign: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"],
  );
}

/** Lines that replace others. */
interface LineEdit {
  /** The range in the text before, in bytes. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The first of the new lines in the text after, counted from 0, and their number. */
  readonly newLine: number;
  readonly count: number;
}

/** Returns the edits of whole lines that turn one text into another, in order. They do not overlap. */
export function listLineEdits(before: string, after: string): readonly LineEdit[] {
  const [old, fresh] = [lineStartsOf(before), lineStartsOf(after)];
  const at = (starts: readonly number[], line: number) => starts[line] ?? starts.at(-1) ?? 0;
  return listLineChanges(splitLines(before), splitLines(after)).map(({ oldStart, oldEnd, newStart, newEnd }) => ({
    ...{ start: at(old, oldStart), end: at(old, oldEnd) },
    text: after.slice(at(fresh, newStart), at(fresh, newEnd)),
    ...{ newLine: newStart, count: newEnd - newStart },
  }));
}

/** Returns the offsets at which lines start, and that of the end. */
function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

const letters: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\" };

/** Renders a binary name as git does: a name with special characters is quoted, and one with a space ends in a tab. */
function headerName(name: string): string {
  const quoted = name.replace(
    /[^\x20\x21\x23-\x5b\x5d-\x7e]/g,
    (byte) => letters[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  if (quoted !== name) return `"${quoted}"`;
  return name.includes(" ") ? `${name}\t` : name;
}

/** Files that were written. */
export interface WrittenFiles {
  readonly written: readonly string[];
  /** The directory whose `oldLines` contains the originals; undefined if nothing was to be changed. */
  readonly backup?: string | undefined;
}

/**
 * Returns notes about the written files, how to restore the originals, and the next steps; empty if no file was
 * written.
 */
export function describeWrittenFiles({ written, backup }: WrittenFiles): readonly string[] {
  if (backup === undefined) return [];
  const oldLines = `${backup}/old`;
  return [
    `${formatCount(written.length, "file")} written; the originals are in \`${oldLines}\`; restore them with \`cp -a ${oldLines}/. /\``,
  ];
}
