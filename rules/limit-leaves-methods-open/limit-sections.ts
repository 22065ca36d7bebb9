import { isCompatDirective } from "../../src/lint/api/access.js";
import { type Directive, findLimitAround, type Scope } from "../../src/lint/api/configuration.js";

/**
 * Returns the Limit sections of a scope that hold access rules and may deny a method that has similar, unlisted
 * methods.
 */
export function findLimits({ directives }: Scope): readonly Directive[] {
  return directives.filter(
    (each) => each.key === "<limit" && chooseProbedMethods(each) && listRulesIn(each, directives).length > 0,
  );
}

export function listRulesIn(limit: Directive, directives: readonly Directive[]): readonly Directive[] {
  return directives.filter(
    (each) => (each.key === "require" || isCompatDirective(each)) && findLimitAround(each) === limit,
  );
}

/** Methods that a program or a file may handle alike, the most common first. */
const ordinary = ["POST", "PUT", "DELETE", "PATCH"];

/** Methods that only mod_dav handles. It does not handle PATCH. */
const ofDav = ["PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK"];

/** A denied method, and similar ones that may be allowed. */
interface ProbedMethods {
  readonly named: string;
  readonly others: readonly string[];
  /** Whether the section may only be meant to disable some methods. */
  readonly mayBeOff: boolean;
}

/**
 * Returns the methods to probe for a Limit section. One that names GET is meant to protect the content. One that names
 * several writing methods leaves reading open on purpose, but may have missed other writing methods. A section with a
 * single writing method is taken as intended.
 */
export function chooseProbedMethods({ arguments: words }: Directive): ProbedMethods | undefined {
  const methods = words.map(({ value }) => value);
  const others = ordinary.filter((method) => !methods.includes(method));
  if (methods.includes("GET") || methods.includes("HEAD"))
    return others.length > 0 ? { named: "GET", others, mayBeOff: false } : undefined;
  const [named, second] = ordinary.filter((method) => methods.includes(method));
  const isOfDav = methods.some((method) => ofDav.includes(method));
  const writing = others.filter((method) => method !== "POST" && !(isOfDav && method === "PATCH"));
  return named && second && writing.length > 0 ? { named, others: writing, mayBeOff: true } : undefined;
}
