import type { SentText } from "../scope/looks.js";
import { sampleOfPattern } from "../witness/sample-text.js";

/** So many ways of sending headers are tried. */
const MOST_TRIES = 32;

type Headers = Readonly<Record<string, string>>;

/**
 * Headers that may make tests come out as wanted, none at all first; whoever sends them sees for himself whether they do.
 *
 * @param tests of single headers, by their words
 * @param wanted the words of those that are to hold
 */
export function headersFor(tests: ReadonlyMap<string, SentText>, wanted: ReadonlySet<string>): readonly Headers[] {
  const values = new Map<string, Set<string>>();
  for (const [words, { header, pattern, text }] of tests) {
    const known = values.get(header) ?? new Set(["x"]);
    // The Host header leads to the server.
    if (header.toLowerCase() === "host") continue;
    values.set(header, known);
    const value = text ?? (pattern === undefined ? undefined : sampleOfPattern(pattern));
    if (value !== undefined && wanted.has(words)) known.add(value);
  }
  let tries: Headers[] = [{}];
  for (const [header, all] of values) {
    const longer = tries.flatMap((each) => [...all].map((value) => ({ ...each, [header]: value })));
    tries = [...tries, ...longer].slice(0, MOST_TRIES);
  }
  return tries;
}
