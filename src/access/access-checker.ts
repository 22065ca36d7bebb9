import type { Directive } from "../project/directive.js";
import { decideOld } from "./old-decision.js";
import type { OldRules } from "./old-rules.js";
import { sslRefusal } from "./ssl-checks.js";
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
  const order = state.project.modules.inOrder();
  const isSslFirst = order.indexOf("ssl_module") < order.indexOf("access_compat_module");
  const early = isSslFirst ? sslRefusal(state) : undefined;
  if (early) return { refusal: early, by: [] };
  const byOld = old && decideOld(old, state);
  if (byOld?.allowed === false)
    return { refusal: { status: 403, log: ["AH01797"], by: byOld.by, isStrict: false }, by: [] };
  return { refusal: isSslFirst ? undefined : sslRefusal(state), by: byOld?.by ?? [] };
}

/** mod_allowmethods: the lines of one section add up. */
function methodRefusal({ layers, request }: AccessState): Refusal | undefined {
  const layer = layers.findLast((each) => each.has("allowmethods"));
  const by = layer?.directives.filter(({ key }) => key === "allowmethods") ?? [];
  const words = by.map((line) => line.arguments.map(({ value }) => value));
  const reset = words.findLastIndex((each) => each.length === 1 && each[0]?.toLowerCase() === "reset");
  const methods = words.slice(reset + 1).flat();
  if (methods.length === 0 || isForMethod([{ except: false, methods }], request.method)) return undefined;
  return { status: 405, log: ["AH01623"], by, isStrict: false };
}
