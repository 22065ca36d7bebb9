import { accessRulesOf } from "../../../server/access/merge.js";
import { grantAll, type RequireNode, requireAllOf, requireAnyOf } from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import type { AccessGoal } from "./access-goals.js";
import type { MigrationMethods } from "./access-policy.js";
import { impliesRule } from "./implication.js";
import { requiresUsers } from "./obligations.js";
import { type Requirement, ruleOfRequirement } from "./requirement.js";
import { ownRulesByMethod, type SectionPlan } from "./section-plan.js";

/** The authorization of a section under a plan; undefined if it has no directives of mod_authz_core. */
export interface PlannedAuthz {
  /** By method; undefined for a method that no line applies to. */
  readonly rules: readonly (RequireNode | undefined)[] | undefined;
  readonly merging: "and" | "or" | "off" | undefined;
}

/** Returns the authorization that a section has under a plan. */
export function authzUnderPlan(
  layer: ConfigLayer,
  plan: SectionPlan,
  methods: MigrationMethods,
): PlannedAuthz | undefined {
  switch (plan.kind) {
    case "nothing":
      return undefined;
    case "wiped":
      return { rules: undefined, merging: "off" };
    case "written":
      return { rules: plan.rules, merging: plan.operator };
    case "kept": {
      const { authz } = accessRulesOf(layer);
      return authz && { rules: ownRulesByMethod(layer, methods), merging: plan.operator ?? authz.merging };
    }
  }
}

/** How the access of requests would differ from their goal. */
export interface PlanDeviation {
  /** Number of methods with clients that would gain access. */
  readonly gains: number;
  /** Number of methods with other differences. */
  readonly losses: number;
}

/**
 * Returns how a plan deviates from the goal of a context. Rules are compared by their structure: an equal result may
 * count as a deviation, but not the other way round.
 *
 * @param authzOf the authorization of each section under the plan
 */
export function findDeviation(
  { context, requirements }: AccessGoal,
  authzOf: (layer: ConfigLayer) => PlannedAuthz | undefined,
): PlanDeviation {
  const merged = mergeAuthz(context.layers, context.groups, authzOf).rules;
  let gains = 0;
  let losses = 0;
  for (const [method, requirement] of requirements.entries()) {
    const rule =
      merged === undefined ? (requiresUsers(context) ? undefined : grantAll()) : (merged[method] ?? grantAll());
    if (!isStricterResult(rule, requirement)) gains++;
    else if (!isLooserResult(rule, requirement)) losses++;
  }
  return { gains, losses };
}

/** @param rule undefined if requests return 500 */
function isStricterResult(rule: RequireNode | undefined, requirement: Requirement | undefined): boolean {
  if (rule === undefined) return true;
  return requirement !== undefined && impliesRule(rule, ruleOfRequirement(requirement));
}

function isLooserResult(rule: RequireNode | undefined, requirement: Requirement | undefined): boolean {
  if (requirement === undefined || rule === undefined) return requirement === rule;
  return impliesRule(ruleOfRequirement(requirement), rule);
}

/** Merges the sections of each group, and the groups (mod_authz_core.c `merge_authz_core_dir_config`). */
function mergeAuthz(
  layers: readonly ConfigLayer[],
  groups: readonly number[],
  authzOf: (layer: ConfigLayer) => PlannedAuthz | undefined,
): PlannedAuthz {
  let merged: PlannedAuthz = { rules: undefined, merging: undefined };
  let group: PlannedAuthz | undefined;
  for (const [index, layer] of layers.entries()) {
    const own = authzOf(layer);
    if (own) group = group ? overlay(group, own) : own;
    if (group && groups[index] !== groups[index + 1]) {
      merged = overlay(merged, group);
      group = undefined;
    }
  }
  return merged;
}

function overlay(base: PlannedAuthz, inner: PlannedAuthz): PlannedAuthz {
  const { merging } = inner;
  if (merging === undefined && inner.rules === undefined && base.rules !== undefined) return base;
  if (merging === "off" || merging === undefined) return inner;
  const { rules: first } = base;
  const { rules: second } = inner;
  if (first === undefined || second === undefined) return { rules: first ?? second, merging };
  const join = merging === "and" ? requireAllOf : requireAnyOf;
  const rules = first.map((rule, method) => {
    const other = second[method];
    return rule && other ? join([rule, other]) : (rule ?? other);
  });
  return { rules, merging };
}
