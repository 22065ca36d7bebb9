import type { Span } from "../text/source.js";
import type { Edit } from "./finding.js";

/**
 * Puts lines behind the lines that a directive stands on, as far indented as it is; behind a section's tag they are the
 * first in the section. Undefined where it was not written as lines of its own.
 */
export function insertionAfter(span: Span, lines: readonly string[]): Edit | undefined {
  const { file, end } = span;
  if ("macro" in file) return undefined;
  const feed = file.text.indexOf("\n", end);
  const ending = feed > 0 && file.text[feed - 1] === "\r" ? "\r\n" : "\n";
  const written = lines.map((line) => indentation(span) + line);
  if (feed < 0) return at(span, file.text.length, written.map((line) => ending + line).join(""));
  return at(span, feed + 1, written.map((line) => line + ending).join(""));
}

function at({ file }: Span, offset: number, text: string): Edit {
  return { span: { file, start: offset, end: offset }, text };
}

function indentation({ file, start }: Span): string {
  const line = file.text.slice(file.text.lastIndexOf("\n", start - 1) + 1, start);
  return /^[\t ]*/.exec(line)?.[0] ?? "";
}
