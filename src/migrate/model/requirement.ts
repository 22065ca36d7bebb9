import {
  allOfRules,
  anyOfRules,
  denyAllRule,
  grantAll,
  isDenyAll,
  isGrantAll,
  type RuleNode,
  ruleKey,
} from "./rule-nodes.js";

/**
 * What is wanted of a request by one method: what addresses and variables say, what Require says, and whether one of both is
 * enough. What says nothing lets everybody in, or nobody where one is enough.
 */
export interface Requirement {
  readonly isEitherEnough: boolean;
  readonly old: RuleNode;
  readonly require: RuleNode;
}

/** @param parts undefined where nothing is said */
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

/** The rule that says it all. */
export function ruleOfRequirement({ isEitherEnough, old, require }: Requirement): RuleNode {
  return isEitherEnough ? anyOfRules([old, require]) : allOfRules([old, require]);
}

export type MergeOperator = "and" | "or";

/** What lays nothing over what is below. */
export function neutralRule(operator: MergeOperator): RuleNode {
  return operator === "and" ? grantAll() : denyAllRule();
}

/** A section's own part of what is wanted, and what is left to those below it. */
export interface Factorization {
  readonly own: RuleNode;
  readonly below: readonly (Requirement | undefined)[];
}

/** What a want is made of. */
export type RequirementPart = "old" | "require";

/**
 * Parts some wants into one that is the same for all and what is left of each; undefined where there is no such part. Where no
 * Require may be in force there is nothing to be said.
 *
 * @param only the part that is to be the section's own
 */
export function factorCommon(
  wants: readonly (Requirement | undefined)[],
  operator: MergeOperator,
  only?: RequirementPart,
): Factorization | undefined {
  if (wants.includes(undefined)) return operator === "and" ? { own: grantAll(), below: wants } : undefined;
  // Who is refused below is so whatever else has to hold, and who is let in whatever else is enough.
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
  const join = operator === "and" ? allOfRules : anyOfRules;
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

/** Whether nobody is let in, or everybody where one of several is enough. */
function isDecided(want: Requirement, operator: MergeOperator): boolean {
  return ruleKey(ruleOfRequirement(want)) === ruleKey(ruleOfRequirement(operator === "and" ? denyAll : allowAll));
}

/** A want as two rules under an operator; one that is not of it can be only where it has a single part. */
function requirementParts(
  want: Requirement,
  operator: MergeOperator,
): Pick<Requirement, "old" | "require"> | undefined {
  if (want.isEitherEnough === (operator === "or")) return want;
  if (operator === "and") return undefined;
  if (isGrantAll(want.require)) return { old: want.old, require: denyAllRule() };
  return isGrantAll(want.old) ? { old: denyAllRule(), require: want.require } : undefined;
}

/** The rule that all of some wants come to; undefined where they are not the same. */
export function findCommonRule(wants: readonly (Requirement | undefined)[]): RuleNode | undefined {
  const [first, ...others] = wants.map((want) => want && ruleOfRequirement(want));
  if (first === undefined) return undefined;
  return others.every((rule) => rule && ruleKey(rule) === ruleKey(first)) ? first : undefined;
}
