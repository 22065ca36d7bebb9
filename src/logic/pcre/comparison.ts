import { getOrCreate } from "../../text/collections.js";
import { isEmptyLanguage } from "../automata/automaton.js";
import { AutomatonAlgebra } from "../automata/operations.js";
import { parsePattern } from "./language.js";

/** The most states of an automaton. */
const MAX_STATES = 2000;

export type PatternComparison = "all" | "none" | "unknown";

const MAX_KNOWN = 1000;
const known = new Map<string, PatternComparison>();

/**
 * Reports how many of the texts that one pattern matches as a whole are matched by another; "unknown" also for "some of
 * them", and if a pattern is not regular or too complex.
 *
 * @param ignoreCase of the other pattern
 */
export function comparePatterns(texts: string, pattern: string, ignoreCase: boolean): PatternComparison {
  if (known.size >= MAX_KNOWN) known.clear();
  return getOrCreate(known, `${ignoreCase} ${texts}\n${pattern}`, () => computeComparison(texts, pattern, ignoreCase));
}

function computeComparison(texts: string, pattern: string, ignoreCase: boolean): PatternComparison {
  const possible = parsePattern(`^(?:${texts})$`);
  const sought = parsePattern(pattern, { ignoreCase });
  if (possible.kind !== "regular" || sought.kind !== "regular") return "unknown";
  const algebra = new AutomatonAlgebra(MAX_STATES);
  const all = algebra.of(possible.texts);
  const matching = algebra.and(all, algebra.of(sought.texts));
  if (matching === "too large") return "unknown";
  if (isEmptyLanguage(matching)) return "none";
  return algebra.isWithin(all, matching) === true ? "all" : "unknown";
}
