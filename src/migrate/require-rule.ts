import { isForAsked } from "../access/limits.js";
import type { RequireSet } from "../access/merged.js";
import type { NewRule } from "../access/new-rules.js";
import { all, any, denied, line, not, type Rule } from "./rule.js";
import { writtenRest } from "./written.js";

/** What Require rules say to a method; undefined where they do not ask for it: then they let it pass. */
export function ruleOfRequire(set: RequireSet, method: string): Rule | undefined {
  if (set.kind === "section") return grouped("any", set.rules, method);
  const rules = [set.first, set.second].flatMap((each) => ruleOfRequire(each, method) ?? []);
  if (rules.length === 0) return undefined;
  return set.operator === "and" ? all(rules) : any(rules);
}

function ruleOf(rule: NewRule, method: string): Rule | undefined {
  if (rule.kind !== "require") return grouped(rule.kind, rule.rules, method);
  if (!isForAsked(rule.limits, method)) return undefined;
  const said = line(`${rule.provider} ${rule.rest}`.trim(), rule.directive, writtenRest(rule.directive));
  return rule.negated ? not(said) : said;
}

function grouped(kind: "all" | "any" | "none", written: readonly NewRule[], method: string): Rule | undefined {
  // A container with the operator of what is around it counts as its members.
  const rules = written.flatMap((rule) => (rule.kind === kind && kind !== "none" ? dissolved(rule) : [rule]));
  const said = rules.flatMap((rule) => ruleOf(rule, method) ?? []);
  if (said.length === 0) return undefined;
  switch (kind) {
    case "none":
      return { kind, rules: said };
    case "any":
      return any(said);
    case "all":
      // Without one that could let somebody in the server lets nobody in; it takes such only from a `.htaccess` file.
      return rules.some(letsIn) ? all(said) : denied();
  }
}

function dissolved(rule: NewRule): readonly NewRule[] {
  if (rule.kind === "require") return [rule];
  return rule.rules.flatMap((each) => (each.kind === rule.kind ? dissolved(each) : [each]));
}

function letsIn(rule: NewRule): boolean {
  if (rule.kind === "require") return !rule.negated;
  return rule.kind !== "none" && rule.rules.some(letsIn);
}
