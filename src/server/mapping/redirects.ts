import { parseStringExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import { ownProperty } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { memoize } from "../../text/memoize.js";
import { constantOf } from "../expression/constant-folding.js";
import { argumentValuesOf, type ConfigLayer, keywordArgumentOf } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { compileRegexPattern, findFirst, stripAliasPrefix, substituteGroups } from "../model/patterns.js";
import { unknownFact } from "../model/unknown-facts.js";
import { constructUrl, type ServerNames } from "../request/server-names.js";
import type { PerDirConfig } from "../sections/per-dir-config.js";
import { markIfUndefined } from "../sections/undecidable-lines.js";

/** The status of each directive if it does not name one. */
const defaultStatuses: Readonly<Record<string, number>> = {
  redirect: 302,
  redirectmatch: 302,
  redirectpermanent: 301,
  redirecttemp: 302,
};
const redirectWords: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303, gone: 410 };

export const redirectNames: ReadonlySet<string> = new Set(Object.keys(defaultStatuses));

/** An immediate response from a Redirect. */
export interface RedirectResult {
  readonly kind: "answered";
  readonly status: number;
  readonly by: Directive;
  /** The target if it is not a valid location: 500. */
  readonly invalidLocation?: string;
  /** The Location header, if the mapping itself gives it. */
  readonly location?: string | undefined;
}

/** Evaluates a string of a section for the request (`ap_expr_str_exec`); undefined if the value is unknown. */
export type StringEvaluator = (text: string) => string | undefined;

/** Evaluates such a string if nothing is known of the request. */
export function evaluateConstantText(text: string): string | undefined {
  const parsed = parseStringExpression(text);
  return parsed.ok ? constantOf(parsed.value.expression) : undefined;
}

/**
 * Returns the response of Redirect and RedirectMatch in sections and `.htaccess` files after access is granted
 * (mod_alias.c `fixup_redir`).
 *
 * @param config the servers' own lines in it are ignored
 */
export function findSectionRedirect(
  config: PerDirConfig,
  path: string,
  oracle: Oracle,
  textOf: StringEvaluator,
): RedirectResult | undefined {
  const layers = redirectingSectionsOf(config);
  const whole = findWholeRedirect(layers, textOf, oracle);
  if (whole) return whole;
  for (let i = layers.length - 1; i >= 0; i--) {
    const lines = layers[i]?.pick(redirectNames) ?? [];
    const found = findFirst(lines, (directive) => applyRedirect(directive, path, oracle, true));
    if (found) return found;
  }
  return undefined;
}

/** Returns the applicable sections and files with redirects. */
export const redirectingSectionsOf = memoize(({ sections }: PerDirConfig): readonly ConfigLayer[] =>
  sections.filter((each) => each.pick(redirectNames).length > 0),
);

/** A parsed Redirect line. */
export interface Redirect {
  readonly status: number;
  /** The source path; undefined for everything that its section matches. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * Parses a Redirect line (mod_alias.c `add_redirect_internal`). @param isWithin whether it is in a section by path or a
 * `.htaccess` file
 */
export function readRedirect(directive: Directive, isWithin: boolean): Redirect | undefined {
  const status = ownProperty(defaultStatuses, directive.key);
  if (status === undefined) return undefined;
  const [first = "", ...rest] = argumentValuesOf(directive);
  const named =
    ownProperty(redirectWords, first.toLowerCase()) ?? (/^\d/.test(first) ? Number.parseInt(first, 10) : undefined);
  const isRedirect = named !== undefined && named >= 300 && named < 400;
  const [from, to] = named === undefined ? [first, ...rest] : rest;
  // There, a single target argument applies to everything.
  if (isWithin && to === undefined && (named === undefined || isRedirect || from === undefined))
    return { status: named ?? status, from: undefined, to: from };
  return from === undefined ? undefined : { status: named ?? status, from, to };
}

/** Returns the response of the applicable Redirect for a whole section. */
export function findWholeRedirect(
  layers: readonly ConfigLayer[],
  textOf: StringEvaluator,
  oracle: Oracle,
): RedirectResult | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const found = layers[i]?.pick(redirectNames).findLast((directive) => {
      const redirect = readRedirect(directive, true);
      return redirect !== undefined && redirect.from === undefined;
    });
    const redirect = found && readRedirect(found, true);
    if (redirect) return applyWholeRedirect(found, redirect, textOf, oracle);
  }
  return undefined;
}

/** A string that begins like a URL or a path is a valid target, whatever its value. */
function applyWholeRedirect(
  by: Directive,
  { status, to = "" }: Redirect,
  textOf: StringEvaluator,
  oracle: Oracle,
): RedirectResult {
  if (status < 300 || status > 399 || isTarget(to)) return { kind: "answered", status, by };
  markIfUndefined(by, oracle);
  const target = textOf(to);
  const isRedirect =
    target === undefined ? oracle.ask(unknownFact("target-is-url", `${by.name} ${by.argumentText}`)) : isTarget(target);
  return isRedirect
    ? { kind: "answered", status, by }
    : { kind: "answered", status: 500, by, invalidLocation: target ?? "" };
}

