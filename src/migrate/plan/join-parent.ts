import type { ConfigLayer } from "../../httpd/model/config-layer.js";
import { findCommonRule, type MergeOperator, type RequirementPart } from "../model/requirement.js";
import { grantAll, ruleKey } from "../model/rule-nodes.js";
import { factorObligations } from "./factor-obligations.js";
import type { ObligationLedger } from "./obligation-ledger.js";
import { groupByMarkers, groupNumberOf, type Obligation } from "./obligations.js";
import { countRuleLines, isUnchangedPlan, ownRulesByMethod, type SectionPlan } from "./section-plan.js";

/**
 * Returns a plan that meets all obligations by merging with what the underlying sections provide anyway; undefined if
 * it is not shorter than to state everything.
 */
export function joinParent(
  layer: ConfigLayer,
  obligations: readonly Obligation[],
  ledger: ObligationLedger,
): SectionPlan | undefined {
  const [group, ...others] = groupByMarkers(obligations);
  if (group === undefined || others.length > 0) return undefined;
  for (const operator of ["and", "or"] as const)
    for (const part of ["require", "compat"] as const) {
      const plan = joinParentBy(operator, part, layer, obligations, ledger);
      if (plan) return plan;
    }
  return undefined;
}

function joinParentBy(
  operator: MergeOperator,
  part: RequirementPart,
  layer: ConfigLayer,
  obligations: readonly Obligation[],
  ledger: ObligationLedger,
): SectionPlan | undefined {
  const { methods } = ledger;
  if (obligations.some(({ under }) => under !== undefined && under.operator !== operator)) return undefined;
  const parts = methods.map((_, method) => factorObligations(method, operator, layer, obligations, part));
  if (!parts.every((each) => each !== undefined)) return undefined;
  const rules = parts.map(({ own }) => own[0]?.rule ?? grantAll());
  const left = obligations.map((obligation): Obligation => {
    const requirements = parts.map(({ below }) => below.get(obligation));
    const under = { operator, group: groupNumberOf(obligation) };
    return { ...obligation, depth: obligation.depth - 1, requirements, under, isUnchanged: false };
  });
  if (left.every(({ depth }) => depth === 0) || !left.every((each) => ledger.isAlreadyMet(each))) return undefined;
  const own = ownRulesByMethod(layer, methods);
  const isKept = own?.every((rule, method) => rule && ruleKey(rule) === ruleKey(rules[method] ?? rule)) === true;
  const complete = methods.map((_, method) =>
    findCommonRule(obligations.map(({ requirements }) => requirements[method])),
  );
  const length = 1 + (isKept ? 0 : countRuleLines(rules));
  if (
    complete.every((rule) => rule !== undefined) &&
    (countRuleLines(complete) <= length || isUnchangedPlan(layer, complete, own))
  )
    return undefined;
  for (const each of left) ledger.oblige(each);
  return isKept ? { kind: "kept", operator } : { kind: "written", operator, rules };
}
