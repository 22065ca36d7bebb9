import type { Directive } from "../project/directive.js";
import { type Answer, passed } from "./answer.js";
import { authenticate, authTypeOf } from "./authentication.js";
import {
  asMerged,
  type OldInForce,
  oldInForce,
  type ReadRules,
  type RequireSet,
  replacesOld,
  requireInForce,
  requireLinesOf,
} from "./merged.js";
import { decideNew } from "./new-decision.js";
import { decideOld } from "./old-decision.js";
import { type AccessState, inForce, isForMethod } from "./state.js";

/**
 * Access control of 2.4: old rules first, then Require, with a user where one is needed (server/request.c).
 *
 * @param read a step between merging the rules and deciding by them
 */
export function decide24(state: AccessState, read: ReadRules = asMerged): Answer {
  const merged = { old: oldInForce(state.layers, replacesOld("2.4")), require: requireInForce(state.groups) };
  const { old, require } = read(merged, state);
  const any = old && satisfyAny(old, state);
  const byMethod = methodRefusal(state);
  const byOld = old && byMethod === undefined ? decideOld(old.rules, state) : undefined;
  const refusal: Answer | undefined =
    byOld?.allowed === false ? { status: 403, log: ["AH01797"], by: byOld.by } : byMethod;
  if (!any) {
    if (refusal) return refusal;
    const answer = decideRequire(require, state, false);
    return answer.status === undefined ? { ...answer, by: [...(byOld?.by ?? []), ...answer.by] } : answer;
  }
  if (refusal === undefined) return { ...passed, by: [...(byOld?.by ?? []), any] };
  const answer = decideRequire(require, state, true);
  const by = answer.status === undefined ? [any, ...answer.by] : answer.by;
  return { ...answer, log: [...refusal.log, ...answer.log], by };
}

/** mod_allowmethods speaks ahead of the old rules and in their place. The lines of one section add up. */
function methodRefusal({ layers, request }: AccessState): Answer | undefined {
  const layer = layers.findLast((each) => each.has("allowmethods"));
  const by = layer?.directives.filter(({ key }) => key === "allowmethods") ?? [];
  const words = by.map((line) => line.arguments.map(({ value }) => value));
  const reset = words.findLastIndex((each) => each.length === 1 && each[0]?.toLowerCase() === "reset");
  const methods = words.slice(reset + 1).flat();
  if (methods.length === 0 || isForMethod([{ except: false, methods }], request.method)) return undefined;
  return { status: 405, log: ["AH01623"], by };
}

/** The line that makes either way suffice, if one is in force. */
function satisfyAny({ rules }: OldInForce, { request }: AccessState): Directive | undefined {
  const line = rules.satisfies.findLast(({ limits }) => isForMethod(limits, request.method));
  return line?.satisfy === "any" ? line.directive : undefined;
}

function decideRequire(rules: RequireSet | undefined, state: AccessState, any: boolean): Answer {
  if (rules === undefined) {
    const type = authTypeOf(state) === undefined ? undefined : inForce(state, "authtype");
    return type ? { status: 500, log: ["AH01627"], by: [type] } : passed;
  }
  const before = decideNew(rules, state, undefined);
  if (before.result === "granted") return { ...passed, by: before.by };
  if (before.result !== "no-user")
    return { status: 403, log: ["AH01630"], by: before.by.length > 0 ? before.by : requireLinesOf(rules) };
  const authentication = authenticate(state);
  switch (authentication.kind) {
    case "none":
      return { status: 500, log: [any ? "AH00028" : "AH00027"], by: before.by };
    case "broken":
      return { status: 500, log: authentication.codes, by: authentication.by };
    case "stranger":
      return { status: 401, log: [authentication.code], by: authentication.by };
    case "challenge":
      return { status: 401, log: [], by: before.by };
    case "user":
      return decideWithUser(rules, state, authentication.user);
  }
}

function decideWithUser(rules: RequireSet, state: AccessState, user: string): Answer {
  const { result, by } = decideNew(rules, state, user);
  if (result === "granted") return { ...passed, by };
  if (result === "no-user") return { status: 401, log: ["AH01629"], by };
  const forbids = inForce(state, "authzsendforbiddenonfailure")?.arguments[0]?.value.toLowerCase() === "on";
  return { status: forbids ? 403 : 401, log: ["AH01631"], by };
}
