import { formatPatch as formatStructuredPatch, structuredPatch } from "diff";
import { fromReadable, toReadable } from "../../text/source.js";
import { formatCount } from "../../text/words.js";

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
  const hunks = dividePatch(before, after).flatMap((piece) =>
    structuredPatch("", "", piece.before, piece.after, undefined, undefined, { context: 3 }).hunks.map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldStart + piece.linesBefore,
      newStart: hunk.newStart + piece.linesAfter,
    })),
  );
  const patch = formatStructuredPatch({
    ...{ oldFileName: "", newFileName: "", oldHeader: undefined, newHeader: undefined, hunks },
  });
  const [firstHunk = patch.length] = [/^@@ /m.exec(patch)?.index];
  return `--- ${headerName(`a${rooted}`)}\n+++ ${headerName(`b${rooted}`)}\n${patch.slice(firstHunk)}`;
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
  return dividePatch(before, after).flatMap((piece) =>
    structuredPatch("", "", piece.before, piece.after, undefined, undefined, { context: 0 }).hunks.map((hunk) => {
      const [line, newLine] = [hunk.oldStart - 1 + piece.linesBefore, hunk.newStart - 1 + piece.linesAfter];
      const text = after.slice(at(fresh, newLine), at(fresh, newLine + hunk.newLines));
      return { start: at(old, line), end: at(old, line + hunk.oldLines), text, newLine, count: hunk.newLines };
    }),
  );
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

/** A part of two texts that is compared on its own. */
interface PatchPiece {
  readonly before: string;
  readonly after: string;
  /** The number of lines before this part, in each text. */
  readonly linesBefore: number;
  readonly linesAfter: number;
}

/** Texts with fewer lines are compared as a whole. */
const MAX_LINES = 2_000;

/** Lines on each side of a cut that both texts share: no hunk with three lines of context reaches across. */
const SHARED_LINES = 4;

/**
 * Divides two texts into parts, so that the time to compare them grows with their length, and not with its square. A cut is
 * made only between lines that both texts share, next to a line that is unique in both.
 */
export function dividePatch(before: string, after: string): readonly PatchPiece[] {
  const [oldLines, newLines] = [splitLines(before), splitLines(after)];
  const whole = { before, after, linesBefore: 0, linesAfter: 0 };
  if (oldLines.length < MAX_LINES) return [whole];
  const pieces: PatchPiece[] = [];
  let [oldStart, newStart] = [0, 0];
  const cut = (oldEnd: number, newEnd: number) => {
    const parts = {
      before: oldLines.slice(oldStart, oldEnd).join(""),
      after: newLines.slice(newStart, newEnd).join(""),
    };
    pieces.push({ ...parts, linesBefore: oldStart, linesAfter: newStart });
    [oldStart, newStart] = [oldEnd, newEnd];
  };
  const [oldPlaces, newPlaces] = [uniquePlaces(oldLines), uniquePlaces(newLines)];
  for (const [line, oldIndex] of oldPlaces) {
    const newIndex = newPlaces.get(line);
    if (newIndex === undefined || newIndex - SHARED_LINES < newStart || oldIndex - SHARED_LINES < oldStart) continue;
    const isShared = (offset: number) =>
      oldLines[oldIndex + offset] !== undefined && oldLines[oldIndex + offset] === newLines[newIndex + offset];
    if (Array.from({ length: 2 * SHARED_LINES }, (_, index) => index - SHARED_LINES).every(isShared))
      cut(oldIndex, newIndex);
  }
  cut(oldLines.length, newLines.length);
  return pieces;
}

function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Returns the places of the lines that occur once, in order. */
function uniquePlaces(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [place, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    else places.set(line, place);
  }
  for (const line of repeated) places.delete(line);
  return places;
}
