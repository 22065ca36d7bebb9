import type { Directive } from "../project/directive.js";

const known = new WeakMap<Directive, readonly string[]>();

/** The words of a directive that request after request comes by: read once. */
export function wordsOf(directive: Directive): readonly string[] {
  const before = known.get(directive);
  if (before) return before;
  const words = directive.arguments.map(({ value }) => value);
  known.set(directive, words);
  return words;
}

/** The first word of a directive; undefined where there is none. */
export function wordOf(directive: Directive | undefined): string | undefined {
  return directive && wordsOf(directive)[0];
}

/** The first word of a directive that takes one of a few, such as `on` and `off`: in lower case, as httpd compares them. */
export function keywordOf(directive: Directive | undefined): string | undefined {
  return wordOf(directive)?.toLowerCase();
}
