import type { Directive } from "../project/directive.js";
import { decideOld } from "./old-decision.js";
import type { OldRules } from "./old-rules.js";
import { asksForTls, sslRefusal } from "./ssl-checks.js";
import { type AccessState, isForMethod } from "./state.js";

/** What keeps a request out ahead of Require. */
export interface Refusal {
  readonly status: 403 | 405 | 426;
  readonly log: readonly string[];
  readonly by: readonly Directive[];
  /** Whether no `Satisfy any` helps where a user is asked for: SSLOptions StrictRequire. */
  readonly isStrict: boolean;
}

/** What the modules say that look at a request ahead of Require. */
export interface AccessCheck {
  /** That of the first which refuses: nobody is asked behind it. */
  readonly refusal?: Refusal | undefined;
  /** The old rules that let the request pass. */
  readonly by: readonly Directive[];
}

/**
 * The `access_checker` hooks of 2.4: mod_allowmethods is the very first (`APR_HOOK_REALLY_FIRST`); of mod_access_compat and
 * mod_ssl, which both stand in the middle, the one that was loaded first.
 */
export function checkAccess(old: OldRules | undefined, state: AccessState): AccessCheck {
  const byMethod = methodRefusal(state);
  if (byMethod) return { refusal: byMethod, by: [] };
  const isSslFirst = asksForTls(state) && isAhead("ssl_module", "access_compat_module", state);
  const early = isSslFirst ? sslRefusal(state) : undefined;
  if (early) return { refusal: early, by: [] };
  const byOld = old && decideOld(old, state);
  if (byOld?.allowed === false)
    return { refusal: { status: 403, log: ["AH01797"], by: byOld.by, isStrict: false }, by: [] };
  return { refusal: isSslFirst ? undefined : sslRefusal(state), by: byOld?.by ?? [] };
}

/** Whether a module was loaded before another. */
function isAhead(module: string, other: string, { project }: AccessState): boolean {
  const order = project.modules.inOrder();
  return order.indexOf(module) < order.indexOf(other);
}

const allowMethods: ReadonlySet<string> = new Set(["allowmethods"]);

/** mod_allowmethods: the lines of one section add up. */
function methodRefusal({ config, layers, request }: AccessState): Refusal | undefined {
  if (!config.has("allowmethods")) return undefined;
  const by = layers.findLast((each) => each.has("allowmethods"))?.only(allowMethods) ?? [];
  const words = by.map((line) => line.arguments.map(({ value }) => value));
  const reset = words.findLastIndex((each) => each.length === 1 && each[0]?.toLowerCase() === "reset");
  const methods = words.slice(reset + 1).flat();
  if (methods.length === 0 || isForMethod([{ except: false, methods }], request)) return undefined;
  return { status: 405, log: ["AH01623"], by, isStrict: false };
}
