import { comparePatterns, type PatternComparison } from "../../regex/pcre/comparison.js";
import { getOrCreate } from "../../text/collections.js";
import type { UnknownFact } from "./unknown-facts.js";

/** A text that is not known. */
export interface UnknownValue {
  readonly unknown: UnknownFact;
  /** A pattern that matches all possible values as a whole; undefined if any text is possible. */
  readonly values?: string | undefined;
}

export function isUnknown(value: unknown): value is UnknownValue {
  return typeof value === "object" && value !== null && "unknown" in value;
}

const KNOWN_LIMIT = 5_000;
/** A rule with the flag N may ask thousands of times. */
const knownMatches = new Map<string, PatternComparison>();

/** Reports whether a pattern matches all possible values of a text, or none. */
export function matchUnknownValue(
  { values = "[\\s\\S]*" }: UnknownValue,
  pattern: string,
  ignoreCase = false,
): PatternComparison {
  if (knownMatches.size >= KNOWN_LIMIT) knownMatches.clear();
  return getOrCreate(knownMatches, `${ignoreCase}\0${values}\0${pattern}`, () =>
    comparePatterns(values, pattern, ignoreCase),
  );
}

/** Reports whether a text may have a value. */
export function mayEqual({ values }: UnknownValue, text: string): boolean {
  return values === undefined || new RegExp(`^(?:${values})$`, "s").test(text);
}
