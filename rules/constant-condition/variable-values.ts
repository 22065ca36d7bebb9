import {
  comparePatterns,
  escapePattern,
  type RewriteCondition,
  type VariableValues,
  valuesOfVariable,
} from "../../src/lint/api/configuration.js";

/** The variable that a condition tests, if it tests nothing else: in upper case, as mod_rewrite compares it. */
export function variableOf({ input }: RewriteCondition): string | undefined {
  return /^%\{(\w+)\}$/.exec(input)?.[1]?.toUpperCase();
}

/** Returns what is known about the values that a condition tests. */
export function valuesOf(condition: RewriteCondition): VariableValues | undefined {
  return valuesOfVariable(variableOf(condition) ?? "");
}

/** The values that browsers send in a header for a web socket, as a pattern. */
const headerValues: ReadonlyMap<string, VariableValues> = new Map([
  [
    "UPGRADE",
    {
      texts: "(?:websocket|h2c)?",
      note: "browsers send `websocket`, and the pattern is case-sensitive",
      isUsual: true,
    },
  ],
  [
    "CONNECTION",
    {
      texts: "(?:(?:keep-alive, )?Upgrade|keep-alive|close)?",
      note: "browsers send `Upgrade`, and the pattern is case-sensitive",
      isUsual: true,
    },
  ],
]);

/** Returns the values of a header whose case a condition does not have: it never holds for them, and it does with NC. */
export function valuesInOtherCase(condition: RewriteCondition): VariableValues | undefined {
  const name = /^%\{HTTP:([\w-]+)\}$/i.exec(condition.input)?.[1]?.toUpperCase();
  const values = headerValues.get(name ?? "");
  const pattern = patternOf(condition);
  if (values === undefined || pattern === undefined || condition.ignoreCase || condition.isNegated) return undefined;
  const isOfCase =
    constantResultOf(condition, pattern, values) === false &&
    constantResultOf({ ...condition, ignoreCase: true }, pattern, values) === undefined;
  return isOfCase ? values : undefined;
}

/** Returns the pattern that a condition compares with; undefined for other tests. */
export function patternOf({ test }: RewriteCondition): string | undefined {
  if (test.kind === "pattern") return test.pattern;
  return test.kind === "text" && test.operator === "=" ? `^${escapePattern(test.operand)}$` : undefined;
}

/** Returns whether a condition holds for each value of its variable or for none; undefined if that depends on the value. */
export function constantResultOf(
  { isNegated, ignoreCase }: Pick<RewriteCondition, "isNegated" | "ignoreCase">,
  pattern: string,
  { texts }: VariableValues,
): boolean | undefined {
  const result = comparePatterns(texts, pattern, ignoreCase);
  return result === "unknown" ? undefined : (result === "all") !== isNegated;
}
