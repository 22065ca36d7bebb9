import { isMethod, usualPort } from "../request.js";
import type { RewriteContext } from "./context.js";
import type { RuleFlags } from "./rules.js";

/** The schemes that make a substitution an absolute URL; with `//` where that belongs to them (mod_rewrite.c `is_absolute_uri`). */
const schemes: readonly (readonly [prefix: string, hasQuery: boolean])[] = [
  ...([
    ["ajp://", true],
    ["balancer://", true],
    ["ftp://", false],
    ["fcgi://", true],
    ["gopher://", false],
    ["http://", true],
    ["https://", true],
    ["h2://", true],
    ["h2c://", true],
    ["ldap://", false],
    ["mailto:", true],
    ["news:", false],
    ["nntp://", false],
    ["scgi://", true],
    ["ws://", true],
    ["wss://", true],
    ["unix:", true],
  ] as const),
];

/** The scheme of an absolute URL; undefined for whatever else. */
export function schemeOf(uri: string): { readonly length: number; readonly hasQuery: boolean } | undefined {
  if (uri.startsWith("/") || uri.length <= 5) return undefined;
  const found = schemes.find(([prefix]) => uri.slice(0, prefix.length).toLowerCase() === prefix);
  return found && { length: found[0].length, hasQuery: found[1] };
}

/** Takes the query off what a substitution led to (`splitout_queryargs`). */
export function splitQuery(context: RewriteContext, { names }: RuleFlags): void {
  if (names.has("qsnone")) {
    context.query = undefined;
    return;
  }
  const scheme = schemeOf(context.filename);
  if (scheme && !scheme.hasQuery) {
    context.query = undefined;
    return;
  }
  if (names.has("qsdiscard")) context.query = undefined;
  const { filename } = context;
  const from = scheme?.length ?? 0;
  const mark = names.has("qslast") ? filename.lastIndexOf("?") : filename.indexOf("?", from);
  if (mark < from) return;
  context.filename = filename.slice(0, mark);
  const own = filename.slice(mark + 1);
  if (!names.has("qsappend")) context.query = own;
  else if (own !== "") context.query = `${own}&${context.query ?? ""}`;
  if (context.query !== undefined) context.query = context.query.replace(/&$/, "") || undefined;
}

/** Makes a path an absolute URL of this host (`fully_qualify_uri`). */
export function qualify(context: RewriteContext): void {
  const { filename, request, names } = context;
  if (isMethod(request, "CONNECT") || schemeOf(filename)) return;
  const { scheme, serverName = "", serverPort } = names;
  const port = serverPort === usualPort(scheme) ? "" : `:${serverPort}`;
  context.filename = `${scheme}://${serverName}${port}${filename.startsWith("/") ? "" : "/"}${filename}`;
}

/** Makes an absolute URL of this very host a path (`reduce_uri`). */
export function reduce(context: RewriteContext): void {
  const { filename } = context;
  const { scheme } = context.names;
  const [, written = "", host = "", port, rest = ""] = /^([^:/]+):\/\/([^:/]*)(?::([^/]*))?(.*)$/s.exec(filename) ?? [];
  if (written.toLowerCase() !== scheme) return;
  const asked = port === undefined ? usualPort(scheme) : Number.parseInt(port, 10) || 0;
  if (!context.leadsHere(host, asked)) return;
  context.filename = rest === "" ? "/" : rest;
  context.isReduced = true;
}

/** Whether a query holds what no client could send unescaped (`ap_scan_vchar_obstext`). */
export function isBroken(query: string | undefined): boolean {
  return query !== undefined && /[\0-\x20\x7f]/.test(query);
}

/** Puts a URL's path in place of the folder that it stands for (`subst_prefix_path`). */
export function withPrefix(input: string, match: string, prefix: string): string {
  const bare = match.replace(/\/$/, "");
  if (!input.startsWith(`${bare}/`)) return input;
  const base = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  return base + input.slice(bare.length + 1);
}
