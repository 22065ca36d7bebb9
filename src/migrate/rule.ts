import type { Directive } from "../project/directive.js";

/** A Require line as it is to be written. */
export interface RuleLine {
  readonly kind: "line";
  readonly negated: boolean;
  /** What stands behind `Require` and `not`: `ip 10.0.0.0/8`. */
  readonly words: string;
  /** The same as it is written where the line it comes from stands, with variables and a macro's parameters in it. */
  readonly written: string;
  /** The line that it says again, or in place of which it stands. */
  readonly of?: Directive;
}

/** Require rules as they are to be written. */
export type Rule = RuleLine | RuleGroup;

export interface RuleGroup {
  readonly kind: "all" | "any" | "none";
  readonly rules: readonly Rule[];
}

const GRANTED = "all granted";
const DENIED = "all denied";

/** Everybody. @param of the line that says so today */
export function granted(of?: Directive): Rule {
  return line(GRANTED, of);
}

/** Nobody. @param of the line that says so today */
export function denied(of?: Directive): Rule {
  return line(DENIED, of);
}

export function line(words: string, of?: Directive, written = words): RuleLine {
  return { kind: "line", negated: false, words, written, ...(of ? { of } : {}) };
}

export function not(rule: RuleLine): RuleLine {
  return { ...rule, negated: !rule.negated };
}

export function isGranted(rule: Rule): boolean {
  return rule.kind === "line" && !rule.negated && rule.words.toLowerCase() === GRANTED;
}

export function isDenied(rule: Rule): boolean {
  return rule.kind === "line" && !rule.negated && rule.words.toLowerCase() === DENIED;
}

/** Whether a rule can let somebody in: negated ones only take away, and need another beside them. */
function isPositive(rule: Rule): boolean {
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
 * All of some rules, in the shortest form: what is inside of one another dissolves, who lets everybody in is left out. A refusal
 * goes ahead of a wish for a user, as in mod_authz_core.
 */
export function all(rules: readonly Rule[]): Rule {
  const members = unique(rules.flatMap((rule) => (rule.kind === "all" ? rule.rules : [rule])));
  const refusing = members.find(isDenied);
  if (refusing) return refusing;
  const left = members.filter((rule) => !isGranted(rule));
  const [first = members[0] ?? granted()] = left;
  if (left.length <= 1 && isPositive(first)) return first;
  return { kind: "all", rules: left.some(isPositive) ? left : [members.find(isGranted) ?? granted(), ...left] };
}

/** Any of some rules, in the shortest form: what is inside of one another dissolves, who lets nobody in is left out. */
export function any(rules: readonly Rule[]): Rule {
  const members = unique(rules.flatMap((rule) => (rule.kind === "any" ? rule.rules : [rule])));
  const letting = members.find(isGranted);
  if (letting) return letting;
  const left = members.filter((rule) => !isDenied(rule));
  const [first = members[0] ?? denied()] = left;
  // A negated rule has no effect beside others of which one is enough.
  const rulesOf = left.map((rule) => (isPositive(rule) ? rule : all([rule])));
  return left.length <= 1 ? (isPositive(first) ? first : all([first])) : { kind: "any", rules: rulesOf };
}

function unique(rules: readonly Rule[]): readonly Rule[] {
  const seen = new Set<string>();
  return rules.filter((rule) => {
    const key = keyOf(rule);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The same text for rules that say the same in whatever order; not for all that do. */
export function keyOf(rule: Rule): string {
  if (rule.kind !== "line") return `${rule.kind}(${rule.rules.map(keyOf).toSorted().join(";")})`;
  return `${rule.negated ? "not " : ""}${isGranted(rule) ? GRANTED : isDenied(rule) ? DENIED : rule.words}`;
}

/** One rule where a variable is set, another where it is not, without what both have said twice. */
export function chosen(variable: string, set: Rule, unset: Rule): Rule {
  if (keyOf(set) === keyOf(unset)) return set;
  const isSet = line(`env ${variable}`);
  if (isGranted(set)) return any([isSet, unset]);
  if (isDenied(set)) return all([unset, not(isSet)]);
  if (isGranted(unset)) return any([all([not(isSet)]), set]);
  if (isDenied(unset)) return all([isSet, set]);
  for (const [kind, join, none] of [
    ["all", all, granted()],
    ["any", any, denied()],
  ] as const) {
    const parts = [set, unset].map((rule) => (rule.kind === kind ? rule.rules : [rule]));
    // Where all takes away, who lets everybody in comes back by itself.
    const common = (parts[0] ?? []).filter(
      (rule) => !isGranted(rule) && parts[1]?.some((other) => keyOf(other) === keyOf(rule)),
    );
    if (common.length === 0) continue;
    const keys = new Set(common.map(keyOf));
    const [restSet = none, restUnset = none] = parts.map((rules) => {
      const rest = rules.filter((rule) => !keys.has(keyOf(rule)));
      return rest.length === 0 ? none : join(rest);
    });
    return join([...common, chosen(variable, restSet, restUnset)]);
  }
  return any([all([isSet, set]), all([unset, not(isSet)])]);
}
