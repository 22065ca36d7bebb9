import type { Directive } from "../../config/model/directive.js";
import { memoize } from "../../text/memoize.js";
import { keywordArgumentOf } from "../model/config-layer.js";
import type { PerDirConfig } from "../sections/per-dir-config.js";
import { type AccessDenial, runAccessCheckers } from "./access-checkers.js";
import { type AccessResult, type AccessState, grantedResult, includesMethod } from "./access-state.js";
import { authenticate, authTypeOf } from "./authentication.js";
import { findCertificateUser } from "./client-certificates.js";
import { decideByRequire, decideByRequireWith, type RequireDecision } from "./decide-require.js";
import {
  type EffectiveCompatRules,
  type EffectiveRules,
  findCompatRules,
  keepMergedRules,
  mergeRequireRules,
  type RequireSet,
  type RulesTransform,
  replacesCompatRules,
  requireLinesOf,
} from "./merge.js";
import { checkProvider, isProviderGranted } from "./provider-checks.js";
import { lacksRequire } from "./providers.js";

/** Returns the rules left after merging the sections of 2.4. */
export const effectiveRules24Of = memoize(({ layers, groups }: PerDirConfig): EffectiveRules => {
  return { compat: findCompatRules(layers, replacesCompatRules("2.4")), require: mergeRequireRules(groups) };
});

/**
 * Decides access in 2.4: mod_access_compat first, then Require, with authentication if needed (server/request.c).
 *
 * @param transform a step between merging the rules and deciding by them
 */
export function decide24(state: AccessState, transform: RulesTransform = keepMergedRules): AccessResult {
  const { compat, require } = transform(effectiveRules24Of(state.config), state);
  const any = compat && findSatisfyAny24(compat, state);
  const { denial, by: byCompat, isIdentified = false } = runAccessCheckers(compat?.rules, state);
  if (denial && (any === undefined || denial.isFinal)) return denial;
  if (any === undefined) {
    const answer = decideRequire(require, state, "all", isIdentified);
    if (answer.status !== undefined || byCompat.length === 0) return answer;
    return { ...answer, by: answer.by.length === 0 ? byCompat : [...byCompat, ...answer.by] };
  }
  if (denial === undefined) return { ...grantedResult, by: [...byCompat, any] };
  const answer = decideRequire(require, state, denial.isStrict ? denial : "any");
  const by = answer.status === undefined ? [any, ...answer.by] : answer.by;
  return { ...answer, log: [...denial.log, ...answer.log], by };
}

/** Returns the `Satisfy any` line that applies, if any. */
export function findSatisfyAny24(
  { rules }: EffectiveCompatRules,
  { request }: Pick<AccessState, "request">,
): Directive | undefined {
  if (rules.satisfies.length === 0) return undefined;
  const line = rules.satisfies.findLast(({ limits }) => includesMethod(limits, request));
  return line?.satisfy === "any" ? line.directive : undefined;
}

/**
 * @param satisfy whether Require must be met as well or instead; or a refusal that prevents authentication
 * @param isIdentified whether a third-party module has identified a user whose name is not known
 */
function decideRequire(
  rules: RequireSet | undefined,
  state: AccessState,
  satisfy: "all" | "any" | AccessDenial,
  isIdentified = false,
): AccessResult {
  if (lacksRequire(state.project)) return decideWithoutAuthz(state, satisfy);
  if (rules === undefined) {
    const type = authTypeOf(state) === undefined ? undefined : state.config.setting("authtype");
    return type ? { status: 500, log: ["AH01627"], by: [type] } : grantedResult;
  }
  const named = findCertificateUser(state);
  const isUnnamed = isIdentified && named === undefined;
  const before = isUnnamed ? decideForSomebody(rules, state) : decideByRequire(rules, state, named);
  if (before.result === "granted")
    return { ...grantedResult, by: before.by, ...(named === undefined ? {} : { user: named }) };
  if (before.result !== "no-user")
    return { status: 403, log: ["AH01630"], by: before.by.length > 0 ? before.by : requireLinesOf(rules) };
  if (typeof satisfy === "object") return { status: satisfy.status, log: [], by: satisfy.by };
  const authentication = authenticate(state);
  switch (authentication.kind) {
    case "none":
      return { status: 500, log: [satisfy === "any" ? "AH00028" : "AH00027"], by: before.by };
    case "broken":
      return { status: 500, log: authentication.codes, by: authentication.by };
    case "unknown-user":
      return { status: 401, log: [authentication.code], by: authentication.by };
    case "challenge":
      return { status: 401, log: [], by: before.by };
    case "refused":
      return { status: authentication.status, log: [], by: authentication.by };
    case "somebody":
      return finishDecision(decideForSomebody(rules, state), state);
    case "user":
      return decideWithUser(rules, state, authentication.user);
  }
}

/** Decides without mod_authz_core: no module allows a request, with or without a user. */
function decideWithoutAuthz(state: AccessState, satisfy: "all" | "any" | AccessDenial): AccessResult {
  if (typeof satisfy === "object") return { status: satisfy.status, log: [], by: satisfy.by };
  const type = state.config.setting("authtype");
  const by = type ? [type] : [];
  const authentication = authenticate(state);
  switch (authentication.kind) {
    case "none": {
      const unconfigured = satisfy === "any" ? "AH00028" : "AH00027";
      return { status: 500, log: [state.project.modules.has("authn_core_module") ? unconfigured : "AH00025"], by };
    }
    case "broken":
      return { status: 500, log: authentication.codes, by: authentication.by };
    case "unknown-user":
      return { status: 401, log: [authentication.code], by: authentication.by };
    case "challenge":
      return { status: 401, log: [], by };
    case "refused":
      return { status: authentication.status, log: [], by: authentication.by };
    case "somebody":
      return { status: 500, log: ["AH00025"], by };
    case "user":
      return { status: 500, log: ["AH00025"], by, user: authentication.user };
  }
}

function decideWithUser(rules: RequireSet, state: AccessState, user: string): AccessResult {
  return finishDecision(decideByRequire(rules, state, user), state, user);
}

/** Evaluates Require for a user whose name is not known. */
function decideForSomebody(rules: RequireSet, state: AccessState): RequireDecision {
  return decideByRequireWith(rules, state.request, (line) => {
    const result = checkProvider(line, state, undefined);
    if (result !== "no-user") return result;
    return line.provider === "valid-user" || isProviderGranted(line, state) ? "granted" : "denied";
  });
}

/** Returns the response after authentication. */
function finishDecision({ result, by }: RequireDecision, state: AccessState, user?: string): AccessResult {
  if (result === "error") return { status: 500, log: [], by };
  if (result === "granted") return { ...grantedResult, by, ...(user === undefined ? {} : { user }) };
  if (result === "no-user") return { status: 401, log: ["AH01629"], by };
  // Without an AuthType, the server does not ask for another user.
  if (authTypeOf(state) === undefined) return { status: 403, log: ["AH01630"], by };
  const sendsForbidden = keywordArgumentOf(state.config.setting("authzsendforbiddenonfailure")) === "on";
  return { status: sendsForbidden ? 403 : 401, log: ["AH01631"], by };
}
