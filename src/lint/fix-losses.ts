import { findOwnComment } from "../text/comments.js";
import type { Edit } from "../text/edits.js";
import type { Span } from "../text/source.js";
import { formatWordList, quoteText } from "../text/words.js";
import type { Finding } from "./finding.js";
import { findLostLines, type LostLine } from "./stated-access.js";

/** Maximum number of lines that a note names. */
const MAX_NAMED = 5;

/**
 * Returns a finding whose report names each access control line that its fix deletes or replaces. Such a fix is unsafe,
 * even if access stays the same: the line states what somebody wanted.
 */
export function nameLostLines(finding: Finding): Finding {
  const { fix } = finding;
  const lost = fix === undefined ? [] : findLostLines(fix.edits);
  if (fix === undefined || lost.length === 0) return finding;
  const unnamed = lost.filter((line) => !isNamed(line, finding));
  const notes = [
    ...describeLost("deletes", unnamed.filter(isDeleted)),
    ...describeLost(
      "replaces",
      unnamed.filter((line) => !isDeleted(line)),
    ),
  ];
  return {
    ...finding,
    ...(notes.length > 0 ? { notes: [...(finding.notes ?? []), ...notes] } : {}),
    fix: { ...fix, safety: "unsafe" },
  };
}

function isDeleted({ isReplaced }: LostLine): boolean {
  return !isReplaced;
}

function describeLost(verb: string, lines: readonly LostLine[]): readonly string[] {
  if (lines.length === 0) return [];
  const named = [...new Set(lines.slice(0, MAX_NAMED).map(({ text }) => quoteText(text)))];
  const more = lines.length > MAX_NAMED ? [`${lines.length - MAX_NAMED} more`] : [];
  return [`the fix ${verb} ${formatWordList([...named, ...more])}`];
}

/** Reports whether a finding quotes a line, or points at a replaced one. */
function isNamed({ text, span, isReplaced }: LostLine, finding: Finding): boolean {
  const { message, notes = [], help = [], fix } = finding;
  const quoted = quoteText(text);
  if (isReplaced && contains(span, finding.span)) return true;
  return [message, ...notes, ...help, fix?.title ?? ""].some((part) => part.includes(quoted));
}

function contains(outer: Span, { file, start }: Span): boolean {
  return file.realPath === outer.file.realPath && start >= outer.start && start < outer.end;
}

/**
 * Extends deletions of whole lines to the comments that belong only to them. A comment that stays would seem to be about
 * the next line.
 *
 * @param edits sorted, as in a fix
 */
export function withOwnComments(edits: readonly Edit[]): readonly Edit[] {
  return edits.map((edit, index) => {
    const previous = edits[index - 1];
    // The first of adjacent deletions has the comment above them.
    if (!deletesLines(edit) || (previous && deletesLines(previous) && isAdjacent(previous, edit))) return edit;
    const { span } = edit;
    const start = findOwnComment(span.file.text, span.start, findEnd(edits, index));
    const isFree = !edits.some(
      (other) => other !== edit && other.span.file === span.file && isIn(other, start, span.start),
    );
    return start < span.start && isFree ? { ...edit, span: { ...span, start } } : edit;
  });
}

function isIn({ span }: Edit, start: number, end: number): boolean {
  return span.end >= start && span.start < end;
}

function isAdjacent({ span: first }: Edit, { span: second }: Edit): boolean {
  return first.file === second.file && first.end === second.start;
}

/** Returns the end of the adjacent deletions that begin with one. */
function findEnd(edits: readonly Edit[], index: number): number {
  let [last, next] = [edits[index], edits[index + 1]];
  for (let at = index + 1; last && next && deletesLines(next) && isAdjacent(last, next); at++)
    [last, next] = [next, edits[at + 1]];
  return last?.span.end ?? 0;
}

/** Reports whether an edit deletes whole lines. */
function deletesLines({ span: { file, start, end }, text }: Edit): boolean {
  if (text !== "" || start === end || "macro" in file) return false;
  const isAtStart = start === 0 || file.text[start - 1] === "\n";
  return isAtStart && (end === file.text.length || file.text[end - 1] === "\n");
}
