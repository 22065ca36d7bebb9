import { isForAsked } from "../access/limits.js";
import { accessOf } from "../access/merged.js";
import type { Layer } from "../scope/layer.js";
import { ruleOfOld } from "./old-rule.js";
import type { Methods } from "./policy.js";
import { ruleOfRequire } from "./require-rule.js";
import { granted, isDenied, keyOf, type Rule } from "./rule.js";
import { type Operator, ruleOfWant, wantOf } from "./want.js";

/** What a section is to say of access; its old directives go in any case. */
export type Said =
  /** Its own Require lines stay as they are, and are laid over what is below in another way where an operator is named. */
  | { readonly kind: "kept"; readonly operator?: Operator }
  /** It holds no Require lines. */
  | { readonly kind: "nothing" }
  /** It takes away what is below, and sets nothing in its place: 500 where an AuthType is in force. */
  | { readonly kind: "wiped" }
  | Written;

export interface Written {
  readonly kind: "written";
  /** How it is laid over what is below it; alone where absent. */
  readonly operator: Operator | undefined;
  /** For each method. */
  readonly rules: readonly Rule[];
}

/** What the Require lines of a section say by themselves to each method; undefined where it has none. */
export function ownRules(layer: Layer, methods: Methods): readonly (Rule | undefined)[] | undefined {
  const rules = accessOf(layer).authz?.rules;
  return rules && methods.map((method) => ruleOfRequire(rules, method));
}

/** Whether a section says already what it is to say. */
export function isAsNow(layer: Layer, rules: readonly Rule[], own: ReturnType<typeof ownRules>): boolean {
  if (own === undefined || accessOf(layer).authz?.merging !== undefined) return false;
  return rules.every((rule, method) => keyOf(rule) === keyOf(own[method] ?? granted()));
}

/** About how many lines rules take. */
export function sizeOf(rules: readonly Rule[]): number {
  const lines = (rule: Rule): number =>
    rule.kind === "line" ? 1 : 2 + rule.rules.reduce((sum, each) => sum + lines(each), 0);
  const different = new Map(rules.map((rule) => [keyOf(rule), rule]));
  const sum = [...different.values()].reduce((all, rule) => all + lines(rule) - (rule.kind === "any" ? 2 : 0), 0);
  return sum + (different.size > 1 ? 2 * different.size : 0);
}

/** What a section says by itself, where what it says never comes to anything: others lie over it each time. */
export function saidAlone(layer: Layer, methods: Methods): Said {
  const { old } = accessOf(layer);
  const own = ownRules(layer, methods);
  if (old === undefined) return { kind: own === undefined ? "nothing" : "kept" };
  const rules = methods.map((method, index) => {
    const either = old.satisfies.findLast(({ limits }) => isForAsked(limits, method))?.satisfy === "any";
    return ruleOfWant(wantOf(ruleOfOld(old, method), own?.[index], either));
  });
  return { kind: "written", operator: undefined, rules };
}

/** Whether a section refuses everybody by itself, as that of `/` mostly does: it is not opened for what lies over it. */
export function keepsAllOut(layer: Layer, methods: Methods): boolean {
  const { old } = accessOf(layer);
  return old !== undefined && methods.every((method) => isDenied(ruleOfOld(old, method)));
}
