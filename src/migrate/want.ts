import { all, any, denied, granted, isDenied, isGranted, keyOf, type Rule } from "./rule.js";

/**
 * What is wanted of a request by one method: what addresses and variables say, what Require says, and whether one of both is
 * enough. What says nothing lets everybody in, or nobody where one is enough.
 */
export interface Want {
  readonly either: boolean;
  readonly old: Rule;
  readonly require: Rule;
}

/** @param parts undefined where nothing is said */
export function wantOf(old: Rule | undefined, require: Rule | undefined, either: boolean): Want {
  const byOld = old ?? granted();
  const byRequire = require ?? granted();
  if (either) {
    if (isGranted(byOld) || isGranted(byRequire)) return everybody;
    if (isDenied(byOld)) return { either: false, old: granted(), require: byRequire };
    if (isDenied(byRequire)) return { either: false, old: byOld, require: granted() };
  } else if (isDenied(byOld)) return { either: false, old: byOld, require: granted() };
  return { either, old: byOld, require: byRequire };
}

export const everybody: Want = { either: false, old: granted(), require: granted() };
export const nobody: Want = { either: false, old: denied(), require: granted() };

/** The rule that says it all. */
export function ruleOfWant({ either, old, require }: Want): Rule {
  return either ? any([old, require]) : all([old, require]);
}

export type Operator = "and" | "or";

/** What lays nothing over what is below. */
export function neutral(operator: Operator): Rule {
  return operator === "and" ? granted() : denied();
}

/** A section's own part of what is wanted, and what is left to those below it. */
export interface Division {
  readonly own: Rule;
  readonly below: readonly (Want | undefined)[];
}

/** What a want is made of. */
export type Part = "old" | "require";

/**
 * Parts some wants into one that is the same for all and what is left of each; undefined where there is no such part. Where no
 * Require may be in force there is nothing to be said.
 *
 * @param only the part that is to be the section's own
 */
export function divided(wants: readonly (Want | undefined)[], operator: Operator, only?: Part): Division | undefined {
  if (wants.includes(undefined)) return operator === "and" ? { own: granted(), below: wants } : undefined;
  // Who is refused below is so whatever else has to hold, and who is let in whatever else is enough.
  const settled = operator === "and" ? nobody : everybody;
  const parts = wants.map((want) => (want && isSettled(want, operator) ? "settled" : want && partsOf(want, operator)));
  if (!parts.every((each) => each !== undefined)) return undefined;
  const others = parts.filter((each) => each !== "settled");
  const [first] = others;
  if (first === undefined) return only ? undefined : { own: ruleOfWant(settled), below: parts.map(() => settled) };
  const isAlike = (part: Part) =>
    part === (only ?? part) && others.every((each) => keyOf(each[part]) === keyOf(first[part]));
  const alike = { old: isAlike("old"), require: isAlike("require") };
  const join = operator === "and" ? all : any;
  const below = (of: (each: Pick<Want, Part>) => Want) =>
    parts.map((each) => (each === "settled" ? settled : of(each)));
  if (alike.old && alike.require) {
    const nothing = operator === "and" ? everybody : nobody;
    return { own: join([first.old, first.require]), below: below(() => nothing) };
  }
  if (alike.old) return { own: first.old, below: below(({ require }) => wantOf(undefined, require, false)) };
  if (alike.require) return { own: first.require, below: below(({ old }) => wantOf(old, undefined, false)) };
  return undefined;
}

/** Whether nobody is let in, or everybody where one of several is enough. */
function isSettled(want: Want, operator: Operator): boolean {
  return keyOf(ruleOfWant(want)) === keyOf(ruleOfWant(operator === "and" ? nobody : everybody));
}

/** A want as two rules under an operator; one that is not of it can be only where it has a single part. */
function partsOf(want: Want, operator: Operator): Pick<Want, "old" | "require"> | undefined {
  if (want.either === (operator === "or")) return want;
  if (operator === "and") return undefined;
  if (isGranted(want.require)) return { old: want.old, require: denied() };
  return isGranted(want.old) ? { old: denied(), require: want.require } : undefined;
}

/** The rule that all of some wants come to; undefined where they are not the same. */
export function sameWant(wants: readonly (Want | undefined)[]): Rule | undefined {
  const [first, ...others] = wants.map((want) => want && ruleOfWant(want));
  if (first === undefined) return undefined;
  return others.every((rule) => rule && keyOf(rule) === keyOf(first)) ? first : undefined;
}
