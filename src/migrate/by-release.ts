import type { Comparison, Difference } from "../compare/compare.js";
import type { Directive } from "../project/directive.js";

/**
 * Where 2.4 refuses what a rule of rewriting leads to, as 2.2 does not: a question mark out of the path (AH10508), control
 * characters in the query (AH10410, AH10411).
 */
const refusals = /^AH(?:10508|10410|10411)\b/;

/** What 2.4 refuses whatever the rules about access say, by lines that decide before as well. */
export type ByRelease = Pick<Comparison, "differences" | "methods">;

/** A comparison of 2.2 with 2.4 in two parts. */
interface Divided {
  /** What rules about access may have a say in. */
  readonly comparison: Comparison;
  readonly byRelease: ByRelease;
}

/**
 * Sets aside what the release makes: nobody who is refused there could be let in by any rule about access, and who gets what
 * else is compared all the same.
 */
export function withoutRelease(comparison: Comparison): Divided {
  const { methods } = comparison;
  const made = comparison.differences.filter(isOfRelease);
  const byRelease: ByRelease = { differences: made, methods };
  if (made.length === 0) return { comparison, byRelease };
  const differences = comparison.differences.filter((each) => !made.includes(each));
  const isEquivalent = differences.length + comparison.unproved.length === 0;
  const verdict = isEquivalent ? "equivalent" : differences.length > 0 ? "different" : "unknown";
  return { comparison: { ...comparison, differences, verdict }, byRelease };
}

function isOfRelease({ before, after }: Difference): boolean {
  const [old, ...others] = before.decidedBy;
  const [now, ...more] = after.decidedBy;
  if (old === undefined || now === undefined || others.length + more.length > 0) return false;
  return before.class === "allowed" && isSameRule(old, now) && after.log.some((line) => refusals.test(line));
}

function isSameRule(old: Directive, now: Directive): boolean {
  return old.key === "rewriterule" && now.key === old.key && now.argumentText === old.argumentText;
}
