import type { Directive } from "../../config/model/directive.js";
import { isSince } from "../../facts/release.js";
import { memoize } from "../../text/memoize.js";
import { isConditionMet, parseExpressionCondition } from "../expression/evaluate.js";
import { keywordArgumentOf } from "../model/config-layer.js";
import { unknownFact } from "../model/unknown-facts.js";
import type { PerDirConfig } from "../sections/per-dir-config.js";
import { type AccessState, includesMethod } from "./access-state.js";
import { checkCertificate, hasSslOption } from "./client-certificates.js";
import type { CompatRules } from "./compat-rules.js";
import { decideByOrder } from "./decide-order.js";
import { findOtherCheck, identifyByOther } from "./other-modules.js";

/** A denial before Require is evaluated. */
export interface AccessDenial {
  readonly status: number;
  readonly log: readonly string[];
  readonly by: readonly Directive[];
  /** Whether `Satisfy any` with a login cannot override it: SSLOptions StrictRequire. */
  readonly isStrict: boolean;
  /** Whether the connection ends, so that no `Satisfy any` overrides it. */
  readonly isFinal?: boolean;
}

/** The result of the modules that check a request before Require. */
export interface AccessCheck {
  /** The first refusal: later modules are not run. */
  readonly denial?: AccessDenial | undefined;
  /** The mod_access_compat directives that allow the request. */
  readonly by: readonly Directive[];
  /** Whether a third-party module has identified a user whose name is not known. */
  readonly isIdentified?: boolean;
}

/**
 * Runs the `access_checker` hooks of 2.4. mod_allowmethods is always first (`APR_HOOK_REALLY_FIRST`). mod_access_compat,
 * mod_ssl and third-party modules are in the middle and run in load order; of the latter, the order matters only for the
 * status of a request that several deny.
 */
export function runAccessCheckers(compat: CompatRules | undefined, state: AccessState): AccessCheck {
  const check = runOwnCheckers(compat, state);
  const other = check.denial ? undefined : findOtherCheck("access", state);
  if (other === undefined) return check;
  const answer = identifyByOther(other, state);
  if (answer.kind === "identified") return { ...check, isIdentified: state.request.user === undefined };
  return { ...check, denial: { status: answer.status, log: [], by: [other.line], isStrict: false } };
}

function runOwnCheckers(compat: CompatRules | undefined, state: AccessState): AccessCheck {
  const byMethod = checkAllowMethods(state);
  if (byMethod) return { denial: byMethod, by: [] };
  const isSslFirst = hasTlsRequirements(state.config) && isLoadedBefore("ssl_module", "access_compat_module", state);
  const early = isSslFirst ? checkTlsRequirements(state) : undefined;
  if (early) return { denial: early, by: [] };
  const byCompat = compat && decideByOrder(compat, state);
  if (byCompat?.allowed === false)
    return { denial: { status: 403, log: ["AH01797"], by: byCompat.by, isStrict: false }, by: [] };
  return { denial: isSslFirst ? undefined : checkTlsRequirements(state), by: byCompat?.by ?? [] };
}

/** Reports whether a module was loaded before another. */
function isLoadedBefore(module: string, other: string, { project }: AccessState): boolean {
  const order = project.modules.listIdentifiers();
  return order.indexOf(module) < order.indexOf(other);
}

const allowMethods: ReadonlySet<string> = new Set(["allowmethods"]);

/** Checks mod_allowmethods, whose lines in one section add up. */
function checkAllowMethods({ config, layers, request }: AccessState): AccessDenial | undefined {
  if (!config.has("allowmethods")) return undefined;
  const by = layers.findLast((each) => each.has("allowmethods"))?.pick(allowMethods) ?? [];
  const words = by.map((line) => line.arguments.map(({ value }) => value));
  const reset = words.findLastIndex((each) => each.length === 1 && each[0]?.toLowerCase() === "reset");
  const methods = words.slice(reset + 1).flat();
  if (methods.length === 0 || includesMethod([{ except: false, methods }], request)) return undefined;
  return { status: 405, log: ["AH01623"], by, isStrict: false };
}

const sslRequire: ReadonlySet<string> = new Set(["sslrequire"]);

/** Reports whether any TLS requirement applies that may be refused. */
const hasTlsRequirements = memoize((config: PerDirConfig) =>
  ["sslrequiressl", "sslrequire", "sslverifyclient"].some((key) => config.has(key)),
);

/**
 * Checks SSLRequireSSL, SSLRequire and SSLVerifyClient (modules/ssl/ssl_engine_kernel.c `ssl_hook_Access`). Once set,
 * they apply in all inner sections.
 */
export function checkTlsRequirements(state: AccessState): AccessDenial | undefined {
  if (!hasTlsRequirements(state.config)) return undefined;
  if (state.request.scheme !== "https") return checkWithoutTls(state);
  const fault = checkCertificate(state);
  if (fault) return { ...createDenial(state, fault.log, [fault.by]), isStrict: false, isFinal: fault.endsConnection };
  const unmet = linesOf(state, sslRequire).find((line) => !isMet(line, state));
  return unmet && createDenial(state, ["AH02229"], [unmet]);
}

/** Checks a request without TLS. Only SSLRequireSSL applies to it; the other checks require TLS. */
function checkWithoutTls(state: AccessState): AccessDenial | undefined {
  const required = state.config.setting("sslrequiressl");
  if (required === undefined) return undefined;
  const engine = keywordArgumentOf(state.config.setting("sslengine"));
  // On 2.2 the client may upgrade to TLS on the same connection; late 2.4 treats the keyword as `off` (AH10510).
  if (engine === "optional" && !isSince(state.project.release, "2.4"))
    return { status: 426, log: [], by: [required], isStrict: false };
  return createDenial(state, ["AH02219"], [required]);
}

function createDenial(state: AccessState, log: readonly string[], by: readonly Directive[]): AccessDenial {
  const isNew = isSince(state.project.release, "2.4");
  return { status: 403, log: isNew ? log : [], by, isStrict: hasSslOption(state, "strictrequire") };
}

function linesOf({ layers }: AccessState, keys: ReadonlySet<string>): readonly Directive[] {
  return layers.flatMap((layer) => layer.pick(keys));
}

/**
 * Evaluates an SSLRequire line. Its ordering comparisons of strings differ, and values that depend on TLS are unknown.
 */
function isMet(line: Directive, state: AccessState): boolean {
  const written = line.argumentText;
  const isHolding = unknownFact("ssl-require", written);
  const bare = written.replace(/"[^"]*"|m#[^#]*#i?|m\/[^/]*\/i?/g, "");
  if (/[<>]|\b(lt|le|gt|ge)\b/.test(bare)) return state.oracle.ask(isHolding);
  const condition = parseExpressionCondition(asExpression(written));
  if (condition === undefined) return state.oracle.ask(isHolding);
  const probe = state.oracle.createEmpty();
  const isHeld = isConditionMet(condition, { ...state, user: undefined, oracle: probe });
  return probe.answered.size > 0 ? state.oracle.ask(isHolding) : isHeld;
}

/** Converts an SSLRequire expression, in which `eq` and `ne` compare strings. */
function asExpression(written: string): string {
  return written.replace(/"[^"]*"|\s(eq|ne)\s/g, (found, word) =>
    word === "eq" ? " == " : word === "ne" ? " != " : found,
  );
}
