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

/** What is to come out where some sections are laid over each other. */
export interface Obligation {
  readonly context: MergeContext;
  /** How many of the context's layers are meant, from the outermost. */
  readonly depth: number;
  /** Those behind them that set their mark. */
  readonly marks: ReadonlySet<ConfigLayer>;
  readonly requirements: AccessPolicy;
  /** How what is behind them in their group is laid over all that is below. */
  readonly under: { readonly operator: MergeOperator; readonly group: number } | undefined;
  /** Whether it is so without a change, since no old directive is among them. */
  readonly isUnchanged: boolean;
}

/** The innermost of those that are meant; undefined where none is. */
export function layerOfObligation({ context, depth }: Obligation): ConfigLayer | undefined {
  return context.layers[depth - 1];
}

/** The number of the group that the innermost stands in. */
export function groupNumberOf({ context, depth }: Obligation): number {
  return context.groups[depth - 1] ?? -1;
}

/** What comes out below the innermost, as Require lines are laid over each other now. */
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

/** Demands of which the same layers behind them have set their marks. */
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

/** Whether two ask for what comes out of the same layers, with the same marks set. */
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

/** Where nothing is below, nothing refuses, and nothing lets in on its own; 2.4 answers 500 where it wants a Require. */
export function isMetWithoutRules({ context, requirements, under }: Obligation): boolean {
  return requirements.every((want) => {
    if (want === undefined) return under === undefined;
    return isNeutralRequirement(want, under?.operator ?? "and") && (under !== undefined || !asksUsers(context));
  });
}

/** Where an AuthType is in force 2.4 wants a Require. */
function asksUsers({ state }: MergeContext): boolean {
  const type = keywordArgumentOf(state.config.setting("authtype"));
  return type !== undefined && type !== "none";
}

/** Whether it changes nothing when it is laid over something. */
export function isNeutralRequirement(want: Requirement, operator: MergeOperator): boolean {
  return ruleKey(ruleOfRequirement(want)) === ruleKey(ruleOfRequirement(operator === "and" ? allowAll : denyAll));
}

/** Whether there are sections of other groups below the innermost. */
export function overridesOtherGroups(demand: Obligation): boolean {
  return demand.context.groups.slice(0, demand.depth).some((group) => group !== groupNumberOf(demand));
}

/** `Allow from all` and the like: it is said again, since it is written to be read. */
export function hasExplicitGrant(layer: ConfigLayer, demands: readonly Obligation[]): boolean {
  const { old } = accessRulesOf(layer);
  if (old === undefined || old.orders.length + old.hosts.length === 0) return false;
  return demands.every(
    ({ requirements, marks }) =>
      marks.size === 0 && requirements.every((want) => want && isNeutralRequirement(want, "and")),
  );
}
