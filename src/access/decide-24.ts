import { type Answer, passed } from "./answer.js";
import { authenticate, authTypeOf } from "./authentication.js";
import { type OldInForce, oldInForce, replacesOld, requireInForce } from "./merged.js";
import { decideNew } from "./new-decision.js";
import { decideOld } from "./old-decision.js";
import { type AccessState, inForce, isForMethod } from "./state.js";

/** Access control of 2.4: old rules first, then Require, with a user where one is needed (server/request.c). */
export function decide24(state: AccessState): Answer {
  const old = oldInForce(state.layers, replacesOld("2.4"));
  const byOld = old && decideOld(old.rules, state);
  const isRefusedByOld = byOld?.allowed === false;
  const any = old !== undefined && isSatisfyAny(old, state);
  if (isRefusedByOld && !any) return { status: 403, log: ["AH01797"], by: byOld.by };
  if (any && !isRefusedByOld) return { ...passed, by: byOld?.by ?? [] };
  const answer = decideRequire(state, any);
  return isRefusedByOld ? { ...answer, log: ["AH01797", ...answer.log] } : answer;
}

function isSatisfyAny({ rules }: OldInForce, { request }: AccessState): boolean {
  return rules.satisfies.findLast(({ limits }) => isForMethod(limits, request.method))?.satisfy === "any";
}

function decideRequire(state: AccessState, any: boolean): Answer {
  const rules = requireInForce(state.groups);
  if (rules === undefined) {
    const type = authTypeOf(state) === undefined ? undefined : inForce(state, "authtype");
    return type ? { status: 500, log: ["AH01627"], by: [type] } : passed;
  }
  const before = decideNew(rules, state, undefined);
  if (before.result === "granted") return { ...passed, by: before.by };
  if (before.result !== "no-user") return { status: 403, log: ["AH01630"], by: before.by };
  const authentication = authenticate(state);
  switch (authentication.kind) {
    case "none":
      return { status: 500, log: [any ? "AH00028" : "AH00027"], by: before.by };
    case "broken":
      return { status: 500, log: [authentication.code], by: authentication.by };
    case "challenge":
      return { status: 401, log: [], by: before.by };
    case "user":
      return decideWithUser(state, authentication.user);
  }
}

function decideWithUser(state: AccessState, user: string): Answer {
  const rules = requireInForce(state.groups);
  if (rules === undefined) return passed;
  const { result, by } = decideNew(rules, state, user);
  if (result === "granted") return { ...passed, by };
  if (result === "no-user") return { status: 401, log: ["AH01629"], by };
  const forbids = inForce(state, "authzsendforbiddenonfailure")?.arguments[0]?.value.toLowerCase() === "on";
  return { status: forbids ? 403 : 401, log: ["AH01631"], by };
}
