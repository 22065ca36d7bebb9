import type { Directive } from "../project/directive.js";
import { placeOfSection } from "../project/scope.js";

/** A Limit or LimitExcept section as the rules inside it see it. */
export interface MethodLimit {
  readonly except: boolean;
  /** As written: method names are case-sensitive. */
  readonly methods: readonly string[];
}

/** HEAD is what GET is, but to those who look at its letters. */
export function asGet(method: string): string {
  return method === "HEAD" ? "GET" : method;
}

/** Whether some limits include a method; GET covers HEAD. */
export function isForAsked(limits: readonly MethodLimit[], method: string): boolean {
  const asked = asGet(method);
  return limits.every(({ except, methods }) => methods.some((each) => asGet(each) === asked) !== except);
}

const unlimited: readonly MethodLimit[] = [];

/** The method limits around a directive within its scope, the outermost first; all of them hold. */
export function limitsOf(directive: Directive): readonly MethodLimit[] {
  let limits = unlimited;
  for (let outer = directive.parent; outer && placeOfSection(outer) === undefined; outer = outer.parent) {
    if (outer.key !== "<limit" && outer.key !== "<limitexcept") continue;
    const methods = outer.arguments.map((word) => word.value);
    limits = [{ except: outer.key === "<limitexcept", methods }, ...limits];
  }
  return limits;
}

/** One text for limits that are written alike; empty for none. */
export function limitsText(limits: readonly MethodLimit[]): string {
  return limits.map(({ except, methods }) => `${except ? "LimitExcept" : "Limit"} ${methods.join(" ")}`).join(" / ");
}

/** A method that some limits are for, or may be. */
export function methodIn(limits: readonly MethodLimit[]): string {
  const excepted = limits.flatMap(({ except, methods }) => (except ? methods : []));
  const named = limits.findLast(({ except }) => !except)?.methods ?? ["GET", "POST", "PUT"];
  return named.find((name) => !excepted.includes(name)) ?? "DELETE";
}
