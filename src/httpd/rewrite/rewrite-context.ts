import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import type { MatchGroups } from "../model/patterns.js";
import { defaultPortOf, isMethod, type Request } from "../model/request.js";
import type { ServerNames } from "../vhost/server-names.js";
import type { RewriteFlags } from "./rule-parser.js";

/** What a run over rules looks at, and what they change. */
export interface RewriteContext {
  readonly project: Project;
  readonly files: FileTree;
  readonly questions: Oracle;
  readonly request: Request;
  /** The path of the URL, which rules leave as it is. */
  readonly path: string;
  readonly names: ServerNames;
  /** The ServerAdmin line in force. */
  readonly serverAdmin: Directive | undefined;
  readonly documentRoot: string;
  /** Where an Alias leads from and to, where one led here. */
  readonly alias?: AliasContext | undefined;
  /** Changed by E; names are in lower case. */
  readonly env: Map<string, string>;
  /** Who is authenticated by then, and by what; `unknown` where that is not told. */
  readonly user: string | undefined | "unknown";
  /** The RewriteMap lines in force, by name. */
  readonly maps: ReadonlyMap<string, Directive>;
  /** For rules of a section or `.htaccess` file: what relative paths start from, with a slash at its end. */
  readonly directory: string | undefined;
  readonly isProxied: boolean;
  /** Whether a substitution that leads to this very host is followed as a path, and how. */
  readonly isOwnHost: (host: string, port: number) => boolean;

  /** What the rules work on: the URL's path, later a file name or an absolute URL. */
  filename: string;
  /** What follows the file's name; rules of sections see it behind the name. */
  pathInfo: string;
  query: string | undefined;
  status: number;
  /** A substitution led to this very host and was taken for a path. */
  isReduced: boolean;
}

export interface AliasContext {
  readonly prefix: string;
  readonly documentRoot: string;
}

/** What cannot be told, as the end of "not followed, since … is not known". */
export interface UnknownValue {
  readonly unknown: string;
}

export function isUnknown(value: unknown): value is UnknownValue {
  return typeof value === "object" && value !== null && "unknown" in value;
}

/** What patterns matched so far: that of the rule for `$1`, those of its conditions for `%1`. */
export interface BackReferences {
  readonly rule: MatchGroups;
  readonly condition: MatchGroups | UnknownValue;
}

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
export function uriSchemeOf(uri: string): { readonly length: number; readonly hasQuery: boolean } | undefined {
  if (uri.startsWith("/") || uri.length <= 5) return undefined;
  const found = schemes.find(([prefix]) => uri.slice(0, prefix.length).toLowerCase() === prefix);
  return found && { length: found[0].length, hasQuery: found[1] };
}

/** Takes the query off what a substitution led to (`splitout_queryargs`). */
export function splitQuery(context: RewriteContext, { names }: RewriteFlags): void {
  if (names.has("qsnone")) {
    context.query = undefined;
    return;
  }
  const scheme = uriSchemeOf(context.filename);
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
export function qualifyUri(context: RewriteContext): void {
  const { filename, request, names } = context;
  if (isMethod(request, "CONNECT") || uriSchemeOf(filename)) return;
  const { scheme, serverName = "", serverPort } = names;
  const port = serverPort === defaultPortOf(scheme) ? "" : `:${serverPort}`;
  context.filename = `${scheme}://${serverName}${port}${filename.startsWith("/") ? "" : "/"}${filename}`;
}

/** Makes an absolute URL of this very host a path (`reduce_uri`). */
export function reduceUri(context: RewriteContext): void {
  const { filename } = context;
  const { scheme } = context.names;
  const [, written = "", host = "", port, rest = ""] = /^([^:/]+):\/\/([^:/]*)(?::([^/]*))?(.*)$/s.exec(filename) ?? [];
  if (written.toLowerCase() !== scheme) return;
  const asked = port === undefined ? defaultPortOf(scheme) : Number.parseInt(port, 10) || 0;
  if (!context.isOwnHost(host, asked)) return;
  context.filename = rest === "" ? "/" : rest;
  context.isReduced = true;
}

/** Whether a query holds what no client could send unescaped (`ap_scan_vchar_obstext`). */
export function hasInvalidBytes(query: string | undefined): boolean {
  return query !== undefined && /[\0-\x20\x7f]/.test(query);
}

/** Puts a URL's path in place of the folder that it stands for (`subst_prefix_path`). */
export function replacePathPrefix(input: string, match: string, prefix: string): string {
  const bare = match.replace(/\/$/, "");
  if (!input.startsWith(`${bare}/`)) return input;
  const base = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  return base + input.slice(bare.length + 1);
}
