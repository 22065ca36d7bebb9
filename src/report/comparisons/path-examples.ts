import type { Directive } from "../../config/model/directive.js";

/** The words of some lines that may name the last part of a path, in lower case. */
export type NamedWords = ReadonlySet<string>;

/** Returns the words in the arguments of lines; the parts of patterns and wildcards do not count. */
export function collectNamedWords(lines: Iterable<Pick<Directive, "argumentText">>): NamedWords {
  const texts = new Set([...lines].map(({ argumentText }) => argumentText));
  return new Set([...texts].flatMap((text) => text.toLowerCase().match(/(?<![\w.%*\\-])[\w.%-]+/g) ?? []));
}

/**
 * Marks quoted paths as examples, unless a line names the first of them: `any other path, e.g. \`/a\``.
 *
 * @param first the first of the paths
 */
export function markExamples(quoted: string, first: string, names: NamedWords): string {
  const last = first.replace(/\/$/, "").replace(/^.*\//s, "");
  if (last === "" || names.has(last.toLowerCase())) return quoted;
  return `${/^\/[a-z]$/.test(first) ? "any other path, " : ""}e.g. ${quoted}`;
}
