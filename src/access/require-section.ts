import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Layer } from "../scope/layer.js";
import type { AskedClient } from "./asked-client.js";
import type { RequireSet } from "./merged.js";
import { type AuthzResult, decideNewBy, isAskedFor } from "./new-decision.js";
import type { NewRule } from "./new-rules.js";
import { aliasOf } from "./provider-checks.js";
import { clientsMeeting, stranger } from "./sample-clients.js";
import type { Removable, SectionAnswer, SectionRules } from "./section-answers.js";

/** Where the rules stand. */
interface Section {
  readonly project: Project;
  readonly layer: Layer;
}

/** The Require rules of a section on 2.4, rule by rule; undefined where the server refuses them as a whole. */
export function requireSection(rules: readonly NewRule[], section: Section): SectionRules | undefined {
  if (!mayLetIn(rules)) return undefined;
  return {
    get removables() {
      return rules.map((rule) => removable(rule, section));
    },
    answers: (client) => answer(rules, client, section),
    without: (directive) => requireSection(withoutRule(rules, directive), section),
  };
}

/** For a method that no rule is limited to, what merging lays over the section decides as if it was not there. */
function answer(rules: readonly NewRule[], client: AskedClient, { project, layer }: Section): SectionAnswer {
  const set: RequireSet = { kind: "section", rules, layer };
  if (!isAskedFor(set, client.request)) return { result: "not asked", by: [] };
  return decideNewBy(set, client.request, (line) => client.check(line, aliasOf(line, project) !== undefined));
}

function withoutRule(rules: readonly NewRule[], directive: Directive): readonly NewRule[] {
  return rules
    .filter((rule) => rule.directive !== directive)
    .map((rule) => (rule.kind === "require" ? rule : { ...rule, rules: withoutRule(rule.rules, directive) }));
}

/** Containers with nothing in them are refused, and those and sections in which everything takes away. */
function mayLetIn(rules: readonly NewRule[], operator: "all" | "any" = "any"): boolean {
  const members = rules.flatMap((rule) => dissolved(rule, operator));
  const isWhole = (rule: NewRule): boolean => {
    if (rule.kind === "require") return true;
    return rule.kind === "none" ? rule.rules.length > 0 && rule.rules.every(isWhole) : mayLetIn(rule.rules, rule.kind);
  };
  const letsIn = (rule: NewRule) => (rule.kind === "require" ? !rule.negated : rule.kind !== "none");
  return members.every(isWhole) && members.some(letsIn);
}

/** A container with the operator of what is around it counts as its members, unless it has none. */
function dissolved(rule: NewRule, operator: "all" | "any"): readonly NewRule[] {
  if (rule.kind !== operator || rule.rules.length === 0) return [rule];
  return rule.rules.flatMap((each) => dissolved(each, operator));
}

function removable(rule: NewRule, section: Section): Removable {
  return {
    directive: rule.directive,
    inner: rule.kind === "require" ? [] : rule.rules.map((each) => removable(each, section)),
    speaksTo: (client) => answer([rule], client, section).result === effectOf(rule),
    samples: rule.kind === "require" ? [...clientsMeeting(rule), stranger] : [stranger],
    rivalsIn: (by) => by,
  };
}

/** What a rule says where it has an effect. */
function effectOf(rule: NewRule): AuthzResult {
  if (rule.kind === "require") return rule.negated ? "denied" : "granted";
  return rule.kind === "none" ? "denied" : "granted";
}
