import type { Argument } from "../../grammar/ast.js";

const space = /[\t-\r ]/;

/**
 * The words of a RewriteRule or RewriteCond line as mod_rewrite reads them for itself (`parseargline`): up to three, the
 * second one possibly empty; none where the first has no end.
 */
export function rewriteWords(text: string): readonly [Argument, Argument, Argument?] | undefined {
  const first = readWord(text, 0);
  if (first.next > text.length) return undefined;
  const second = readWord(text, first.next);
  const third = readWord(text, second.next);
  return third.word.start < text.length ? [first.word, second.word, third.word] : [first.word, second.word];
}

/** Whether a RewriteRule hands requests on to a backend, by its flag P however that is written. */
export function hasProxyFlag(text: string): boolean {
  return /\[(?:.*,)?\s*(?:P|proxy)\s*[\],]/i.test(text);
}

/** A backslash keeps white space behind it in the word, also in quotes, and stays in it; it saves no quote. */
const wordIn: Readonly<Record<string, RegExp>> = {
  '"': /(?:\\[\t-\r ]|[^"])*/y,
  "'": /(?:\\[\t-\r ]|[^'])*/y,
  "": /(?:\\[\t-\r ]|[^\t-\r ])*/y,
};

function readWord(text: string, from: number): { word: Argument; next: number } {
  let start = Math.min(from, text.length);
  while (space.test(text.charAt(start))) start++;
  const first = text.charAt(start);
  const mark = first === '"' || first === "'" ? first : "";
  const value = matchAt(wordIn[mark], text, start + mark.length);
  const end = start + mark.length + value.length;
  const unclosed = end >= text.length;
  const quote = mark === "" ? "none" : mark === '"' ? "double" : "single";
  return { word: { value, start, end: end + (unclosed ? 0 : mark.length), quote, unclosed }, next: end + 1 };
}

function matchAt(pattern: RegExp | undefined, text: string, at: number): string {
  if (pattern === undefined) return "";
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
