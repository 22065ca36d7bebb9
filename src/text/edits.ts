import { findOwnComment } from "./comments.js";
import type { SourceFile, Span } from "./source.js";

/** A text edit that replaces a span. */
export interface Edit<File = SourceFile> {
  readonly span: Span<File>;
  /** A binary string. */
  readonly text: string;
}

/** Applies non-overlapping edits to a text, in any order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  let result = "";
  let at = 0;
  for (const { span, text: written } of sorted) {
    result += text.slice(at, span.start) + written;
    at = span.end;
  }
  return result + text.slice(at);
}

/** Returns the offset after some edits of an offset before them; of one in a replaced text, where the text begins. */
export function mapOffset(offset: number, edits: readonly Edit[]): number {
  return edits.reduce((at, { span, text }) => {
    if (span.end <= offset && span.start < offset) return at + text.length - (span.end - span.start);
    if (span.start === span.end && span.start === offset) return at + text.length;
    return span.start < offset ? at - (offset - span.start) : at;
  }, offset);
}

/** Returns all edits, or undefined if one is not possible: a partial change would have a different effect. */
export function combineEdits(edits: readonly (Edit | undefined)[]): readonly Edit[] | undefined {
  const there = edits.filter((edit) => edit !== undefined);
  return there.length === edits.length ? there : undefined;
}

/** Sorts edits by file and position and removes duplicates: a file may be read twice. */
export function sortEdits(edits: readonly Edit[]): readonly Edit[] {
  const sorted = [...edits].sort(compareEdits);
  return sorted.filter((edit, at) => {
    const before = sorted[at - 1];
    return before === undefined || compareEdits(edit, before) !== 0 || edit.text !== before.text;
  });
}

function compareEdits({ span: a }: Edit, { span: b }: Edit): number {
  const files = a.file.realPath < b.file.realPath ? -1 : a.file.realPath > b.file.realPath ? 1 : 0;
  return files || a.start - b.start || a.end - b.end;
}

/** Returns the text of the lines of a span, without the last line feed; undefined if a macro expanded to it. */
export function lineTextOf(span: Span): string | undefined {
  const lines = linesOf(span);
  return lines && span.file.text.slice(lines.start, lines.end);
}

/** Deletes the lines of a directive; undefined if it is not on lines of its own. */
export function removeLines(span: Span): Edit | undefined {
  const { file } = span;
  const lines = linesOf(span);
  return lines && { span: { file, ...lines, end: Math.min(lines.end + 1, file.text.length) }, text: "" };
}

/**
 * Replaces the lines of a directive, with the line endings of the file.
 *
 * @param text without the last line feed
 */
export function replaceLines(span: Span, text: string): Edit | undefined {
  const { file } = span;
  const lines = linesOf(span);
  if (lines === undefined) return undefined;
  const written = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const last = file.text[lines.end - 1] === "\r" ? "\r" : "";
  return { span: { file, ...lines }, text: written.join(lineEndingOf(file.text, lines)) + last };
}

/** Replaces several directives with a line in place of the first; undefined if one is not on lines of its own. */
export function replaceAllLines([first, ...others]: readonly Span[], line: string): readonly Edit[] | undefined {
  if (first === undefined) return undefined;
  return combineEdits([replaceLines(first, `${indentOf(first)}${line}`), ...others.map(removeLines)]);
}

/**
 * Moves the lines of a directive before another one, with their own comment. Their indentation becomes that of the other
 * one, and continuation lines keep theirs relative to it. Undefined if one is not on lines of its own.
 */
export function moveLinesBefore(span: Span, before: Span): readonly Edit[] | undefined {
  const removal = removeLines(span);
  const target = removeLines(before);
  if (removal === undefined || target === undefined || span.file !== before.file) return undefined;
  const { file } = span;
  const { end } = removal.span;
  const start = findOwnComment(file.text, removal.span.start, end);
  const at = findOwnComment(file.text, target.span.start, target.span.end);
  const [from, to] = [indentOf(span), indentOf(before)];
  const lines = file.text
    .slice(start, end)
    .replace(/\r?\n$/, "")
    .split("\n");
  const moved = lines.map((line) => (line.startsWith(from) ? to + line.slice(from.length) : line));
  const ending = lineEndingOf(file.text, { start: target.span.start, end: target.span.end - 1 });
  return [
    { span: { file, start: at, end: at }, text: `${moved.join("\n")}${ending}` },
    { span: { file, start, end }, text: "" },
  ];
}

/** Inserts lines before a directive; undefined if it is not on lines of its own. */
export function insertLinesBefore(span: Span, lines: readonly string[]): Edit | undefined {
  const { file } = span;
  const range = linesOf(span);
  if (range === undefined) return undefined;
  const text = lines.map((line) => line + lineEndingOf(file.text, range)).join("");
  return { span: { file, start: range.start, end: range.start }, text };
}

/**
 * Inserts lines after a directive; after a section's tag, as the first in the section. Undefined if it is not on lines
 * of its own.
 *
 * @param lines without line endings
 * @param indent prefix of each line; defaults to the indentation of the directive
 */
export function insertLinesAfter(span: Span, lines: readonly string[], indent = indentOf(span)): Edit | undefined {
  const { file } = span;
  const before = linesOf(span);
  if (before === undefined) return undefined;
  const ending = lineEndingOf(file.text, before);
  const written = lines.map((line) => indent + line);
  const isLast = before.end === file.text.length;
  const at = isLast ? before.end : before.end + 1;
  const text = written.map((line) => (isLast ? ending + line : line + ending)).join("");
  return { span: { file, start: at, end: at }, text };
}

/** Returns the line ending at a position; for an unterminated last line, that of the line before. */
function lineEndingOf(text: string, { start, end }: { readonly start: number; readonly end: number }): "\n" | "\r\n" {
  const lineFeed = end < text.length ? end : start - 1;
  return text[lineFeed - 1] === "\r" ? "\r\n" : "\n";
}

/** Replaces the text of a span; undefined if a macro expanded to it. */
export function replaceSpan(span: Span, text: string): Edit | undefined {
  return "macro" in span.file ? undefined : { span, text };
}

/** Returns the indentation before a position on its line. */
export function indentOf({ file, start }: Pick<Span, "file" | "start">): string {
  return /[\t ]*$/.exec(file.text.slice(file.text.lastIndexOf("\n", start - 1) + 1, start))?.[0] ?? "";
}

/** Returns the start and end of a directive's lines, without the last line feed. */
function linesOf({ file, start, end }: Span): { readonly start: number; readonly end: number } | undefined {
  if ("macro" in file) return undefined;
  const lineFeed = file.text.indexOf("\n", end);
  return { start: file.text.lastIndexOf("\n", start - 1) + 1, end: lineFeed < 0 ? file.text.length : lineFeed };
}
