import { allRules } from "../../../../rules/index.js";
import { formerRules } from "../../../lint/former-rules.js";
import { allRulesName, ruleGroups } from "../../../lint/rule-groups.js";
import { findClosestWord } from "../../../text/closest-word.js";
import { formatWordList } from "../../../text/words.js";

/** The names that select rules: `ALL`, groups and rules. */
const ruleNames: readonly string[] = [allRulesName, ...ruleGroups, ...allRules.map(({ id }) => id)];

/** Limit of the suggested names. */
const MAX_SUGGESTIONS = 3;

/** Reports whether a name selects rules; ids of the previous version do, too. */
export function isRuleName(name: string): boolean {
  return ruleNames.includes(name) || formerRules.has(name);
}

/** Returns the error message for a name that selects no rule, with the names that are similar or contain its words. */
export function describeUnknownRule(name: string): string {
  const near = suggestRuleNames(name).map((each) => `\`${each}\``);
  const advice =
    near.length === 0 ? "`httpd-lint rules` lists all rules" : `did you mean ${formatWordList(near, "or")}?`;
  return `unknown rule \`${name}\`; ${advice}`;
}

function suggestRuleNames(name: string): readonly string[] {
  const closest = findClosestWord(name, ruleNames);
  if (closest !== undefined) return [closest];
  const former = findClosestWord(name, formerRules.keys());
  const successor = former === undefined ? undefined : formerRules.get(former);
  if (successor !== undefined) return [successor];
  const words = name
    .toLowerCase()
    .split(/[\W_]+/)
    .filter((word) => word.length > 2);
  if (words.length === 0) return [];
  return ruleNames.filter((each) => words.every((word) => each.includes(word))).slice(0, MAX_SUGGESTIONS);
}
