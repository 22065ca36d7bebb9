import { grantAll, ruleKey } from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import type { AccessGoals } from "./access-goals.js";
import { isWithoutOldDirectives, sortByNesting } from "./contexts.js";
import { factorObligations } from "./factor-obligations.js";
import { planIndependentRules, splitByUnderlying } from "./independent-rules.js";
import { isSplitFromBelow, type MarkerVariables, type SplitStrategy } from "./marker-variables.js";
import type { MigrationPlan } from "./migration-plan.js";
import { ObligationLedger } from "./obligation-ledger.js";
import {
  groupByMarkers,
  groupNumberOf,
  hasExplicitResult,
  inheritObligation,
  isMetWithoutRules,
  type Obligation,
} from "./obligations.js";
import { findCommonRule, type MergeOperator, neutralRule, type RequirementPart } from "./requirement.js";
import {
  countRuleLines,
  deniesEverybody,
  isUnchangedPlan,
  ownRulesByMethod,
  planStandalone,
  type SectionPlan,
} from "./section-plan.js";

/**
 * Plans the content of each section so that every request is answered as before with Require only. A section must
 * provide what the sections merged over it need, so the innermost sections are planned first.
 */
export function planExactly(
  { methods, goals }: AccessGoals,
  markers: MarkerVariables,
  strategy: SplitStrategy,
): MigrationPlan {
  const ledger = new ObligationLedger(methods);
  for (const { context, requirements } of goals)
    ledger.oblige({
      context,
      depth: context.layers.length,
      markers: new Set(),
      requirements,
      laterMerge: undefined,
      isUnchanged: isWithoutOldDirectives(context),
    });
  const sections = new Map<ConfigLayer, SectionPlan>();
  for (const layer of sortByNesting(goals.map(({ context }) => context)).toReversed()) {
    const plan = planSection(layer, ledger, markers, strategy);
    if (plan) sections.set(layer, plan);
    else ledger.refuse(layer);
  }
  return { methods, sections, markers: markers.usedIn(sections.values()), refused: ledger.refused };
}

/** Plans a section after those that are merged over it. */
function planSection(
  layer: ConfigLayer,
  ledger: ObligationLedger,
  markers: MarkerVariables,
  strategy: SplitStrategy,
): SectionPlan | undefined {
  const { methods } = ledger;
  const obligations = ledger.obligationsOn(layer);
  if (obligations.length === 0) return planStandalone(layer, methods);
  if (obligations.every((each) => each.isUnchanged)) {
    for (const each of obligations) ledger.oblige(inheritObligation(each, methods));
    return { kind: "kept" };
  }
  const own = ownRulesByMethod(layer, methods);
  if (
    own === undefined &&
    !hasExplicitResult(layer, obligations) &&
    obligations.every((each) => ledger.isMetBelow(each))
  ) {
    for (const each of obligations) ledger.oblige({ ...each, depth: each.depth - 1 });
    return { kind: "nothing" };
  }
  if (obligations.every(needsNoRequire)) return { kind: "wiped" };
  const isClosed = deniesEverybody(layer, methods);
  const joined = isClosed ? undefined : joinParent(layer, obligations, ledger);
  if (joined) return joined;
  const stated = planIndependentRules(obligations, ledger, markers);
  if (stated) return isUnchangedPlan(layer, stated.rules, own) ? { kind: "kept" } : stated;
  const isSplitFirst = isClosed || isSplitFromBelow(layer, strategy);
  return (
    (isSplitFirst ? splitByUnderlying(obligations, ledger, markers) : undefined) ??
    mergeOver(layer, obligations, ledger, markers) ??
    splitByUnderlying(obligations, ledger, markers)
  );
}

function needsNoRequire({ requirements }: Obligation): boolean {
  return requirements.every((requirement) => requirement === undefined);
}

/**
 * Returns a plan that meets all obligations by merging with what the underlying sections provide anyway; undefined if
 * it is not shorter than to state everything.
 */
function joinParent(
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
  if (obligations.some(({ laterMerge }) => laterMerge !== undefined && laterMerge.operator !== operator))
    return undefined;
  const parts = methods.map((_, method) => factorObligations(method, operator, layer, obligations, part));
  if (!parts.every((each) => each !== undefined)) return undefined;
  const rules = parts.map(({ own }) => own[0]?.rule ?? grantAll());
  const left = obligations.map((obligation): Obligation => {
    const requirements = parts.map(({ below }) => below.get(obligation));
    const laterMerge = { operator, group: groupNumberOf(obligation) };
    return { ...obligation, depth: obligation.depth - 1, requirements, laterMerge, isUnchanged: false };
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

/**
 * Returns a plan that meets all obligations by merging over the underlying sections, which get the remaining
 * obligations; undefined if there is none.
 */
function mergeOver(
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
  if (obligations.some(({ laterMerge }) => laterMerge !== undefined && laterMerge.operator !== operator))
    return undefined;
  const parts = ledger.methods.map((_, method) => factorObligations(method, operator, layer, obligations));
  if (!parts.every((part) => part !== undefined)) return undefined;
  const rules = parts.map(({ own }) => markers.selectRule(own));
  if (!rules.every((rule) => rule !== undefined)) return undefined;
  // If the section adds nothing to the merge, it is enough that the underlying ones know it applies.
  const isNeutral = rules.every((rule) => ruleKey(rule) === ruleKey(neutralRule(operator)));
  const left = obligations.map(
    (obligation): Obligation => ({
      context: obligation.context,
      depth: obligation.depth - 1,
      markers: markers.mark(layer, obligation.markers),
      isUnchanged: false,
      requirements: parts.map(({ below }) => below.get(obligation)),
      laterMerge: isNeutral ? obligation.laterMerge : { operator, group: groupNumberOf(obligation) },
    }),
  );
  if (!isNeutral && left.some(({ requirements }) => requirements.includes(undefined))) return undefined;
  if (!left.every((each) => each.depth > 0 || isMetWithoutRules(each))) return undefined;
  for (const each of left) ledger.oblige(each);
  return isNeutral ? { kind: "nothing" } : { kind: "written", operator, rules };
}
