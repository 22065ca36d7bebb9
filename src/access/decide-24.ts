import type { Directive } from "../project/directive.js";
import { Once } from "../scope/once.js";
import type { PerDirConfig } from "../scope/per-dir-config.js";
import { keywordOf } from "../scope/words.js";
import { checkAccess, type Refusal } from "./access-checker.js";
import { type Answer, passed } from "./answer.js";
import { authenticate, authTypeOf } from "./authentication.js";
import {
  asMerged,
  type OldInForce,
  oldInForce,
  type ReadRules,
  type RequireSet,
  type RulesInForce,
  replacesOld,
  requireInForce,
  requireLinesOf,
} from "./merged.js";
import { lacksRequire } from "./modules.js";
import { decideNew } from "./new-decision.js";
import { type AccessState, inForce, isForMethod } from "./state.js";

/** What merging the sections of 2.4 leaves. */
export const rulesInForce24 = new Once(({ layers, groups }: PerDirConfig): RulesInForce => {
  return { old: oldInForce(layers, replacesOld("2.4")), require: requireInForce(groups) };
});

/**
 * Access control of 2.4: old rules first, then Require, with a user where one is needed (server/request.c).
 *
 * @param read a step between merging the rules and deciding by them
 */
export function decide24(state: AccessState, read: ReadRules = asMerged): Answer {
  const { old, require } = read(rulesInForce24.of(state.config), state);
  const any = old && satisfyAny24(old, state);
  const { refusal, by: byOld } = checkAccess(old?.rules, state);
  if (any === undefined) {
    if (refusal) return refusal;
    const answer = decideRequire(require, state, "all");
    if (answer.status !== undefined || byOld.length === 0) return answer;
    return { ...answer, by: answer.by.length === 0 ? byOld : [...byOld, ...answer.by] };
  }
  if (refusal === undefined) return { ...passed, by: [...byOld, any] };
  const answer = decideRequire(require, state, refusal.isStrict ? refusal : "any");
  const by = answer.status === undefined ? [any, ...answer.by] : answer.by;
  return { ...answer, log: [...refusal.log, ...answer.log], by };
}

/** The line that makes either way suffice, if one is in force. */
export function satisfyAny24({ rules }: OldInForce, { request }: Pick<AccessState, "request">): Directive | undefined {
  if (rules.satisfies.length === 0) return undefined;
  const line = rules.satisfies.findLast(({ limits }) => isForMethod(limits, request));
  return line?.satisfy === "any" ? line.directive : undefined;
}

/** @param satisfy whether Require has to be met, too, or instead; or what forbids even to ask for a user */
function decideRequire(rules: RequireSet | undefined, state: AccessState, satisfy: "all" | "any" | Refusal): Answer {
  if (lacksRequire(state.project)) return decideWithoutAuthz(state, satisfy);
  if (rules === undefined) {
    const type = authTypeOf(state) === undefined ? undefined : inForce(state, "authtype");
    return type ? { status: 500, log: ["AH01627"], by: [type] } : passed;
  }
  const before = decideNew(rules, state, undefined);
  if (before.result === "granted") return { ...passed, by: before.by };
  if (before.result !== "no-user")
    return { status: 403, log: ["AH01630"], by: before.by.length > 0 ? before.by : requireLinesOf(rules) };
  if (typeof satisfy === "object") return { status: satisfy.status, log: [], by: satisfy.by };
  const authentication = authenticate(state);
  switch (authentication.kind) {
    case "none":
      return { status: 500, log: [satisfy === "any" ? "AH00028" : "AH00027"], by: before.by };
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

/** Without mod_authz_core nobody says that a request may pass, be it without a user or with one. */
function decideWithoutAuthz(state: AccessState, satisfy: "all" | "any" | Refusal): Answer {
  if (typeof satisfy === "object") return { status: satisfy.status, log: [], by: satisfy.by };
  const type = inForce(state, "authtype");
  const by = type ? [type] : [];
  const authentication = authenticate(state);
  switch (authentication.kind) {
    case "none": {
      const unconfigured = satisfy === "any" ? "AH00028" : "AH00027";
      return { status: 500, log: [state.project.modules.has("authn_core_module") ? unconfigured : "AH00025"], by };
    }
    case "broken":
      return { status: 500, log: authentication.codes, by: authentication.by };
    case "stranger":
      return { status: 401, log: [authentication.code], by: authentication.by };
    case "challenge":
      return { status: 401, log: [], by };
    case "user":
      return { status: 500, log: ["AH00025"], by, user: authentication.user };
  }
}

function decideWithUser(rules: RequireSet, state: AccessState, user: string): Answer {
  const { result, by } = decideNew(rules, state, user);
  if (result === "error") return { status: 500, log: [], by };
  if (result === "granted") return { ...passed, by, user };
  if (result === "no-user") return { status: 401, log: ["AH01629"], by };
  const forbids = keywordOf(inForce(state, "authzsendforbiddenonfailure")) === "on";
  return { status: forbids ? 403 : 401, log: ["AH01631"], by };
}
