import type { RequireNode } from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import { addMarkerCase, type MarkerCase, type MarkerVariables } from "./marker-variables.js";
import type { ObligationLedger } from "./obligation-ledger.js";
import { groupNumberOf, layerOfObligation, type Obligation } from "./obligations.js";
import { allowAll, denyAll, ruleOfRequirement } from "./requirement.js";
import type { WrittenRules } from "./section-plan.js";

/**
 * Returns rules that meet all obligations independently of the underlying sections, split by the marker variables of
 * the later sections; undefined if these do not suffice.
 */
export function planIndependentRules(
  obligations: readonly Obligation[],
  ledger: ObligationLedger,
  markers: MarkerVariables,
): WrittenRules | undefined {
  return splitByMarkers(obligations, (obligation) => obligation.markers, ledger, markers);
}

/** Returns such rules, split by the marker variables of the underlying sections, too. */
export function splitByUnderlying(
  obligations: readonly Obligation[],
  ledger: ObligationLedger,
  markers: MarkerVariables,
): WrittenRules | undefined {
  return splitByMarkers(
    obligations,
    ({ markers: later, context, depth }) => new Set([...later, ...context.layers.slice(0, depth - 1)]),
    ledger,
    markers,
  );
}

function splitByMarkers(
  obligations: readonly Obligation[],
  markersOf: (obligation: Obligation) => ReadonlySet<ConfigLayer>,
  ledger: ObligationLedger,
  markers: MarkerVariables,
): WrittenRules | undefined {
  const rules: RequireNode[] = [];
  for (const method of ledger.methods.keys()) {
    const cases: MarkerCase[] = [];
    for (const obligation of obligations) {
      const requirement = obligation.requirements[method];
      if (
        requirement === undefined ||
        !addMarkerCase(cases, { markers: markersOf(obligation), rule: ruleOfRequirement(requirement) })
      )
        return undefined;
    }
    const rule = markers.selectRule(cases);
    if (rule === undefined) return undefined;
    rules.push(rule);
  }
  const neutral = obligations.flatMap((each) => neutralBelow(each, ledger) ?? []);
  if (neutral.length > 0 && !markers.areAllowed) return undefined;
  // The sections below have to know that this one applies.
  for (const { layer, obligation } of neutral)
    ledger.oblige({ ...obligation, markers: markers.mark(layer, obligation.markers) });
  return { kind: "written", operator: undefined, rules };
}

/**
 * Returns the obligation on the groups below to be neutral, if there is one. In its group, a section after one that
 * replaces the rules is still merged over the underlying groups.
 */
function neutralBelow(
  obligation: Obligation,
  { methods }: ObligationLedger,
): { readonly layer: ConfigLayer; readonly obligation: Obligation } | undefined {
  const { depth, laterMerge } = obligation;
  const group = groupNumberOf(obligation);
  const layer = layerOfObligation(obligation);
  if (layer === undefined || laterMerge === undefined || laterMerge.group !== group) return undefined;
  const requirements = methods.map(() => (laterMerge.operator === "and" ? allowAll : denyAll));
  let below = depth - 1;
  while (below > 0 && groupNumberOf({ ...obligation, depth: below }) === group) below--;
  return below === 0
    ? undefined
    : { layer, obligation: { ...obligation, depth: below, requirements, isUnchanged: false } };
}
