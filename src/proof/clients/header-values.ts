import { areContradictory, escapePattern, findPassingText, type PatternTest } from "../../regex/pcre/comparison.js";
import type { HeaderTest } from "../../server/model/dependency-tracker.js";
import type { UnknownFact } from "../../server/model/unknown-facts.js";
import { getOrCreate } from "../../text/collections.js";

/** A test of a header, and its result. */
export interface TestedHeader {
  /** That it holds. */
  readonly fact: UnknownFact;
  readonly test: HeaderTest;
  readonly holds: boolean;
}

/** Returns the results that tests have in a model, by the header in lower case. */
export function groupByHeader(
  tests: ReadonlyMap<UnknownFact, HeaderTest>,
  wanted: ReadonlySet<UnknownFact>,
): ReadonlyMap<string, readonly TestedHeader[]> {
  const found = new Map<string, TestedHeader[]>();
  for (const [fact, test] of tests)
    getOrCreate(found, test.header.toLowerCase(), () => []).push({ fact, test, holds: wanted.has(fact) });
  return found;
}

/**
 * Reports whether it is proved that no value of a header gives tests their results.
 *
 * @param possible tests that all possible values pass
 */
export function haveNoValue(tested: readonly TestedHeader[], possible: readonly PatternTest[] = []): boolean {
  return areContradictory([...possible, ...tested.flatMap(patternTestsOf)]);
}

/** Returns a value of a header that gives tests their results, if one is found; the caller verifies it. */
export function findValue(tested: readonly TestedHeader[], possible: readonly PatternTest[] = []): string | undefined {
  return findPassingText([...possible, ...tested.flatMap(patternTestsOf)]);
}

/** Returns the test of values with the same result; nothing if these are not known. */
function patternTestsOf({ test: { pattern, text, comparison }, holds }: TestedHeader): readonly PatternTest[] {
  if (comparison === undefined) return [];
  const { ignoreCase } = comparison;
  const isNegated = comparison.isNegated === holds;
  if (pattern !== undefined) return [{ pattern, ignoreCase, isNegated }];
  return text === undefined ? [] : [{ pattern: `^${escapePattern(text)}$`, ignoreCase, isNegated }];
}
