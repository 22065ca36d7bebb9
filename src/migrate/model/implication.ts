import { isDenyAll, isGrantAll, type RuleNode, ruleKey } from "./rule-nodes.js";

/**
 * Reports whether each request that one rule allows is allowed by another, as far as their structure shows it. Lines
 * are compared by their words only.
 */
export function impliesRule(rule: RuleNode, other: RuleNode): boolean {
  if (isDenyAll(rule) || isGrantAll(other) || ruleKey(rule) === ruleKey(other)) return true;
  if (rule.kind === "any") return rule.rules.every((each) => impliesRule(each, other));
  if (other.kind === "all") return other.rules.every((each) => impliesRule(rule, each));
  return (
    (rule.kind === "all" && rule.rules.some((each) => impliesRule(each, other))) ||
    (other.kind === "any" && other.rules.some((each) => impliesRule(rule, each)))
  );
}
