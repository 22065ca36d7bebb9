import { authTypeOf } from "../access/authentication.js";
import { satisfyAny22 } from "../access/decide-22.js";
import { rulesInForce24, satisfyAny24 } from "../access/decide-24.js";
import { asGuide } from "../access/guide.js";
import { asGet } from "../access/limits.js";
import { asMerged, oldInForce, replacesOld, requireLinesInForce } from "../access/merged.js";
import type { AccessState } from "../access/state.js";
import type { Directive } from "../project/directive.js";
import type { Layer } from "../scope/layer.js";
import type { Reading } from "../simulate/decision.js";
import { ruleOfOld } from "./old-rule.js";
import { ruleOfRequire } from "./require-rule.js";
import { ruleOfRequire22 } from "./require-rule-22.js";
import { isDenied, isGranted, line, type Rule } from "./rule.js";
import { type Want, wantOf } from "./want.js";

/** Methods to tell apart; the last one stands for all that are named nowhere. */
export type Methods = readonly string[];

/** What is wanted for each of some methods; undefined where no Require may be in force, since the server answers 500. */
export type Policy = readonly (Want | undefined)[];

/** A method that no line names. */
const OTHER = "-";

/** Those that the sections of a configuration tell apart. */
export function methodsIn(layers: Iterable<Layer>): Methods {
  const named = new Set<string>();
  for (const layer of layers)
    for (const { key, arguments: words } of layer.directives)
      if (key === "<limit" || key === "<limitexcept") for (const { value } of words) named.add(asGet(value));
  return [...named, OTHER];
}

/** What cannot be said with Require, and the line that makes it so. */
export interface Inexpressible {
  readonly reason: string;
  /** The line that it is about, if it is about one. */
  readonly directive: Pick<Directive, "span"> | undefined;
}

/** What the release makes of a request. */
export function policyOf(state: AccessState, methods: Methods, reading: Reading): Policy | Inexpressible {
  const policy: (Want | undefined)[] = [];
  for (const method of methods) {
    const request = { method, path: "/", clientIp: "" };
    const asked: AccessState = { ...state, request };
    const want = state.project.release === "2.2" ? want22(asked, reading) : want24(asked, reading);
    if (want && "reason" in want) return want;
    policy.push(want);
  }
  return policy;
}

const readings = { server: asMerged, guide: asGuide } as const;

function want24(state: AccessState, reading: Reading): Want | undefined | Inexpressible {
  const { method } = state.request;
  const { old, require } = readings[reading](rulesInForce24.of(state.config), state);
  const byOld = old && ruleOfOld(old.rules, method);
  const either = old !== undefined && satisfyAny24(old, state) !== undefined;
  if (require === undefined && !either && authTypeOf(state) !== undefined) {
    if (byOld === undefined || isGranted(byOld)) return undefined;
    if (!isDenied(byOld))
      return {
        reason:
          "AuthType is in force without a Require, so whoever the addresses let pass gets 500, which no Require can say; add the Require that is meant, or take the AuthType out",
        directive: state.config.setting("authtype"),
      };
  }
  return wantOf(byOld, require && ruleOfRequire(require, method), either);
}

function want22(state: AccessState, reading: Reading): Want | Inexpressible {
  const { method } = state.request;
  const { layers } = state;
  const { old } = readings[reading]({ old: oldInForce(layers, replacesOld("2.2")), require: undefined }, state);
  const byOld = old && ruleOfOld(old.rules, method);
  const byRequire = ruleOfRequire22(requireLinesInForce(layers), method, state);
  // Nobody is asked for a password where nothing says how: all get 500.
  if (byRequire && "reason" in byRequire) return authTypeOf(state) === undefined ? unasked(byOld) : byRequire;
  return wantOf(byOld, byRequire, byRequire !== undefined && satisfyAny22(state) !== undefined);
}

/** Where somebody is to be asked for a password and nothing says how. */
function unasked(old: Rule | undefined): Want {
  return wantOf(old, line("valid-user"), false);
}
