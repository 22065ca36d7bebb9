import {
  denyAllRule,
  grantAll,
  isDenyAll,
  isGrantAll,
  type RequireNode,
  requireAllOf,
  requireAnyOf,
  ruleKey,
} from "../../../server/access/require-nodes.js";

/**
 * The access requirement of a request for one method: addresses and variables, Require rules, and whether one of both
 * suffices. An absent part allows everyone, or nobody if one of both suffices.
 */
export interface Requirement {
  readonly isAnySufficient: boolean;
  readonly compat: RequireNode;
  readonly require: RequireNode;
}

/** @param parts undefined if absent */
export function buildRequirement(
  compat: RequireNode | undefined,
  require: RequireNode | undefined,
  either: boolean,
): Requirement {
  const byCompat = compat ?? grantAll();
  const byRequire = require ?? grantAll();
  if (either) {
    if (isGrantAll(byCompat) || isGrantAll(byRequire)) return allowAll;
    if (isDenyAll(byCompat)) return { isAnySufficient: false, compat: grantAll(), require: byRequire };
    if (isDenyAll(byRequire)) return { isAnySufficient: false, compat: byCompat, require: grantAll() };
  } else if (isDenyAll(byCompat)) return { isAnySufficient: false, compat: byCompat, require: grantAll() };
  return { isAnySufficient: either, compat: byCompat, require: byRequire };
}

export const allowAll: Requirement = { isAnySufficient: false, compat: grantAll(), require: grantAll() };
export const denyAll: Requirement = { isAnySufficient: false, compat: denyAllRule(), require: grantAll() };

/** Returns the rule for the whole requirement. */
export function ruleOfRequirement({ isAnySufficient, compat, require }: Requirement): RequireNode {
  return isAnySufficient ? requireAnyOf([compat, require]) : requireAllOf([compat, require]);
}

export type MergeOperator = "and" | "or";

/** Returns the rule that changes nothing when merged over another. */
export function neutralRule(operator: MergeOperator): RequireNode {
  return operator === "and" ? grantAll() : denyAllRule();
}

/** The section's own part of a requirement, and the rest for the underlying sections. */
export interface Factorization {
  readonly own: RequireNode;
  readonly below: readonly (Requirement | undefined)[];
}

/** The two parts of a requirement. */
export type RequirementPart = "compat" | "require";

/**
 * Factors requirements into a part common to all and the rest of each; undefined if there is no common part. If no
 * Require may apply, there is nothing to factor.
 *
 * @param only the part that becomes the section's own
 */
export function factorCommon(
  requirements: readonly (Requirement | undefined)[],
  operator: MergeOperator,
  only?: RequirementPart,
): Factorization | undefined {
  if (requirements.includes(undefined))
    return operator === "and" ? { own: grantAll(), below: requirements } : undefined;
  // A denial below holds whatever else is required, and a grant below whatever else is an alternative.
  const settled = operator === "and" ? denyAll : allowAll;
  const parts = requirements.map((requirement) =>
    requirement && isDecided(requirement, operator)
      ? "settled"
      : requirement && requirementParts(requirement, operator),
  );
  if (!parts.every((each) => each !== undefined)) return undefined;
  const others = parts.filter((each) => each !== "settled");
  const [first] = others;
  if (first === undefined)
    return only ? undefined : { own: ruleOfRequirement(settled), below: parts.map(() => settled) };
  const isAlike = (part: RequirementPart) =>
    part === (only ?? part) && others.every((each) => ruleKey(each[part]) === ruleKey(first[part]));
  const alike = { compat: isAlike("compat"), require: isAlike("require") };
  const join = operator === "and" ? requireAllOf : requireAnyOf;
  const below = (of: (each: Pick<Requirement, RequirementPart>) => Requirement) =>
    parts.map((each) => (each === "settled" ? settled : of(each)));
  if (alike.compat && alike.require) {
    const nothing = operator === "and" ? allowAll : denyAll;
    return { own: join([first.compat, first.require]), below: below(() => nothing) };
  }
  if (alike.compat)
    return { own: first.compat, below: below(({ require }) => buildRequirement(undefined, require, false)) };
  if (alike.require)
    return { own: first.require, below: below(({ compat }) => buildRequirement(compat, undefined, false)) };
  return undefined;
}

/** Reports whether a requirement denies everyone, or allows everyone if one of several suffices. */
function isDecided(requirement: Requirement, operator: MergeOperator): boolean {
  return (
    ruleKey(ruleOfRequirement(requirement)) === ruleKey(ruleOfRequirement(operator === "and" ? denyAll : allowAll))
  );
}

/**
 * Splits a requirement into two rules under an operator. A requirement with the other operator can be split only if it
 * has a single part.
 */
function requirementParts(
  requirement: Requirement,
  operator: MergeOperator,
): Pick<Requirement, "compat" | "require"> | undefined {
  if (requirement.isAnySufficient === (operator === "or")) return requirement;
  if (operator === "and") return undefined;
  if (isGrantAll(requirement.require)) return { compat: requirement.compat, require: denyAllRule() };
  return isGrantAll(requirement.compat) ? { compat: denyAllRule(), require: requirement.require } : undefined;
}

/** Returns the rule that all requirements share; undefined if they differ. */
export function findCommonRule(requirements: readonly (Requirement | undefined)[]): RequireNode | undefined {
  const [first, ...others] = requirements.map((requirement) => requirement && ruleOfRequirement(requirement));
  if (first === undefined) return undefined;
  return others.every((rule) => rule && ruleKey(rule) === ruleKey(first)) ? first : undefined;
}
