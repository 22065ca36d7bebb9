/** Constructs of PCRE that are left out of the regular patterns, by how they start. The first that fits counts. */
const constructs: readonly (readonly [RegExp, string])[] = [
  [/^\(\?(?:<?[=!*])/, "looking around"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?\(/, "a condition"],
  [/^\(\?P=/, "a back reference"],
  [/^\(\?(?:R|[+-]?\d|&|P>)/, "a recursion"],
  [/^\(\?C/, "a callout"],
  [/^\(\*/, "a verb"],
  [/^\\[bB]/, "a word boundary"],
  [/^\\g[<']/, "a recursion"],
  [/^\\[1-9gk]/, "a back reference"],
  [/^\\[pP]/, "a Unicode property"],
];

/** The name of the construct that starts at a place; undefined where it is none of those that have one. */
export function constructAt(text: string, at: number): string | undefined {
  const start = text.slice(at, at + 5);
  return constructs.find(([form]) => form.test(start))?.[1];
}
