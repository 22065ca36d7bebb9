import type { Directive } from "../project/directive.js";
import { hasWildcard } from "../project/fnmatch.js";
import type { Layer } from "./layer.js";
import { restBehind, substituted } from "./leading.js";
import { patternOf } from "./patterns.js";
import type { Questions } from "./questions.js";
import { targetOf } from "./section-index.js";
import { wordOf, wordsOf } from "./words.js";

/** A backend is asked. */
export interface ProxyMapping {
  readonly kind: "proxy";
  /** `proxy:http://backend/path`. */
  readonly target: string;
  /** Whether the backend gets the path as it is written, be it broken (`nocanon`, `NE`). */
  readonly isRaw: boolean;
  readonly by: Directive;
}

export const proxyNames: ReadonlySet<string> = new Set(["proxypass", "proxypassmatch"]);

type Backend = ProxyMapping | "excepted";

/** What a ProxyPass of a server makes of a path (modules/proxy/mod_proxy.c `proxy_trans`). */
export function proxied(directive: Directive, path: string, questions: Questions): Backend | undefined {
  const isMatch = directive.key === "proxypassmatch";
  const words = wordsOf(directive);
  const [from, to] = words[0] === "~" ? words.slice(1) : words;
  return from === undefined || to === undefined
    ? undefined
    : backendFor(directive, { from, isPattern: isMatch || words[0] === "~" }, to, path, questions);
}

/** ProxyPass in a Location is for its path, which counts as a pattern where it looks like one. */
export function proxiedByLocation(layer: Layer, path: string, questions: Questions): Backend | undefined {
  const directive = layer.only(proxyNames).at(-1);
  const from = layer.section && targetOf(layer.section)?.text;
  const to = wordOf(directive);
  if (directive === undefined || from === undefined || to === undefined) return undefined;
  const isPattern = directive.key === "proxypassmatch" || hasWildcard(from);
  return backendFor(directive, { from, isPattern }, to, path, questions);
}

function backendFor(
  by: Directive,
  { from, isPattern }: { readonly from: string; readonly isPattern: boolean },
  to: string,
  path: string,
  questions: Questions,
): Backend | undefined {
  const isRaw = by.arguments.some(({ value }) => value.toLowerCase() === "nocanon");
  const backend = (rest: string): Backend =>
    to === "!" ? "excepted" : { kind: "proxy", target: `proxy:${rest}`, isRaw, by };
  if (isPattern) {
    const groups = patternOf(from).find(path, questions);
    if (groups === undefined) return undefined;
    const found = substituted(to, groups, questions);
    return backend(found === to ? to + path : found);
  }
  const rest = restBehind(from, path);
  return rest === undefined ? undefined : backend(to + rest);
}
