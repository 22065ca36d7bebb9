import { isDenyAll, isGrantAll, type RuleNode } from "../model/rule-nodes.js";

/** Describes the clients that a rule allows, as a clause. @param rule undefined if no Require can express it */
export function describeRule(rule: RuleNode | undefined): string {
  if (rule === undefined) return "requests fail with status 500";
  if (isGrantAll(rule)) return "every client is allowed";
  if (isDenyAll(rule)) return "no client is allowed";
  return `clients are allowed by ${describeCondition(rule)}`;
}

const joins = { all: " and ", any: " or ", none: " or " } as const;

function describeCondition(rule: RuleNode): string {
  if (rule.kind === "line") return `\`Require ${rule.negated ? "not " : ""}${rule.words}\``;
  const parts = rule.rules.map((each) =>
    each.kind === "line" ? describeCondition(each) : `(${describeCondition(each)})`,
  );
  return `${rule.kind === "none" ? "none of " : ""}${parts.join(joins[rule.kind])}`;
}
