import { quoteText } from "./words.js";

/** A comment in prose: `#Listen 80` is a line that somebody switched off, and stays. */
const prose = /^[\t ]*#[\t ]+\S/;
/** A line that decorates a heading: `# -----`, `#### Access ####`. */
const decoration = /^[\t ]*#(?:[\t ]*[-=#*_~+]{3,}|#)/;
/** Comments to this program that are about the whole file. */
const ofFile = /httpd-lint-(?!ignore-next-(?:line|section))/;

/**
 * Returns a comment at the end of a line as a line of its own before it: one to suppress findings is then about the next
 * line.
 */
export function toCommentBefore(comment: string): string {
  return comment.replace(/^(#[\t ]*httpd-lint-ignore)(?:-[a-z-]+)?(?=[\t :]|$)/, "$1-next-line");
}

/** Returns what to do with a comment at the end of a line that httpd does not read as one. */
export function describeCommentMove(comment: string): string {
  return isSuppression.test(comment)
    ? `use ${quoteText(toCommentBefore(comment))} on the line before`
    : "move the comment to a line of its own";
}

const isSuppression = /^#[\t ]*httpd-lint-ignore/;

/**
 * Returns the start of the comment that belongs only to some whole lines: directly above, with the same indentation, and
 * no other line of the paragraph follows. A heading, and the first comment of a file, belong to more than these lines.
 *
 * @param start start of the first line
 * @param end offset after the line feed of the last one
 * @returns `start` if there is none
 */
export function findOwnComment(text: string, start: number, end: number): number {
  const next = text.slice(end, lineEndAfter(text, end)).trim();
  if (next !== "" && !next.startsWith("#") && !next.startsWith("</")) return start;
  const indent = indentAt(text, start);
  let first = start;
  while (first > 0) {
    const above = text.lastIndexOf("\n", first - 2) + 1;
    const line = text.slice(above, first).trimEnd();
    if (!/^[\t ]*#/.test(line)) break;
    if (indentAt(text, above) !== indent || !prose.test(line) || line.endsWith("\\")) return start;
    if (decoration.test(line) || ofFile.test(line)) return start;
    first = above;
  }
  return first === 0 ? start : first;
}

function indentAt(text: string, start: number): string {
  return /[\t ]*/.exec(text.slice(start, lineEndAfter(text, start)))?.[0] ?? "";
}

function lineEndAfter(text: string, start: number): number {
  const feed = text.indexOf("\n", start);
  return feed < 0 ? text.length : feed;
}
