import { limitsInclude } from "../../access/model/clients-and-methods.js";
import { accessRulesOf } from "../../access/rules/merge.js";
import type { ConfigLayer } from "../../httpd/model/config-layer.js";
import { buildRequirement, type MergeOperator, ruleOfRequirement } from "../model/requirement.js";
import { grantAll, isDenyAll, type RuleNode, ruleKey } from "../model/rule-nodes.js";
import type { MigrationMethods } from "../policy/access-policy.js";
import { convertCompatRules, convertRequireRules } from "../policy/convert-rules.js";

/** What a section is to say of access; its old directives go in any case. */
export type SectionPlan =
  /** Its own Require lines stay as they are, and are laid over what is below in another way where an operator is named. */
  | { readonly kind: "kept"; readonly operator?: MergeOperator }
  /** It holds no Require lines. */
  | { readonly kind: "nothing" }
  /** It takes away what is below, and sets nothing in its place: 500 where an AuthType is in force. */
  | { readonly kind: "wiped" }
  | WrittenRules;

export interface WrittenRules {
  readonly kind: "written";
  /** How it is laid over what is below it; alone where absent. */
  readonly operator: MergeOperator | undefined;
  /** For each method. */
  readonly rules: readonly RuleNode[];
}

/** What the Require lines of a section say by themselves to each method; undefined where it has none. */
export function ownRulesByMethod(
  layer: ConfigLayer,
  methods: MigrationMethods,
): readonly (RuleNode | undefined)[] | undefined {
  const rules = accessRulesOf(layer).authz?.rules;
  return rules && methods.map((method) => convertRequireRules(rules, method));
}

/** Whether a section says already what it is to say. */
export function isUnchangedPlan(
  layer: ConfigLayer,
  rules: readonly RuleNode[],
  own: ReturnType<typeof ownRulesByMethod>,
): boolean {
  if (own === undefined || accessRulesOf(layer).authz?.merging !== undefined) return false;
  return rules.every((rule, method) => ruleKey(rule) === ruleKey(own[method] ?? grantAll()));
}

/** About how many lines rules take. */
export function countRuleLines(rules: readonly RuleNode[]): number {
  const lines = (rule: RuleNode): number =>
    rule.kind === "line" ? 1 : 2 + rule.rules.reduce((sum, each) => sum + lines(each), 0);
  const different = new Map(rules.map((rule) => [ruleKey(rule), rule]));
  const sum = [...different.values()].reduce((all, rule) => all + lines(rule) - (rule.kind === "any" ? 2 : 0), 0);
  return sum + (different.size > 1 ? 2 * different.size : 0);
}

/** What a section says by itself, where what it says never comes to anything: others lie over it each time. */
export function planStandalone(layer: ConfigLayer, methods: MigrationMethods): SectionPlan {
  const { old } = accessRulesOf(layer);
  const own = ownRulesByMethod(layer, methods);
  if (old === undefined) return { kind: own === undefined ? "nothing" : "kept" };
  const rules = methods.map((method, index) => {
    const either = old.satisfies.findLast(({ limits }) => limitsInclude(limits, method))?.satisfy === "any";
    return ruleOfRequirement(buildRequirement(convertCompatRules(old, method), own?.[index], either));
  });
  return { kind: "written", operator: undefined, rules };
}

/** Whether a section refuses everybody by itself, as that of `/` mostly does: it is not opened for what lies over it. */
export function deniesEverybody(layer: ConfigLayer, methods: MigrationMethods): boolean {
  const { old } = accessRulesOf(layer);
  return old !== undefined && methods.every((method) => isDenyAll(convertCompatRules(old, method)));
}
