import { accessOf, requireInForce } from "../access/merged.js";
import type { Layer } from "../scope/layer.js";
import { keywordOf } from "../scope/words.js";
import type { Context } from "./contexts.js";
import type { Methods, Policy } from "./policy.js";
import { ruleOfRequire } from "./require-rule.js";
import { keyOf } from "./rule.js";
import { everybody, nobody, type Operator, ruleOfWant, type Want, wantOf } from "./want.js";

/** What is to come out where some sections are laid over each other. */
export interface Demand {
  readonly context: Context;
  /** How many of the context's layers are meant, from the outermost. */
  readonly depth: number;
  /** Those behind them that set their mark. */
  readonly marks: ReadonlySet<Layer>;
  readonly wants: Policy;
  /** How what is behind them in their group is laid over all that is below. */
  readonly under: { readonly operator: Operator; readonly group: number } | undefined;
  /** Whether it is so without a change, since no old directive is among them. */
  readonly isNatural: boolean;
}

/** The innermost of those that are meant; undefined where none is. */
export function layerOfDemand({ context, depth }: Demand): Layer | undefined {
  return context.layers[depth - 1];
}

/** The number of the group that the innermost stands in. */
export function groupOf({ context, depth }: Demand): number {
  return context.groups[depth - 1] ?? -1;
}

/** What comes out below the innermost, as Require lines are laid over each other now. */
export function naturalBelow(demand: Demand, methods: Methods): Demand {
  const { context, depth } = demand;
  const left = new Set(context.layers.slice(0, depth - 1));
  const groups = context.config.groups.map(({ kind, layers }) => ({
    kind,
    layers: layers.filter((layer) => left.has(layer)),
  }));
  const set = requireInForce(groups);
  const wants = methods.map((method) => set && wantOf(undefined, ruleOfRequire(set, method), false));
  return { ...demand, depth: depth - 1, wants };
}

/** Demands of which the same layers behind them have set their marks. */
export interface SameMarks {
  readonly marks: ReadonlySet<Layer>;
  readonly of: readonly Demand[];
}

export function groupedByMarks(demands: readonly Demand[]): readonly SameMarks[] {
  const groups: { readonly marks: ReadonlySet<Layer>; readonly of: Demand[] }[] = [];
  for (const demand of demands) {
    const known = groups.find(({ marks }) => areSame(marks, demand.marks));
    if (known) known.of.push(demand);
    else groups.push({ marks: demand.marks, of: [demand] });
  }
  return groups;
}

export function areSame(a: ReadonlySet<Layer>, b: ReadonlySet<Layer>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

/** Whether two ask for what comes out of the same layers, with the same marks set. */
export function isOfSame(a: Demand, b: Demand): boolean {
  return (
    a.depth === b.depth &&
    areSame(a.marks, b.marks) &&
    a.context.layers.slice(0, a.depth).every((layer, index) => layer === b.context.layers[index])
  );
}

export function wantsAlike(a: Demand, b: Demand): boolean {
  return a.wants.every((want, method) => wantKey(want) === wantKey(b.wants[method]));
}

function wantKey(want: Want | undefined): string {
  return want === undefined ? "none" : keyOf(ruleOfWant(want));
}

/** Where nothing is below, nothing refuses, and nothing lets in on its own; 2.4 answers 500 where it wants a Require. */
export function isMetByNothing({ context, wants, under }: Demand): boolean {
  return wants.every((want) => {
    if (want === undefined) return under === undefined;
    return isNeutral(want, under?.operator ?? "and") && (under !== undefined || !asksUsers(context));
  });
}

/** Where an AuthType is in force 2.4 wants a Require. */
function asksUsers({ state }: Context): boolean {
  const type = keywordOf(state.config.setting("authtype"));
  return type !== undefined && type !== "none";
}

/** Whether it changes nothing when it is laid over something. */
export function isNeutral(want: Want, operator: Operator): boolean {
  return keyOf(ruleOfWant(want)) === keyOf(ruleOfWant(operator === "and" ? everybody : nobody));
}

/** Whether there are sections of other groups below the innermost. */
export function liesOverGroups(demand: Demand): boolean {
  return demand.context.groups.slice(0, demand.depth).some((group) => group !== groupOf(demand));
}

/** `Allow from all` and the like: it is said again, since it is written to be read. */
export function saysEverybody(layer: Layer, demands: readonly Demand[]): boolean {
  const { old } = accessOf(layer);
  if (old === undefined || old.orders.length + old.hosts.length === 0) return false;
  return demands.every(({ wants, marks }) => marks.size === 0 && wants.every((want) => want && isNeutral(want, "and")));
}
