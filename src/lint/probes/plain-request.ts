import { matchGroupsOf } from "../../proof/requests/sample-text.js";
import type { RewriteCondition, RewriteRule } from "../../server/rewrite/rule-parser.js";

/** The values of variables for a GET request without a user, and without headers that only some clients send. */
const plainValues: readonly (readonly [name: RegExp, value: string])[] = [
  [/^%\{REQUEST_METHOD\}$/i, "GET"],
  [/^%\{HTTP:connection\}$/i, "keep-alive"],
  [/^%\{HTTP:(?!(?:host|user-agent|accept(?:-\w+)?)\})[\w-]+\}$/i, ""],
  [/^%\{(?:HTTP_(?:REFERER|COOKIE|FORWARDED|PROXY_CONNECTION)|REMOTE_USER)\}$/i, ""],
  [/^%\{HTTP_USER_AGENT\}$/i, "Mozilla/5.0"],
];

/**
 * Returns the rules of a list that may apply to a request of a simple client for which the conditions of a rule hold:
 * conditions on other headers, or on the method, exclude the rest.
 */
export function withoutSpecialRules(rules: readonly RewriteRule[], rule: RewriteRule): readonly RewriteRule[] {
  const tested = new Set(rule.conditions.map(({ input }) => input.toLowerCase()));
  return rules.filter((each) => each === rule || !isSpecial(each, tested));
}

/**
 * Reports whether a condition excludes simple clients. Of conditions that `OR` joins, one is enough; if the last one has
 * it, the rule applies (mod_rewrite.c `apply_rewrite_rule`).
 *
 * @param tested the variables that may have any value, in lower case
 */
function isSpecial({ conditions }: RewriteRule, tested: ReadonlySet<string>): boolean {
  let areAllUnmet = true;
  for (const condition of conditions) {
    areAllUnmet &&= !tested.has(condition.input.toLowerCase()) && isUnmet(condition);
    if (condition.orNext) continue;
    if (areAllUnmet) return true;
    areAllUnmet = true;
  }
  return false;
}

/** Reports whether a condition is certainly false for simple clients. */
function isUnmet({ input, test, isNegated, ignoreCase }: RewriteCondition): boolean {
  const value = plainValues.find(([name]) => name.test(input))?.[1];
  if (value === undefined) return false;
  if (test.kind === "text") return test.operator === "=" && (test.operand === value) === isNegated;
  const groups = test.kind === "pattern" ? matchGroupsOf(test.pattern, value, ignoreCase) : undefined;
  return groups !== undefined && (groups !== false) === isNegated;
}
