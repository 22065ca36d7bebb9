import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { includesMethod } from "../../server/access/access-state.js";
import { limitsOf } from "../../server/access/clients-and-methods.js";
import { type AuthzResult, appliesToMethod, decideByRequireWith } from "../../server/access/decide-require.js";
import type { RequireSet } from "../../server/access/merge.js";
import { aliasOf } from "../../server/access/provider-checks.js";
import type { RequireRule } from "../../server/access/require-rules.js";
import type { ConfigLayer } from "../../server/model/config-layer.js";
import {
  type Removable,
  type RemovableRules,
  type SectionVerdict,
  type SymbolicClient,
  sampleClientsOf,
  unknownClient,
} from "./symbolic-client.js";

/** The location of the rules. */
interface Section {
  readonly project: Project;
  readonly layer: ConfigLayer;
}

/** Returns the Require rules of a section on 2.4, rule by rule; undefined if the server rejects them as a whole. */
export function analyzeRequireSection(rules: readonly RequireRule[], section: Section): RemovableRules | undefined {
  if (!mayGrant(rules)) return undefined;
  return {
    get removables() {
      return rules.map((rule) => removable24(rule, section));
    },
    decide: (client) => decideFor24(rules, client, section),
    without: (directive) => analyzeRequireSection(withoutRule(rules, directive), section),
  };
}

/** Evaluates the rules. If none applies to the method, the merge result decides as if the section did not exist. */
function decideFor24(
  rules: readonly RequireRule[],
  client: SymbolicClient,
  { project, layer }: Section,
): SectionVerdict {
  const set: RequireSet = { kind: "section", rules, layer };
  if (!appliesToMethod(set, client.request)) return { result: "not checked", by: [] };
  return decideByRequireWith(set, client.request, (line) => client.check(line, aliasOf(line, project) !== undefined));
}

/** Returns Require rules, in containers too, without one of their lines or containers. */
export function withoutRule(rules: readonly RequireRule[], directive: Directive): readonly RequireRule[] {
  return rules
    .filter((rule) => rule.directive !== directive)
    .map((rule) => (rule.kind === "require" ? rule : { ...rule, rules: withoutRule(rule.rules, directive) }));
}

/**
 * Reports whether the server accepts the rules. It rejects empty containers, and containers and sections with only
 * negative rules.
 */
function mayGrant(rules: readonly RequireRule[], operator: "all" | "any" = "any"): boolean {
  const members = rules.flatMap((rule) => dissolveContainer(rule, operator));
  const isWhole = (rule: RequireRule): boolean => {
    if (rule.kind === "require") return true;
    return rule.kind === "none" ? rule.rules.length > 0 && rule.rules.every(isWhole) : mayGrant(rule.rules, rule.kind);
  };
  const mayAllow = (rule: RequireRule) => (rule.kind === "require" ? !rule.negated : rule.kind !== "none");
  return members.every(isWhole) && members.some(mayAllow);
}

/** Flattens a container with the same operator as its parent, unless it is empty. */
function dissolveContainer(rule: RequireRule, operator: "all" | "any"): readonly RequireRule[] {
  if (rule.kind !== operator || rule.rules.length === 0) return [rule];
  return rule.rules.flatMap((each) => dissolveContainer(each, operator));
}

function removable24(rule: RequireRule, section: Section): Removable {
  return {
    directive: rule.directive,
    inner: rule.kind === "require" ? [] : rule.rules.map((each) => removable24(each, section)),
    appliesTo: (client) => decideFor24([rule], client, section).result === effectOf(rule),
    samples: rule.kind === "require" ? [...sampleClientsOf(rule), unknownClient] : [unknownClient],
    replacementsIn: (by) => by,
  };
}

/** Returns the result of a rule when it has an effect. */
function effectOf(rule: RequireRule): AuthzResult {
  if (rule.kind === "require") return rule.negated ? "denied" : "granted";
  return rule.kind === "none" ? "denied" : "granted";
}

/**
 * Returns the Require rules of a section on 2.2. Each module evaluates its own providers, and others may decide before
 * it. The result keeps everything any module can observe, whatever its configuration.
 */
export function analyzeRequireSection22(lines: readonly Directive[]): RemovableRules | undefined {
  if (lines.length === 0) return undefined;
  return {
    get removables() {
      return lines.map(removable22);
    },
    decide: (client) => decideFor22(lines, client),
    without: (directive) => analyzeRequireSection22(lines.filter((line) => line !== directive)),
  };
}

function removable22(directive: Directive): Removable {
  return {
    directive,
    inner: [],
    appliesTo: (client) => decideFor22([directive], client).by.length > 0,
    samples: [unknownClient, { ...unknownClient, user: directive.arguments[1]?.value ?? "somebody" }],
    replacementsIn: (by) => by,
  };
}

function decideFor22(all: readonly Directive[], client: SymbolicClient): SectionVerdict {
  const lines = all.filter((line) => includesMethod(limitsOf(line), client.request));
  const { user } = client;
  // An unauthenticated client is challenged if there is any line.
  if (lines.length === 0 || user === undefined) return { result: `${lines.length > 0}`, by: lines };
  const valid = lines.filter((line) => wordOf(line) === "valid-user");
  const named = linesFor(lines, "user", (name) => client.isUser(name));
  const inGroup = linesFor(lines, "group", (name) => client.isInGroup(name));
  const users = lines.some((line) => wordOf(line) === "user");
  const others = lines.filter((line) => !modelledWords.has(wordOf(line)));
  // The order of these matters to mod_authz_owner and to the modules after it.
  const inOrder = others.length === 0 ? [] : lines.filter((line) => wordOf(line) === "group" || others.includes(line));
  const groups = lines.some((line) => wordOf(line) === "group");
  return {
    result: [
      valid.length > 0 ? "valid" : `${users} ${named.length > 0}`,
      `${groups} ${inGroup.length > 0}`,
      ...inOrder.map(({ argumentText }) => argumentText),
    ].join("\n"),
    by: [...valid, ...named, ...inGroup],
  };
}

const modelledWords: ReadonlySet<string> = new Set(["valid-user", "user", "group"]);

function wordOf({ arguments: [word] }: Directive): string {
  return word?.value.toLowerCase() ?? "";
}

/** Returns the lines of a provider with at least one argument that is met. */
function linesFor(lines: readonly Directive[], word: string, isMet: (name: string) => boolean): readonly Directive[] {
  return lines.filter((line) => {
    if (wordOf(line) !== word) return false;
    const names = line.arguments.slice(1).map(({ value }) => value);
    return names.filter(isMet).length > 0;
  });
}
