import {
  denyAllRule,
  grantAll,
  isDenyAll,
  isGrantAll,
  type RuleNode,
  requireAllOf,
  requireAnyOf,
  ruleKey,
} from "./rule-nodes.js";

/**
 * The access requirement of a request for one method: addresses and variables, Require rules, and whether one of both
 * suffices. An absent part allows everyone, or nobody if one of both suffices.
 */
export interface Requirement {
  readonly isEitherEnough: boolean;
  readonly old: RuleNode;
  readonly require: RuleNode;
}

/** @param parts undefined if absent */
export function buildRequirement(
  old: RuleNode | undefined,
  require: RuleNode | undefined,
  either: boolean,
): Requirement {
  const byOld = old ?? grantAll();
  const byRequire = require ?? grantAll();
  if (either) {
    if (isGrantAll(byOld) || isGrantAll(byRequire)) return allowAll;
    if (isDenyAll(byOld)) return { isEitherEnough: false, old: grantAll(), require: byRequire };
    if (isDenyAll(byRequire)) return { isEitherEnough: false, old: byOld, require: grantAll() };
  } else if (isDenyAll(byOld)) return { isEitherEnough: false, old: byOld, require: grantAll() };
  return { isEitherEnough: either, old: byOld, require: byRequire };
}

export const allowAll: Requirement = { isEitherEnough: false, old: grantAll(), require: grantAll() };
export const denyAll: Requirement = { isEitherEnough: false, old: denyAllRule(), require: grantAll() };

/** Returns the rule for the whole requirement. */
export function ruleOfRequirement({ isEitherEnough, old, require }: Requirement): RuleNode {
  return isEitherEnough ? requireAnyOf([old, require]) : requireAllOf([old, require]);
}

export type MergeOperator = "and" | "or";

/** Returns the rule that changes nothing when merged over another. */
export function neutralRule(operator: MergeOperator): RuleNode {
  return operator === "and" ? grantAll() : denyAllRule();
}

/** The section's own part of a requirement, and the rest for the underlying sections. */
export interface Factorization {
  readonly own: RuleNode;
  readonly below: readonly (Requirement | undefined)[];
}

/** The two parts of a requirement. */
export type RequirementPart = "old" | "require";

/**
 * Factors requirements into a part common to all and the rest of each; undefined if there is no common part. If no
 * Require may apply, there is nothing to factor.
 *
 * @param only the part that becomes the section's own
 */
export function factorCommon(
  wants: readonly (Requirement | undefined)[],
  operator: MergeOperator,
  only?: RequirementPart,
): Factorization | undefined {
  if (wants.includes(undefined)) return operator === "and" ? { own: grantAll(), below: wants } : undefined;
  // A denial below holds whatever else is required, and a grant below whatever else is an alternative.
  const settled = operator === "and" ? denyAll : allowAll;
  const parts = wants.map((want) =>
    want && isDecided(want, operator) ? "settled" : want && requirementParts(want, operator),
  );
  if (!parts.every((each) => each !== undefined)) return undefined;
  const others = parts.filter((each) => each !== "settled");
  const [first] = others;
  if (first === undefined)
    return only ? undefined : { own: ruleOfRequirement(settled), below: parts.map(() => settled) };
  const isAlike = (part: RequirementPart) =>
    part === (only ?? part) && others.every((each) => ruleKey(each[part]) === ruleKey(first[part]));
  const alike = { old: isAlike("old"), require: isAlike("require") };
  const join = operator === "and" ? requireAllOf : requireAnyOf;
  const below = (of: (each: Pick<Requirement, RequirementPart>) => Requirement) =>
    parts.map((each) => (each === "settled" ? settled : of(each)));
  if (alike.old && alike.require) {
    const nothing = operator === "and" ? allowAll : denyAll;
    return { own: join([first.old, first.require]), below: below(() => nothing) };
  }
  if (alike.old) return { own: first.old, below: below(({ require }) => buildRequirement(undefined, require, false)) };
  if (alike.require) return { own: first.require, below: below(({ old }) => buildRequirement(old, undefined, false)) };
  return undefined;
}

/** Reports whether a requirement denies everyone, or allows everyone if one of several suffices. */
function isDecided(want: Requirement, operator: MergeOperator): boolean {
  return ruleKey(ruleOfRequirement(want)) === ruleKey(ruleOfRequirement(operator === "and" ? denyAll : allowAll));
}

/**
 * Splits a requirement into two rules under an operator. A requirement with the other operator can be split only if it
 * has a single part.
 */
function requirementParts(
  want: Requirement,
  operator: MergeOperator,
): Pick<Requirement, "old" | "require"> | undefined {
  if (want.isEitherEnough === (operator === "or")) return want;
  if (operator === "and") return undefined;
  if (isGrantAll(want.require)) return { old: want.old, require: denyAllRule() };
  return isGrantAll(want.old) ? { old: denyAllRule(), require: want.require } : undefined;
}

/** Returns the rule that all requirements share; undefined if they differ. */
export function findCommonRule(wants: readonly (Requirement | undefined)[]): RuleNode | undefined {
  const [first, ...others] = wants.map((want) => want && ruleOfRequirement(want));
  if (first === undefined) return undefined;
  return others.every((rule) => rule && ruleKey(rule) === ruleKey(first)) ? first : undefined;
}