/** Applies a Redirect to a path. */
export function applyRedirect(
  directive: Directive,
  path: string,
  oracle: Oracle,
  isWithin = false,
): RedirectResult | undefined {
  const redirect = readRedirect(directive, isWithin);
  if (redirect?.from === undefined) return undefined;
  const { from, to, status } = redirect;
  if (directive.key !== "redirectmatch")
    return stripAliasPrefix(from, path) === undefined ? undefined : { kind: "answered", status, by: directive };
  const groups = compileRegexPattern(from).find(path, oracle);
  if (groups === undefined) return undefined;
  const invalidLocation =
    to === undefined || status < 300 || status > 399
      ? undefined
      : invalidLocationMessage(substituteGroups(to, groups, oracle));
  return invalidLocation === undefined
    ? { kind: "answered", status, by: directive }
    : { kind: "answered", status: 500, by: directive, invalidLocation };
}

/** What the Location header of a Redirect depends on, besides the line. */
export interface RedirectContext {
  readonly path: string;
  readonly query: string | undefined;
  readonly names: ServerNames;
  readonly config: PerDirConfig;
  readonly oracle: Oracle;
  readonly textOf: StringEvaluator;
  /** Whether it applies after access is granted. */
  readonly isWithin: boolean;
}

/**
 * Returns the Location header of a Redirect line that applies; undefined if it sets none, or if its value is unknown
 * (mod_alias.c `translate_alias_redir`, `fixup_redir`; test/live/destinations.live.test.ts).
 */
export function locationOfRedirect(directive: Directive, context: RedirectContext): string | undefined {
  const { query, names, config } = context;
  const target = targetOfRedirect(directive, context);
  if (target === undefined || !isTarget(target)) return undefined;
  const isRelative = keywordArgumentOf(config.setting("redirectrelative")) === "on";
  const url = target.startsWith("/") && !isRelative ? constructUrl(target, names) : target;
  return query === undefined || url.includes("?") ? url : `${url}?${query}`;
}

function targetOfRedirect(
  directive: Directive,
  { path, oracle, textOf, isWithin }: RedirectContext,
): string | undefined {
  const whole = readRedirect(directive, true);
  if (whole === undefined || whole.status < 300 || whole.status > 399) return undefined;
  if (whole.from === undefined) {
    const text = whole.to === undefined ? undefined : textOf(whole.to);
    return text === undefined ? undefined : escapeUrl(text);
  }
  const { from, to } = readRedirect(directive, isWithin) ?? {};
  if (from === undefined || to === undefined) return undefined;
  if (directive.key !== "redirectmatch") {
    const rest = stripAliasPrefix(from, path);
    return rest === undefined ? undefined : to + encodeUrlPath(rest);
  }
  const groups = compileRegexPattern(from).find(path, oracle);
  return groups && escapeUrl(substituteGroups(to, groups, oracle));
}

/**
 * Escapes a URL up to its query, without the default port of its scheme and without a password (apr_uri.c
 * `apr_uri_unparse`).
 */
function escapeUrl(url: string): string {
  const [start = ""] = /^[^?#]*/.exec(url) ?? [];
  const [, scheme = "", user = "", host = "", port = "", path = ""] =
    /^(?:([a-z0-9+.-]+):\/\/(?:([^/@]*)@)?(\[[^\]/]*\]|[^/:]*)(?::(\d*))?(\/[\s\S]*)?)$/i.exec(start) ?? [];
  if (scheme === "") return encodeUrlPath(start) + url.slice(start.length);
  const shownUser = user === "" ? "" : `${user.replace(/:[\s\S]*/, ":XXXXXXXX")}@`;
  const shownPort = port === "" || port === defaultPorts[scheme.toLowerCase()] ? "" : `:${port}`;
  return encodeUrlPath(`${scheme}://${shownUser}${host}${shownPort}${path}`) + url.slice(start.length);
}

/** Ports that the server does not show in a URL (apr_uri.c `apr_uri_port_of_scheme`). */
const defaultPorts: Readonly<Record<string, string>> = { http: "80", https: "443", ftp: "21" };

/** Returns the target for the server's message if it neither begins with a slash nor is a URL. */
function invalidLocationMessage(target: string): string | undefined {
  if (isTarget(target)) return undefined;
  const [path = ""] = /^[^?#]*/.exec(target) ?? [];
  return encodeUrlPath(path) + target.slice(path.length);
}

function isTarget(text: string): boolean {
  return /^(\/|[a-z0-9+.-]+:)/i.test(text);
}
