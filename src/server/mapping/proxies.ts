import type { Directive } from "../../config/model/directive.js";
import { hasWildcard } from "../../text/wildcards.js";
import { argumentValuesOf, type ConfigLayer, firstArgumentOf } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { compileRegexPattern, stripAliasPrefix, substituteGroups } from "../model/patterns.js";
import { targetOf } from "../sections/section-index.js";

/** A request to a backend. */
export interface ProxyMapping {
  readonly kind: "proxy";
  /** `proxy:http://backend/path`. */
  readonly target: string;
  /** Whether the backend gets the path unchanged, even if invalid (`nocanon`, `NE`). */
  readonly isRaw: boolean;
  readonly by: Directive;
}

export const proxyPassNames: ReadonlySet<string> = new Set(["proxypass", "proxypassmatch"]);

/** Where a ProxyPass leads; one with `!` leaves the path to other lines. */
export type Backend = ProxyMapping | "excepted";

/** Applies a ProxyPass of a server to a path (modules/proxy/mod_proxy.c `proxy_trans`). */
export function mapProxyPass(directive: Directive, path: string, oracle: Oracle): Backend | undefined {
  const isMatch = directive.key === "proxypassmatch";
  const words = argumentValuesOf(directive);
  const [from, to] = words[0] === "~" ? words.slice(1) : words;
  return from === undefined || to === undefined
    ? undefined
    : backendFor(directive, { from, isPattern: isMatch || words[0] === "~" }, to, path, oracle);
}

/** Applies a ProxyPass in a Location, which maps its path; a path that looks like a pattern is one. */
export function mapLocationProxy(layer: ConfigLayer, path: string, oracle: Oracle): Backend | undefined {
  const directive = layer.pick(proxyPassNames).at(-1);
  const from = layer.section && targetOf(layer.section)?.text;
  const to = firstArgumentOf(directive);
  if (directive === undefined || from === undefined || to === undefined) return undefined;
  const isPattern = directive.key === "proxypassmatch" || hasWildcard(from);
  return backendFor(directive, { from, isPattern }, to, path, oracle);
}

function backendFor(
  by: Directive,
  { from, isPattern }: { readonly from: string; readonly isPattern: boolean },
  to: string,
  path: string,
  oracle: Oracle,
): Backend | undefined {
  const isRaw = by.arguments.some(({ value }) => value.toLowerCase() === "nocanon");
  const backend = (rest: string): Backend =>
    to === "!" ? "excepted" : { kind: "proxy", target: `proxy:${rest}`, isRaw, by };
  if (isPattern) {
    const groups = compileRegexPattern(from).find(path, oracle);
    if (groups === undefined) return undefined;
    const found = substituteGroups(to, groups, oracle);
    return backend(found === to ? to + path : found);
  }
  const rest = stripAliasPrefix(from, path);
  return rest === undefined ? undefined : backend(to + rest);
}
