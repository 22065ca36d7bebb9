import { accessRulesOf } from "../../../server/access/merge.js";
import { isGrantAll, type RequireNode, ruleKey } from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import { getOrCreate } from "../../../text/collections.js";
import type { AccessGoal, AccessGoals } from "./access-goals.js";
import type { MigrationMethods } from "./access-policy.js";
import { sortByNesting } from "./contexts.js";
import type { MigrationPlan } from "./migration-plan.js";
import { authzUnderPlan, findDeviation, type PlannedAuthz } from "./plan-effect.js";
import { ruleOfRequirement } from "./requirement.js";
import {
  deniesEverybody,
  isUnchangedPlan,
  ownRulesByMethod,
  planStandalone,
  type SectionPlan,
} from "./section-plan.js";

/** A form that a section may get, with its effect. */
interface SectionForm {
  readonly plan: SectionPlan;
  readonly authz: PlannedAuthz | undefined;
}

/** How much a gain of access weighs against a loss. */
const GAIN_WEIGHT = 4;

/** Maximum number of rounds over all sections; each one reduces the deviations. */
const MAX_ROUNDS = 8;

/** Maximum number of inherited requirements that a section may restate. */
const MAX_RESTATED = 4;

/**
 * Plans the content of each section as an operator would: its own lines as Require, with AuthMerging or the inherited
 * lines where needed. Starts from each section's own lines, and changes the form of single sections as long as this
 * brings the plan closer to the goals. The plan may change access.
 */
export function planSimply({ methods, goals }: AccessGoals): MigrationPlan {
  const layers = sortByNesting(goals.map(({ context }) => context));
  const goalsOf = new Map<ConfigLayer, AccessGoal[]>();
  for (const goal of goals) for (const layer of goal.context.layers) getOrCreate(goalsOf, layer, () => []).push(goal);
  const chosen = new Map<ConfigLayer, SectionForm>();
  const formsOf = new Map<ConfigLayer, readonly SectionForm[]>();
  for (const layer of layers) {
    const forms = listForms(layer, goalsOf.get(layer) ?? [], methods);
    formsOf.set(layer, forms);
    const [first] = forms;
    if (first) chosen.set(layer, first);
  }
  for (let round = 0, isBetter = true; isBetter && round < MAX_ROUNDS; round++) {
    isBetter = false;
    for (const layer of layers)
      if (chooseBest(layer, formsOf.get(layer) ?? [], goalsOf.get(layer) ?? [], chosen)) isBetter = true;
  }
  const sections = new Map([...chosen].map(([layer, { plan }]) => [layer, plan]));
  return { methods, sections, markers: new Map(), refused: [] };
}

/** Chooses the best form of a section, given those of all others; returns whether it is another one. */
function chooseBest(
  layer: ConfigLayer,
  forms: readonly SectionForm[],
  goals: readonly AccessGoal[],
  chosen: Map<ConfigLayer, SectionForm>,
): boolean {
  const before = chosen.get(layer);
  let best = before;
  let min = Number.POSITIVE_INFINITY;
  for (const form of [...(before ? [before] : []), ...forms]) {
    chosen.set(layer, form);
    const weight = goals.reduce((sum, goal) => sum + weightOf(goal, chosen), 0);
    if (weight >= min) continue;
    best = form;
    min = weight;
  }
  if (best) chosen.set(layer, best);
  return best !== before;
}

function weightOf(goal: AccessGoal, chosen: ReadonlyMap<ConfigLayer, SectionForm>): number {
  const { gains, losses } = findDeviation(goal, (layer) => chosen.get(layer)?.authz);
  return GAIN_WEIGHT * gains + losses;
}

/** Returns the forms that a section may get, the most usual first. */
function listForms(
  layer: ConfigLayer,
  goals: readonly AccessGoal[],
  methods: MigrationMethods,
): readonly SectionForm[] {
  const own = ownRulesByMethod(layer, methods);
  return listPlans(layer, goals, methods).map((plan) => {
    const isKept = plan.kind === "written" && plan.operator === undefined && isUnchangedPlan(layer, plan.rules, own);
    const written: SectionPlan = isKept ? { kind: "kept" } : plan;
    return { plan: written, authz: authzUnderPlan(layer, written, methods) };
  });
}

function listPlans(
  layer: ConfigLayer,
  goals: readonly AccessGoal[],
  methods: MigrationMethods,
): readonly SectionPlan[] {
  const { authz, compat } = accessRulesOf(layer);
  const standalone = planStandalone(layer, methods);
  const own = ownRulesByMethod(layer, methods);
  if (standalone.kind !== "written" && own === undefined) return [standalone];
  if (compat === undefined && deniesEverybody(layer, methods)) return [standalone];
  const kept = own === undefined ? [] : listKeptPlans(own, authz?.merging !== undefined);
  if (standalone.kind !== "written") return [standalone, ...kept, ...restatedPlans(layer, goals)];
  const withInherited: SectionPlan = { ...standalone, operator: "and" };
  // A section that denies everybody is not opened for the sections merged with it.
  if (compat && deniesEverybody(layer, methods)) return [standalone, withInherited];
  const orInherited: SectionPlan = { ...standalone, operator: "or" };
  const nothing: readonly SectionPlan[] = own === undefined ? [{ kind: "nothing" }] : [];
  return [standalone, withInherited, orInherited, ...kept, ...nothing, ...restatedPlans(layer, goals)];
}

/** Returns the plans that keep the Require lines of a section. */
function listKeptPlans(own: readonly (RequireNode | undefined)[], isMerged: boolean): readonly SectionPlan[] {
  if (isMerged) return [];
  // Merged with the inherited lines, `Require all granted` would have no effect.
  const isNeutral = own.every((rule) => rule && isGrantAll(rule));
  const withInherited: readonly SectionPlan[] = isNeutral ? [] : [{ kind: "kept", operator: "and" }];
  return [{ kind: "kept" }, ...withInherited, { kind: "kept", operator: "or" }];
}

/** Returns the plans that restate what requests need that a section is the last one for. */
function restatedPlans(layer: ConfigLayer, goals: readonly AccessGoal[]): readonly SectionPlan[] {
  return requirementsAt(layer, goals).map((rules) => ({ kind: "written", operator: undefined, rules }));
}

/** Returns the most frequent requirements of requests that a section is the last one for. */
function requirementsAt(layer: ConfigLayer, goals: readonly AccessGoal[]): readonly (readonly RequireNode[])[] {
  const found = new Map<string, { readonly rules: readonly RequireNode[]; count: number }>();
  for (const { context, requirements } of goals) {
    if (context.layers.at(-1) !== layer) continue;
    const rules = requirements.flatMap((requirement) => (requirement ? [ruleOfRequirement(requirement)] : []));
    if (rules.length < requirements.length) continue;
    getOrCreate(found, rules.map(ruleKey).join("\n"), () => ({ rules, count: 0 })).count++;
  }
  const sorted = [...found.values()].toSorted((a, b) => b.count - a.count);
  return sorted.slice(0, MAX_RESTATED).map(({ rules }) => rules);
}
