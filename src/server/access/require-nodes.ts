import type { Directive } from "../../config/model/directive.js";

/** A Require line to be written. */
export interface RequireLineNode {
  readonly kind: "line";
  readonly negated: boolean;
  /** The words after `Require` and `not`: `ip 10.0.0.0/8`. */
  readonly words: string;
  /** The words as in the original line, with variables and macro parameters. */
  readonly written: string;
  /** The directive that it restates or replaces. */
  readonly of?: Directive;
}

/** Require rules to be written. */
export type RequireNode = RequireLineNode | RequireGroupNode;

export interface RequireGroupNode {
  readonly kind: "all" | "any" | "none";
  readonly rules: readonly RequireNode[];
}

const GRANTED = "all granted";
const DENIED = "all denied";

/** Returns a rule that allows everyone. @param of the directive that states this today */
export function grantAll(of?: Directive): RequireNode {
  return createRuleLine(GRANTED, of);
}

/** Returns a rule that denies everyone. @param of the directive that states this today */
export function denyAllRule(of?: Directive): RequireNode {
  return createRuleLine(DENIED, of);
}

export function createRuleLine(words: string, of?: Directive, written = words): RequireLineNode {
  return { kind: "line", negated: false, words, written, ...(of ? { of } : {}) };
}

export function negateLine(rule: RequireLineNode): RequireLineNode {
  return { ...rule, negated: !rule.negated };
}

export function isGrantAll(rule: RequireNode): boolean {
  return rule.kind === "line" && !rule.negated && rule.words.toLowerCase() === GRANTED;
}

export function isDenyAll(rule: RequireNode): boolean {
  return rule.kind === "line" && !rule.negated && rule.words.toLowerCase() === DENIED;
}

/** Reports whether a rule can allow a request: negated rules only deny, and need another rule beside them. */
function isPositive(rule: RequireNode): boolean {
  switch (rule.kind) {
    case "line":
      return !rule.negated;
    case "none":
      return false;
    case "all":
      return rule.rules.some(isPositive);
    case "any":
      return rule.rules.every(isPositive);
  }
}

/**
 * Combines rules with AND, in the shortest form: nested groups are flattened, and rules that allow everyone are
 * dropped. A denial comes before a login request, as in mod_authz_core.
 */
export function requireAllOf(rules: readonly RequireNode[]): RequireNode {
  const members = uniqueRules(rules.flatMap((rule) => (rule.kind === "all" ? rule.rules : [rule])));
  const refusing = members.find(isDenyAll);
  if (refusing) return refusing;
  const left = members.filter((rule) => !isGrantAll(rule));
  const [first = members[0] ?? grantAll()] = left;
  if (left.length <= 1 && isPositive(first)) return first;
  return { kind: "all", rules: left.some(isPositive) ? left : [members.find(isGrantAll) ?? grantAll(), ...left] };
}

/**
 * Combines rules with OR, in the shortest form: nested groups are flattened, and rules that deny everyone are dropped.
 */
export function requireAnyOf(rules: readonly RequireNode[]): RequireNode {
  const members = uniqueRules(rules.flatMap((rule) => (rule.kind === "any" ? rule.rules : [rule])));
  const grantAllMember = members.find(isGrantAll);
  if (grantAllMember) return grantAllMember;
  const left = members.filter((rule) => !isDenyAll(rule));
  const [first = members[0] ?? denyAllRule()] = left;
  // A negated rule has no effect as one of several alternatives.
  const rulesOf = left.map((rule) => (isPositive(rule) ? rule : requireAllOf([rule])));
  return left.length <= 1 ? (isPositive(first) ? first : requireAllOf([first])) : { kind: "any", rules: rulesOf };
}

function uniqueRules(rules: readonly RequireNode[]): readonly RequireNode[] {
  const seen = new Set<string>();
  return rules.filter((rule) => {
    const key = ruleKey(rule);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/**
 * Returns an order-independent key: rules with equal keys are equivalent, but equivalent rules may have different keys.
 */
export function ruleKey(rule: RequireNode): string {
  if (rule.kind !== "line") return `${rule.kind}(${rule.rules.map(ruleKey).toSorted().join(";")})`;
  const words = isGrantAll(rule) ? GRANTED : isDenyAll(rule) ? DENIED : rule.words;
  return argumentsOfLine({ ...rule, words });
}

/** Returns the arguments of a Require line: `not ip 10.0.0.0/8`. */
export function argumentsOfLine({ negated, words }: Pick<RequireLineNode, "negated" | "words">): string {
  return negated ? `not ${words}` : words;
}

/** Returns all lines of a rule. */
export function linesOfRule(rule: RequireNode): readonly RequireLineNode[] {
  return rule.kind === "line" ? [rule] : rule.rules.flatMap(linesOfRule);
}

/** Returns the words of a Require line that tests a variable. */
export function wordsOfVariable(name: string): string {
  return `env ${name}`;
}

/** Returns one rule for a set variable and another for an unset one, with their common parts factored out. */
export function chooseByVariable(variable: string, set: RequireNode, unset: RequireNode): RequireNode {
  if (ruleKey(set) === ruleKey(unset)) return set;
  const isSet = createRuleLine(wordsOfVariable(variable));
  if (isGrantAll(set)) return requireAnyOf([isSet, unset]);
  if (isDenyAll(set)) return requireAllOf([unset, negateLine(isSet)]);
  if (isGrantAll(unset)) return requireAnyOf([requireAllOf([negateLine(isSet)]), set]);
  if (isDenyAll(unset)) return requireAllOf([isSet, set]);
  for (const [kind, join, none] of [
    ["all", requireAllOf, grantAll()],
    ["any", requireAnyOf, denyAllRule()],
  ] as const) {
    const parts = [set, unset].map((rule) => (rule.kind === kind ? rule.rules : [rule]));
    // A rule that allows everyone is dropped from an AND anyway.
    const common = (parts[0] ?? []).filter(
      (rule) => !isGrantAll(rule) && parts[1]?.some((other) => ruleKey(other) === ruleKey(rule)),
    );
    if (common.length === 0) continue;
    const keys = new Set(common.map(ruleKey));
    const [restSet = none, restUnset = none] = parts.map((rules) => {
      const rest = rules.filter((rule) => !keys.has(ruleKey(rule)));
      return rest.length === 0 ? none : join(rest);
    });
    return join([...common, chooseByVariable(variable, restSet, restUnset)]);
  }
  return requireAnyOf([requireAllOf([isSet, set]), requireAllOf([unset, negateLine(isSet)])]);
}
