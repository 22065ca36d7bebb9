import { limitsInclude } from "../../../server/access/clients-and-methods.js";
import { accessRulesOf } from "../../../server/access/merge.js";
import { convertCompatRules } from "../../../server/access/require-conversion.js";
import { grantAll, isDenyAll, type RequireNode, ruleKey } from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import type { MigrationMethods } from "./access-policy.js";
import { convertRequireRules } from "./convert-require.js";
import { buildRequirement, type MergeOperator, ruleOfRequirement } from "./requirement.js";

/** The planned access rules of a section; its mod_access_compat directives are deleted in any case. */
export type SectionPlan =
  /** Its Require lines stay; an operator changes how they are merged with underlying sections. */
  | { readonly kind: "kept"; readonly operator?: MergeOperator }
  /** It has no Require lines. */
  | { readonly kind: "nothing" }
  /** It discards the underlying rules and sets none: 500 if an AuthType applies. */
  | { readonly kind: "wiped" }
  | WrittenRules;

export interface WrittenRules {
  readonly kind: "written";
  /** The merge operator; if absent, the rules replace those of the underlying sections. */
  readonly operator: MergeOperator | undefined;
  /** One rule per method. */
  readonly rules: readonly RequireNode[];
}

/** Returns the Require rules of a section on its own for each method; undefined if it has none. */
export function ownRulesByMethod(
  layer: ConfigLayer,
  methods: MigrationMethods,
): readonly (RequireNode | undefined)[] | undefined {
  const rules = accessRulesOf(layer).authz?.rules;
  return rules && methods.map((method) => convertRequireRules(rules, method));
}

/** Reports whether a section already has the planned rules. */
export function isUnchangedPlan(
  layer: ConfigLayer,
  rules: readonly RequireNode[],
  own: ReturnType<typeof ownRulesByMethod>,
): boolean {
  if (own === undefined || accessRulesOf(layer).authz?.merging !== undefined) return false;
  return rules.every((rule, method) => ruleKey(rule) === ruleKey(own[method] ?? grantAll()));
}

/** Returns the approximate number of lines for rules. */
export function countRuleLines(rules: readonly RequireNode[]): number {
  const lines = (rule: RequireNode): number =>
    rule.kind === "line" ? 1 : 2 + rule.rules.reduce((sum, each) => sum + lines(each), 0);
  const different = new Map(rules.map((rule) => [ruleKey(rule), rule]));
  const sum = [...different.values()].reduce((all, rule) => all + lines(rule), 0);
  return sum + (different.size > 1 ? 2 * different.size : 0);
}

/** Returns the standalone rules of a section whose rules never apply, because others are always merged over it. */
export function planStandalone(layer: ConfigLayer, methods: MigrationMethods): SectionPlan {
  const { compat } = accessRulesOf(layer);
  const own = ownRulesByMethod(layer, methods);
  if (compat === undefined) return { kind: own === undefined ? "nothing" : "kept" };
  const rules = methods.map((method, index) => {
    const either = compat.satisfies.findLast(({ limits }) => limitsInclude(limits, method))?.satisfy === "any";
    return ruleOfRequirement(buildRequirement(convertCompatRules(compat, method), own?.[index], either));
  });
  return { kind: "written", operator: undefined, rules };
}

/**
 * Reports whether a section on its own denies everyone, as `/` usually does, in either form. Such a section is not
 * opened for the sections merged over it.
 */
export function deniesEverybody(layer: ConfigLayer, methods: MigrationMethods): boolean {
  const { compat } = accessRulesOf(layer);
  const rules = compat
    ? methods.map((method) => convertCompatRules(compat, method))
    : (ownRulesByMethod(layer, methods) ?? []);
  return rules.length > 0 && rules.every((rule) => rule !== undefined && isDenyAll(rule));
}
