import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { UrlTarget } from "../expression/variables.js";
import type { Environment } from "../model/environment.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import type { MatchGroups } from "../model/patterns.js";
import { defaultPortOf, isMethod, type Request } from "../model/request.js";
import type { UnknownValue } from "../model/unknown-value.js";
import type { ServerNames } from "../request/server-names.js";
import type { RewriteFlags } from "./rule-parser.js";

/** The state that a run of rules reads and changes. */
export interface RewriteContext {
  readonly project: Project;
  readonly files: FileTree;
  readonly oracle: Oracle;
  readonly request: Request;
  /** The path of the URL, which rules do not change. */
  readonly path: string;
  readonly names: ServerNames;
  /** Of the URL that is rewritten; its path info is that before any rule. */
  readonly target: UrlTarget;
  /** Changed by E; names are in lower case. */
  readonly env: Environment;
  /** The user authenticated by then; `unknown` if that is not known. */
  readonly user: string | undefined | "unknown";
  /** The RewriteMap lines that apply, by name. */
  readonly maps: ReadonlyMap<string, Directive>;
  /** For rules of a section or `.htaccess` file: the base of relative paths, with a trailing slash. */
  readonly directory: string | undefined;
  readonly isProxied: boolean;
  /**
   * Reports whether a substitution with this host and port refers to the same server, and is thus followed as a path.
   */
  readonly isOwnHost: (host: string, port: number) => boolean;

  /** The subject of the rules: the URL's path, later a file name or an absolute URL. */
  filename: string;
  /** The path info after the file name; rules of sections see it appended to the name. */
  pathInfo: string;
  query: string | undefined;
  status: number;
  /** The handler that a rule has set. */
  handler: string | undefined;
  /** The media type that a rule has set. */
  type: string | undefined;
  /** Whether a substitution referred to the same host and was reduced to a path. */
  isReduced: boolean;
}

/** The groups matched so far: those of the rule for `$1`, those of its conditions for `%1`. */
export interface BackReferences {
  readonly rule: MatchGroups;
  readonly condition: MatchGroups | UnknownValue;
}

/** The schemes of absolute URLs, with `//` if it is part of them (mod_rewrite.c `is_absolute_uri`). */
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

/** Returns the scheme of an absolute URL; undefined for any other text. */
export function uriSchemeOf(uri: string): { readonly length: number; readonly hasQuery: boolean } | undefined {
  if (uri.startsWith("/") || uri.length <= 5) return undefined;
  const found = schemes.find(([prefix]) => uri.slice(0, prefix.length).toLowerCase() === prefix);
  return found && { length: found[0].length, hasQuery: found[1] };
}

/** Splits the query off the result of a substitution (`splitout_queryargs`). */
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

/** Converts a path to an absolute URL of this host (`fully_qualify_uri`). */
export function qualifyUri(context: RewriteContext): void {
  const { filename, request, names } = context;
  if (isMethod(request, "CONNECT") || uriSchemeOf(filename)) return;
  const { scheme, serverName = "", serverPort } = names;
  const port = serverPort === defaultPortOf(scheme) ? "" : `:${serverPort}`;
  context.filename = `${scheme}://${serverName}${port}${filename.startsWith("/") ? "" : "/"}${filename}`;
}

/** Converts an absolute URL of this host to a path (`reduce_uri`). */
export function reduceUri(context: RewriteContext): void {
  const { filename } = context;
  const { scheme } = context.names;
  const [, written = "", host = "", port, rest = ""] = /^([^:/]+):\/\/([^:/]*)(?::([^/]*))?(.*)$/s.exec(filename) ?? [];
  if (written.toLowerCase() !== scheme) return;
  const requestedPort = port === undefined ? defaultPortOf(scheme) : Number.parseInt(port, 10) || 0;
  if (!context.isOwnHost(host, requestedPort)) return;
  context.filename = rest === "" ? "/" : rest;
  context.isReduced = true;
}

/** Reports whether a query has characters that a client cannot send unescaped (`ap_scan_vchar_obstext`). */
export function hasInvalidBytes(query: string | undefined): boolean {
  return query !== undefined && /[\0-\x20\x7f]/.test(query);
}

/** Replaces a folder at the start of a path with its URL path (`subst_prefix_path`). */
export function replacePathPrefix(input: string, match: string, prefix: string): string {
  const bare = match.replace(/\/$/, "");
  if (!input.startsWith(`${bare}/`)) return input;
  const base = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  return base + input.slice(bare.length + 1);
}
