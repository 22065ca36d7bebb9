import { accessRulesOf, mergeRequireRules } from "../../access/rules/merge.js";
import { type ConfigLayer, keywordArgumentOf } from "../../httpd/model/config-layer.js";
import type { MergeContext } from "../model/contexts.js";
import {
  allowAll,
  buildRequirement,
  denyAll,
  type MergeOperator,
  type Requirement,
  ruleOfRequirement,
} from "../model/requirement.js";
import { ruleKey } from "../model/rule-nodes.js";
import type { AccessPolicy, MigrationMethods } from "../policy/access-policy.js";
import { convertRequireRules } from "../policy/convert-rules.js";

/** The required result of merging some sections. */
export interface Obligation {
  readonly context: MergeContext;
  /** Number of the context's sections that are merged, from the outermost. */
  readonly depth: number;
  /** The sections after these that set their marker variable. */
  readonly marks: ReadonlySet<ConfigLayer>;
  readonly requirements: AccessPolicy;
  /** The operator that merges the later sections of the same group over all underlying ones. */
  readonly under: { readonly operator: MergeOperator; readonly group: number } | undefined;
  /** Whether the result holds unchanged, because none of the sections has mod_access_compat directives. */
  readonly isUnchanged: boolean;
}

/** Returns the innermost of the merged sections; undefined if there is none. */
export function layerOfObligation({ context, depth }: Obligation): ConfigLayer | undefined {
  return context.layers[depth - 1];
}

/** Returns the group number of the innermost section. */
export function groupNumberOf({ context, depth }: Obligation): number {
  return context.groups[depth - 1] ?? -1;
}

/** Returns the obligation on the sections below the innermost, from how Require lines merge today. */
export function inheritObligation(demand: Obligation, methods: MigrationMethods): Obligation {
  const { context, depth } = demand;
  const left = new Set(context.layers.slice(0, depth - 1));
  const groups = context.config.groups.map(({ kind, layers }) => ({
    kind,
    layers: layers.filter((layer) => left.has(layer)),
  }));
  const set = mergeRequireRules(groups);
  const wants = methods.map((method) => set && buildRequirement(undefined, convertRequireRules(set, method), false));
  return { ...demand, depth: depth - 1, requirements: wants };
}

/** Obligations whose later sections set the same marker variables. */
export interface ObligationGroup {
  readonly marks: ReadonlySet<ConfigLayer>;
  readonly obligations: readonly Obligation[];
}

export function groupByMarkers(demands: readonly Obligation[]): readonly ObligationGroup[] {
  const groups: { readonly marks: ReadonlySet<ConfigLayer>; readonly obligations: Obligation[] }[] = [];
  for (const demand of demands) {
    const known = groups.find(({ marks }) => isSameLayerSet(marks, demand.marks));
    if (known) known.obligations.push(demand);
    else groups.push({ marks: demand.marks, obligations: [demand] });
  }
  return groups;
}

export function isSameLayerSet(a: ReadonlySet<ConfigLayer>, b: ReadonlySet<ConfigLayer>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

/** Reports whether two obligations concern the same sections with the same marker variables set. */
export function hasSameLayers(a: Obligation, b: Obligation): boolean {
  return (
    a.depth === b.depth &&
    isSameLayerSet(a.marks, b.marks) &&
    a.context.layers.slice(0, a.depth).every((layer, index) => layer === b.context.layers[index])
  );
}

export function hasSameRequirements(a: Obligation, b: Obligation): boolean {
  return a.requirements.every((want, method) => requirementKey(want) === requirementKey(b.requirements[method]));
}

function requirementKey(want: Requirement | undefined): string {
  return want === undefined ? "none" : ruleKey(ruleOfRequirement(want));
}

/**
 * Reports whether no section is needed to meet an obligation. Then nothing may deny, and nothing may grant on its own;
 * 2.4 returns 500 if it needs a Require.
 */
export function isMetWithoutRules({ context, requirements, under }: Obligation): boolean {
  return requirements.every((want) => {
    if (want === undefined) return under === undefined;
    return isNeutralRequirement(want, under?.operator ?? "and") && (under !== undefined || !asksUsers(context));
  });
}

/** Reports whether an AuthType applies; 2.4 then needs a Require. */
function asksUsers({ state }: MergeContext): boolean {
  const type = keywordArgumentOf(state.config.setting("authtype"));
  return type !== undefined && type !== "none";
}

/** Reports whether a requirement changes nothing when merged over another. */
export function isNeutralRequirement(want: Requirement, operator: MergeOperator): boolean {
  return ruleKey(ruleOfRequirement(want)) === ruleKey(ruleOfRequirement(operator === "and" ? allowAll : denyAll));
}

/** Reports whether sections of other groups are below the innermost. */
export function overridesOtherGroups(demand: Obligation): boolean {
  return demand.context.groups.slice(0, demand.depth).some((group) => group !== groupNumberOf(demand));
}

/** Reports whether a section only states `Allow from all` or the like. It is restated, since readers rely on it. */
export function hasExplicitGrant(layer: ConfigLayer, demands: readonly Obligation[]): boolean {
  const { old } = accessRulesOf(layer);
  if (old === undefined || old.orders.length + old.hosts.length === 0) return false;
  return demands.every(
    ({ requirements, marks }) =>
      marks.size === 0 && requirements.every((want) => want && isNeutralRequirement(want, "and")),
  );
}
