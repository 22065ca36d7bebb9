import { isSince } from "../../../facts/release.js";
import type { AccessState } from "../../../server/access/access-state.js";
import { authTypeOf } from "../../../server/access/authentication.js";
import { normalizeMethod } from "../../../server/access/clients-and-methods.js";
import { findSatisfyAny22 } from "../../../server/access/decide-22.js";
import { effectiveRules24Of, findSatisfyAny24 } from "../../../server/access/decide-24.js";
import {
  findCompatRules,
  findRequireLines22,
  type RulesTransform,
  replacesCompatRules,
} from "../../../server/access/merge.js";
import { convertCompatRules } from "../../../server/access/require-conversion.js";
import { createRuleLine, isDenyAll, isGrantAll, type RequireNode } from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import type { Result } from "../../../text/result.js";
import { convertRequireRules } from "./convert-require.js";
import { convertRequireLines22 } from "./convert-require-22.js";
import { type Inexpressible, stateReason } from "./inexpressible.js";
import { buildRequirement, type Requirement } from "./requirement.js";

/** Methods to distinguish; the last one stands for all methods that are not named. */
export type MigrationMethods = readonly string[];

/** The requirement for each method; undefined if no Require may apply, because the server returns 500. */
export type AccessPolicy = readonly (Requirement | undefined)[];

/** Stands for methods that no directive names. */
const OTHER_METHOD = "-";

/** Returns the methods that the sections of a configuration distinguish. */
export function methodsOfSections(layers: Iterable<ConfigLayer>): MigrationMethods {
  const named = new Set<string>();
  for (const layer of layers)
    for (const { key, arguments: words } of layer.directives)
      if (key === "<limit" || key === "<limitexcept") for (const { value } of words) named.add(normalizeMethod(value));
  return [...named, OTHER_METHOD];
}

/** Returns the access policy that the release applies to a request. @param transform a step between merging and deciding */
export function computeAccessPolicy(
  state: AccessState,
  methods: MigrationMethods,
  transform: RulesTransform,
): Result<AccessPolicy, Inexpressible> {
  const policy: (Requirement | undefined)[] = [];
  for (const method of methods) {
    const request = { method, path: "/", clientIp: "" };
    const methodState: AccessState = { ...state, request };
    const requirement = !isSince(state.project.release, "2.4")
      ? requirement22(methodState, transform)
      : requirement24(methodState, transform);
    if (!requirement.ok) return requirement;
    policy.push(requirement.value);
  }
  return { ok: true, value: policy };
}

type RequirementResult = Result<Requirement | undefined, Inexpressible>;

function requirement24(state: AccessState, transform: RulesTransform): RequirementResult {
  const { method } = state.request;
  const { compat, require } = transform(effectiveRules24Of(state.config), state);
  const byCompat = compat && convertCompatRules(compat.rules, method);
  const either = compat !== undefined && findSatisfyAny24(compat, state) !== undefined;
  if (require === undefined && !either && authTypeOf(state) !== undefined) {
    if (byCompat === undefined || isGrantAll(byCompat)) return { ok: true, value: undefined };
    if (!isDenyAll(byCompat))
      return {
        ok: false,
        error: {
          ...stateReason("only-authtype"),
          notes: [
            "requests that pass Order, Allow and Deny return 500 (AH01627)",
            "Require lines cannot preserve a status of 500",
          ],
          help: ["add the missing Require line, or delete the AuthType line"],
          directive: state.config.setting("authtype"),
        },
      };
  }
  const byRequire = require && convertRequireRules(require, method);
  return { ok: true, value: buildRequirement(byCompat, byRequire, either) };
}

function requirement22(state: AccessState, transform: RulesTransform): RequirementResult {
  const { method } = state.request;
  const { layers } = state;
  const { compat } = transform(
    { compat: findCompatRules(layers, replacesCompatRules("2.2")), require: undefined },
    state,
  );
  const byCompat = compat && convertCompatRules(compat.rules, method);
  const byRequire = convertRequireLines22(findRequireLines22(layers), method, state);
  // Without an AuthType, nobody can be asked for a password: every request returns 500.
  if (!byRequire.ok)
    return authTypeOf(state) === undefined ? { ok: true, value: missingAuthType(byCompat) } : byRequire;
  const either = byRequire.value !== undefined && findSatisfyAny22(state) !== undefined;
  return { ok: true, value: buildRequirement(byCompat, byRequire.value, either) };
}

/** Returns the requirement when a login is needed but no AuthType is set. */
function missingAuthType(compat: RequireNode | undefined): Requirement {
  return buildRequirement(compat, createRuleLine("valid-user"), false);
}
