import type { ConfigLayer } from "../../httpd/model/config-layer.js";
import { type MergeOperator, neutralRule } from "../model/requirement.js";
import { ruleKey } from "../model/rule-nodes.js";
import { factorObligations } from "./factor-obligations.js";
import type { MarkerVariables } from "./marker-variables.js";
import type { ObligationLedger } from "./obligation-ledger.js";
import { groupNumberOf, isMetWithoutRules, type Obligation } from "./obligations.js";
import type { SectionPlan } from "./section-plan.js";

/**
 * Returns a plan that meets all obligations by merging over the underlying sections, which get the remaining
 * obligations; undefined if there is none.
 */
export function mergeOver(
  layer: ConfigLayer,
  obligations: readonly Obligation[],
  ledger: ObligationLedger,
  markers: MarkerVariables,
): SectionPlan | undefined {
  return (
    mergeOverBy("and", layer, obligations, ledger, markers) ?? mergeOverBy("or", layer, obligations, ledger, markers)
  );
}

function mergeOverBy(
  operator: MergeOperator,
  layer: ConfigLayer,
  obligations: readonly Obligation[],
  ledger: ObligationLedger,
  markers: MarkerVariables,
): SectionPlan | undefined {
  if (obligations.some(({ under }) => under !== undefined && under.operator !== operator)) return undefined;
  const parts = ledger.methods.map((_, method) => factorObligations(method, operator, layer, obligations));
  if (!parts.every((part) => part !== undefined)) return undefined;
  const rules = parts.map(({ own }) => markers.selectRule(own));
  if (!rules.every((rule) => rule !== undefined)) return undefined;
  // If the section adds nothing to the merge, it is enough that the underlying ones know it applies.
  const isSilent = rules.every((rule) => ruleKey(rule) === ruleKey(neutralRule(operator)));
  const left = obligations.map(
    (obligation): Obligation => ({
      context: obligation.context,
      depth: obligation.depth - 1,
      markers: markers.mark(layer, obligation.markers),
      isUnchanged: false,
      requirements: parts.map(({ below }) => below.get(obligation)),
      under: isSilent ? obligation.under : { operator, group: groupNumberOf(obligation) },
    }),
  );
  if (!isSilent && left.some(({ requirements }) => requirements.includes(undefined))) return undefined;
  if (!left.every((each) => each.depth > 0 || isMetWithoutRules(each))) return undefined;
  for (const each of left) ledger.oblige(each);
  return isSilent ? { kind: "nothing" } : { kind: "written", operator, rules };
}
