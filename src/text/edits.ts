import type { Span } from "./source.js";

/** A change of text: the span is replaced. */
export interface Edit {
  readonly span: Span;
  /** A binary string. */
  readonly text: string;
}

/** A text with edits made in it that do not overlap, in whatever order they are given. */
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

/** All of some edits; undefined where the text of one is not where it seems to be, since a part would do something else. */
export function combineEdits(edits: readonly (Edit | undefined)[]): readonly Edit[] | undefined {
  const there = edits.filter((edit) => edit !== undefined);
  return there.length === edits.length ? there : undefined;
}

/** Edits by file and place, each once: what is done to a file that is read twice is done to it once. */
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

/** The text of the lines that a span stands on, without the last line feed; undefined where a macro put it in place. */
export function lineTextOf(span: Span): string | undefined {
  const lines = linesOf(span);
  return lines && span.file.text.slice(lines.start, lines.end);
}

/** Takes out the lines that a directive stands on; undefined where it was not written as lines of its own. */
export function removeLines(span: Span): Edit | undefined {
  const { file } = span;
  const lines = linesOf(span);
  return lines && { span: { file, ...lines, end: Math.min(lines.end + 1, file.text.length) }, text: "" };
}

/**
 * Writes lines in place of those that a directive stands on, each ended as the file does it.
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

/** Puts lines before those that a directive stands on; undefined where it was not written as lines of its own. */
export function insertLinesBefore(span: Span, lines: readonly string[]): Edit | undefined {
  const { file } = span;
  const its = linesOf(span);
  if (its === undefined) return undefined;
  const text = lines.map((line) => line + lineEndingOf(file.text, its)).join("");
  return { span: { file, start: its.start, end: its.start }, text };
}

/**
 * Puts lines behind those that a directive stands on; behind a section's tag they are the first in the section. Undefined
 * where it was not written as lines of its own.
 *
 * @param lines without what ends them
 * @param indent what stands before each; as far as the directive is indented where absent
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

/** As lines at a place are ended; by the line before where they are the last of the file, and nothing ends them. */
function lineEndingOf(text: string, { start, end }: { readonly start: number; readonly end: number }): "\n" | "\r\n" {
  const feed = end < text.length ? end : start - 1;
  return text[feed - 1] === "\r" ? "\r\n" : "\n";
}

/** Writes a text in place of another; undefined where a macro put that in place. */
export function replaceSpan(span: Span, text: string): Edit | undefined {
  return "macro" in span.file ? undefined : { span, text };
}

/** The blanks before a place, on its line. */
export function indentOf({ file, start }: Pick<Span, "file" | "start">): string {
  return /[\t ]*$/.exec(file.text.slice(file.text.lastIndexOf("\n", start - 1) + 1, start))?.[0] ?? "";
}

/** Where the lines of a directive start and end, without the last line feed. */
function linesOf({ file, start, end }: Span): { readonly start: number; readonly end: number } | undefined {
  if ("macro" in file) return undefined;
  const feed = file.text.indexOf("\n", end);
  return { start: file.text.lastIndexOf("\n", start - 1) + 1, end: feed < 0 ? file.text.length : feed };
}
