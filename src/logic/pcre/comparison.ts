import { isEmptyLanguage } from "../automata/automaton.js";
import { AutomatonAlgebra } from "../automata/operations.js";
import { parsePattern } from "./language.js";

/** The most states of an automaton. */
const MAX_STATES = 2000;

/**
 * Reports how many of the texts that one pattern matches as a whole are matched by another; "unknown" also for "some of
 * them", and if a pattern is not regular or too complex.
 *
 * @param ignoreCase of the other pattern
 */
export function comparePatterns(texts: string, pattern: string, ignoreCase: boolean): "all" | "none" | "unknown" {
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
