import type { ConfigLayer } from "../../httpd/model/config-layer.js";
import { isWithoutOldDirectives, sortByNesting } from "../model/contexts.js";
import type { AccessGoals } from "../policy/access-goals.js";
import { joinParent } from "./join-parent.js";
import { isSplitFromBelow, type MarkerVariables, type SplitStrategy } from "./marker-variables.js";
import { mergeOver } from "./merge-over.js";
import type { MigrationPlan } from "./migration-plan.js";
import { ObligationLedger } from "./obligation-ledger.js";
import { hasExplicitGrant, inheritObligation, type Obligation } from "./obligations.js";
import {
  deniesEverybody,
  isUnchangedPlan,
  ownRulesByMethod,
  planStandalone,
  type SectionPlan,
} from "./section-plan.js";
import { splitByUnderlying, stateEverything } from "./state-everything.js";

/**
 * Plans the content of each section so that every request is answered as before with Require only. A section that
 * others are merged over has to provide what they need from it, so the innermost sections are planned first.
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
      under: undefined,
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
    !hasExplicitGrant(layer, obligations) &&
    obligations.every((each) => ledger.isMetBelow(each))
  ) {
    for (const each of obligations) ledger.oblige({ ...each, depth: each.depth - 1 });
    return { kind: "nothing" };
  }
  if (obligations.every(needsNoRequire)) return { kind: "wiped" };
  const isClosed = deniesEverybody(layer, methods);
  const joined = isClosed ? undefined : joinParent(layer, obligations, ledger);
  if (joined) return joined;
  const stated = stateEverything(obligations, ledger, markers);
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
