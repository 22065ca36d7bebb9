import type { Directive } from "../../../config/model/directive.js";
import { sourceArgumentsOf } from "../../../config/reader/source-lines.js";
import { limitsInclude } from "../../../server/access/clients-and-methods.js";
import type { RequireSet } from "../../../server/access/merge.js";
import {
  createRuleLine,
  denyAllRule,
  negateLine,
  type RequireNode,
  requireAllOf,
  requireAnyOf,
} from "../../../server/access/require-nodes.js";
import type { RequireRule } from "../../../server/access/require-rules.js";

/** Converts Require rules for one method; undefined if they do not apply to it, so that they allow it. */
export function convertRequireRules(set: RequireSet, method: string): RequireNode | undefined {
  if (set.kind === "section") return convertGroup("any", set.rules, method);
  const rules = [set.first, set.second].flatMap((each) => convertRequireRules(each, method) ?? []);
  if (rules.length === 0) return undefined;
  return set.operator === "and" ? requireAllOf(rules) : requireAnyOf(rules);
}

function convertRequireRule(rule: RequireRule, method: string): RequireNode | undefined {
  if (rule.kind !== "require") return convertGroup(rule.kind, rule.rules, method);
  if (!limitsInclude(rule.limits, method)) return undefined;
  const converted = createRuleLine(
    `${rule.provider} ${rule.rest}`.trim(),
    rule.directive,
    findSourceRequireWords(rule.directive),
  );
  return rule.negated ? negateLine(converted) : converted;
}

function convertGroup(
  kind: "all" | "any" | "none",
  written: readonly RequireRule[],
  method: string,
): RequireNode | undefined {
  // A container with the same operator as its parent is replaced by its members.
  const rules = written.flatMap((rule) => (rule.kind === kind && kind !== "none" ? flattenGroup(rule) : [rule]));
  const converted = rules.flatMap((rule) => convertRequireRule(rule, method) ?? []);
  if (converted.length === 0) return undefined;
  switch (kind) {
    case "none":
      return { kind, rules: converted };
    case "any":
      return requireAnyOf(converted);
    case "all":
      // Without a positive member the server denies everyone; it accepts this only in a `.htaccess` file.
      return rules.some(canGrant) ? requireAllOf(converted) : denyAllRule();
  }
}

function flattenGroup(rule: RequireRule): readonly RequireRule[] {
  if (rule.kind === "require") return [rule];
  return rule.rules.flatMap((each) => (each.kind === rule.kind ? flattenGroup(each) : [each]));
}

function canGrant(rule: RequireRule): boolean {
  if (rule.kind === "require") return !rule.negated;
  return rule.kind !== "none" && rule.rules.some(canGrant);
}

/** Returns the words of a Require line as in the source, without `not`. */
function findSourceRequireWords(directive: Directive): string {
  return sourceArgumentsOf(directive).replace(/^not\s+/i, "");
}
