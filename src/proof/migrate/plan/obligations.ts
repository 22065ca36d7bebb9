import type { CompatRules } from "../../../server/access/compat-rules.js";
import { accessRulesOf, mergeRequireRules } from "../../../server/access/merge.js";
import { ruleKey } from "../../../server/access/require-nodes.js";
import { type ConfigLayer, keywordArgumentOf } from "../../../server/model/config-layer.js";
import type { AccessPolicy, MigrationMethods } from "./access-policy.js";
import type { MergeContext } from "./contexts.js";
import { convertRequireRules } from "./convert-require.js";
import {
  allowAll,
  buildRequirement,
  denyAll,
  type MergeOperator,
  type Requirement,
  ruleOfRequirement,
} from "./requirement.js";

/** The required result of merging some sections. */
export interface Obligation {
  readonly context: MergeContext;
  /** Number of the context's sections that are merged, from the outermost. */
  readonly depth: number;
  /** The sections after these that set their marker variable. */
  readonly markers: ReadonlySet<ConfigLayer>;
  readonly requirements: AccessPolicy;
  /** The operator that merges the later sections of the same group over all underlying ones. */
  readonly laterMerge: { readonly operator: MergeOperator; readonly group: number } | undefined;
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
export function inheritObligation(obligation: Obligation, methods: MigrationMethods): Obligation {
  const { context, depth } = obligation;
  const left = new Set(context.layers.slice(0, depth - 1));
  const groups = context.config.groups.map(({ kind, layers }) => ({
    kind,
    layers: layers.filter((layer) => left.has(layer)),
  }));
  const set = mergeRequireRules(groups);
  const requirements = methods.map(
    (method) => set && buildRequirement(undefined, convertRequireRules(set, method), false),
  );
  return { ...obligation, depth: depth - 1, requirements };
}

/** Obligations whose later sections set the same marker variables. */
export interface ObligationGroup {
  readonly markers: ReadonlySet<ConfigLayer>;
  readonly obligations: readonly Obligation[];
}

export function groupByMarkers(obligations: readonly Obligation[]): readonly ObligationGroup[] {
  const groups: { readonly markers: ReadonlySet<ConfigLayer>; readonly obligations: Obligation[] }[] = [];
  for (const obligation of obligations) {
    const known = groups.find(({ markers }) => isSameLayerSet(markers, obligation.markers));
    if (known) known.obligations.push(obligation);
    else groups.push({ markers: obligation.markers, obligations: [obligation] });
  }
  return groups;
}

export function isSameLayerSet(a: ReadonlySet<ConfigLayer>, b: ReadonlySet<ConfigLayer>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

/** Returns a key that is equal for obligations that ask for the same result. */
export function requirementsKey({ requirements }: Obligation): string {
  return requirements.map(requirementKey).join("\n");
}

function requirementKey(requirement: Requirement | undefined): string {
  return requirement === undefined ? "none" : ruleKey(ruleOfRequirement(requirement));
}

/**
 * Reports whether no section is needed to meet an obligation. Then nothing may deny, and nothing may grant on its own;
 * 2.4 returns 500 if it needs a Require.
 */
export function isMetWithoutRules({ context, requirements, laterMerge }: Obligation): boolean {
  return requirements.every((requirement) => {
    if (requirement === undefined) return laterMerge === undefined;
    return (
      isNeutralRequirement(requirement, laterMerge?.operator ?? "and") &&
      (laterMerge !== undefined || !requiresUsers(context))
    );
  });
}

/** Reports whether an AuthType applies; 2.4 then needs a Require. */
export function requiresUsers({ state }: MergeContext): boolean {
  const type = keywordArgumentOf(state.config.setting("authtype"));
  return type !== undefined && type !== "none";
}

/** Reports whether a requirement changes nothing when merged over another. */
export function isNeutralRequirement(requirement: Requirement, operator: MergeOperator): boolean {
  return (
    ruleKey(ruleOfRequirement(requirement)) === ruleKey(ruleOfRequirement(operator === "and" ? allowAll : denyAll))
  );
}

/** Reports whether sections of other groups are below the innermost. */
export function overridesOtherGroups(obligation: Obligation): boolean {
  return obligation.context.groups.slice(0, obligation.depth).some((group) => group !== groupNumberOf(obligation));
}

/**
 * Reports whether a section states what all its requests get: that every client is allowed, or none. It is restated even
 * if the underlying sections result in the same, since readers rely on it.
 */
export function hasExplicitResult(layer: ConfigLayer, obligations: readonly Obligation[]): boolean {
  const { compat } = accessRulesOf(layer);
  if (compat === undefined || compat.orders.length + compat.hosts.length === 0) return false;
  const isFor = (operator: MergeOperator) =>
    obligations.every(
      ({ requirements, markers }) =>
        markers.size === 0 &&
        requirements.every((requirement) => requirement && isNeutralRequirement(requirement, operator)),
    );
  return isFor("and") || (isDenial(compat) && isFor("or"));
}

/** Reports whether rules only deny, and do so for all clients of some methods. */
function isDenial({ hosts, orders, satisfies }: CompatRules): boolean {
  if (satisfies.length > 0 || hosts.some(({ list }) => list === "allow")) return false;
  return hosts.some(({ match }) => match.kind === "all") || orders.at(-1)?.ordering === "allow,deny";
}
