import { parseStringExpression } from "../../grammar/expression/expression.js";
import type { Directive } from "../project/directive.js";
import { hasWildcard } from "../project/fnmatch.js";
import { absolutePath } from "../project/paths.js";
import type { Project } from "../project/project.js";
import { sentPath } from "../text/sent-path.js";
import { constantOf } from "./expression-text.js";
import type { FileTree } from "./files.js";
import { type Layer, settingIn } from "./layer.js";
import { Once } from "./once.js";
import { type Groups, patternOf } from "./patterns.js";
import type { PerDirConfig } from "./per-dir-config.js";
import type { Questions } from "./questions.js";
import { targetOf } from "./section-index.js";
import type { Server } from "./server.js";
import { inUserDirectory } from "./user-directories.js";
import { keywordOf, wordOf, wordsOf } from "./words.js";

/** What a URL path leads to before any section by path is looked at. */
export type Mapping =
  | {
      readonly kind: "file";
      /** Absolute; ends in a slash where the URL does. */
      readonly filename: string;
      /** The Alias or its like, UserDir, else the DocumentRoot; undefined for the default one. */
      readonly by?: Directive;
    }
  /** Answered at once, by a Redirect. */
  | Answered
  | ProxyMapping;

/** A backend is asked. */
export interface ProxyMapping {
  readonly kind: "proxy";
  /** `proxy:http://backend/path`. */
  readonly target: string;
  /** Whether the backend gets the path as it is written, be it broken (`nocanon`, `NE`). */
  readonly isRaw: boolean;
  readonly by: Directive;
}

interface Answered {
  readonly kind: "answered";
  readonly status: number;
  readonly by: Directive;
  /** Where it would lead that is nowhere to lead to: 500. */
  readonly lost?: string;
}

/** What a string of a section comes to for the request (`ap_expr_str_exec`); undefined where that is not known. */
export type TextOf = (text: string) => string | undefined;

/** The same where nothing is known of the request. */
function constantText(text: string): string | undefined {
  const parsed = parseStringExpression(text);
  return "expression" in parsed ? constantOf(parsed.expression) : undefined;
}

/** Compiled-in default of httpd's own builds; a package's may differ, and it then says DocumentRoot. */
const DEFAULT_ROOT = "htdocs";

/**
 * Where a URL path leads: ProxyPass, then Redirect, then Alias and its kin, each as the Location sections have it that
 * apply, else in the order of the file, the virtual host's before the main server's; then UserDir, else the DocumentRoot
 * (modules/proxy/mod_proxy.c `proxy_trans`, modules/mappers/mod_alias.c `translate_alias_redir`, server/core.c
 * `ap_core_translate`).
 *
 * @param path as `normalPath` gives it
 * @param early what is in force by then
 * @param textOf where nothing is known of the request, what is the same for all of them
 */
export function mapUrl(
  path: string,
  server: Server,
  project: Project,
  files: FileTree,
  questions: Questions,
  early: PerDirConfig,
  textOf: TextOf = constantText,
): Mapping {
  const { proxies, redirects, aliases, root } = mappers.of(server);
  const { proxying, redirecting, aliasing } = sectionMappers.of(early);
  const backend =
    (proxying && proxiedByLocation(proxying, path, questions)) ??
    firstOf(proxies, (directive) => proxied(directive, path, questions));
  if (backend !== undefined && backend !== "excepted") return backend;
  return (
    wholeRedirect(redirecting, textOf, questions) ??
    firstOf(redirects, (directive) => redirected(directive, path, questions)) ??
    (aliasing && aliasedByLocation(aliasing, { path, project, questions, early, textOf })) ??
    firstOf(aliases, (alias) => aliased(alias, path, project, questions)) ??
    inUserDirectory(path, server, project, files, questions) ??
    inVirtualRoot(path, server, questions) ??
    inDocumentRoot(path, root, project)
  );
}

/**
 * What Redirect and RedirectMatch in sections and `.htaccess` files answer, once access is granted (mod_alias.c
 * `fixup_redir`).
 *
 * @param config of which the servers' own lines do not count
 */
export function redirectedInSections(
  config: PerDirConfig,
  path: string,
  questions: Questions,
  textOf: TextOf,
): Answered | undefined {
  const layers = sectionMappers.of(config).redirecting;
  const whole = wholeRedirect(layers, textOf, questions);
  if (whole) return whole;
  for (let i = layers.length - 1; i >= 0; i--) {
    const lines = layers[i]?.only(redirectNames) ?? [];
    const found = firstOf(lines, (directive) => redirected(directive, path, questions, true));
    if (found) return found;
  }
  return undefined;
}

const redirectNames: ReadonlySet<string> = new Set(["redirect", "redirectmatch", "redirectpermanent", "redirecttemp"]);
const proxyNames: ReadonlySet<string> = new Set(["proxypass", "proxypassmatch"]);
const aliasNames: ReadonlySet<string> = new Set(["alias", "aliasmatch", "scriptalias", "scriptaliasmatch"]);

/** An Alias or its like. */
interface Alias {
  readonly by: Directive;
  readonly from: string;
  readonly to: string;
  readonly isPattern: boolean;
}

interface Root {
  /** As it is written. */
  readonly root: string;
  readonly by?: Directive;
}

/** What leads the URLs of a server elsewhere: few lines among its hosts and sections. */
interface Mappers {
  /** Here the main server's come first (mod_proxy.c `merge_proxy_config`). */
  readonly proxies: readonly Directive[];
  readonly redirects: readonly Directive[];
  readonly aliases: readonly Alias[];
  readonly root: Root;
}

const mappers = new Once((server: Server): Mappers => {
  const own = (names: ReadonlySet<string>) => server.layer.only(names);
  const ofMain = (names: ReadonlySet<string>) => server.main?.layer.only(names) ?? [];
  return {
    proxies: [...ofMain(proxyNames), ...own(proxyNames)],
    redirects: [...own(redirectNames), ...ofMain(redirectNames)],
    aliases: [...own(aliasNames), ...ofMain(aliasNames)].flatMap(readAlias),
    root: rootOf(server),
  };
});

function readAlias(by: Directive): Alias[] {
  const [from, to] = wordsOf(by);
  return from === undefined || to === undefined ? [] : [{ by, from, to, isPattern: by.key.endsWith("match") }];
}

/** The sections in force that lead URLs elsewhere. */
interface SectionMappers {
  readonly proxying: Layer | undefined;
  readonly redirecting: readonly Layer[];
  readonly aliasing: Layer | undefined;
}

const sectionMappers = new Once(({ sections }: PerDirConfig): SectionMappers => {
  return {
    proxying: sections.findLast((each) => each.has("proxypass") || each.has("proxypassmatch")),
    redirecting: sections.filter((each) => each.only(redirectNames).length > 0),
    aliasing: sections.findLast((each) => each.has("alias") || each.has("scriptalias")),
  };
});

function firstOf<T, F>(lines: readonly T[], find: (line: T) => F | undefined): F | undefined {
  for (const line of lines) {
    const found = find(line);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inDocumentRoot(path: string, { root, by }: Root, project: Project): Mapping {
  const filename = absolutePath(project.serverRoot, path.startsWith("/") ? root + path : `${root}/${path}`);
  return by ? { kind: "file", filename, by } : { kind: "file", filename };
}

/** Where mod_vhost_alias looks, which hangs on the name or the address that is asked. */
function inVirtualRoot(path: string, { layers }: Server, questions: Questions): Mapping | undefined {
  const names = path.startsWith("/cgi-bin/") ? [...virtualScripts, ...virtualRoots] : virtualRoots;
  const by = names.map((name) => settingIn(layers, name)).find((line) => line !== undefined);
  const place = wordOf(by);
  if (by === undefined || place === undefined || place.toLowerCase() === "none") return undefined;
  questions.unsettled ??= `where \`${by.name} ${by.argumentText}\` leads`;
  return { kind: "file", filename: place + path, by };
}

const virtualRoots = ["virtualdocumentroot", "virtualdocumentrootip"];
const virtualScripts = ["virtualscriptalias", "virtualscriptaliasip"];

function rootOf({ layers }: Server): Root {
  const by = settingIn(layers, "documentroot");
  const root = wordOf(by);
  return by && root !== undefined ? { root, by } : { root: DEFAULT_ROOT };
}

/** The DocumentRoot of a server, without a slash at its end. */
export function documentRootOf(server: Server, project: Project): string {
  const { root } = rootOf(server);
  return absolutePath(project.serverRoot, root).replace(/\/+$/, "");
}

const redirects: Readonly<Record<string, number>> = {
  redirect: 302,
  redirectmatch: 302,
  redirectpermanent: 301,
  redirecttemp: 302,
};
const redirectWords: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303, gone: 410 };

export interface Redirect {
  readonly status: number;
  /** What it is for; undefined for all that its section is for. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Takes a Redirect line apart (mod_alias.c `add_redirect_internal`). @param isWithin whether it stands in a section by path or a `.htaccess` file */
export function readRedirect(directive: Directive, isWithin: boolean): Redirect | undefined {
  const status = own(redirects, directive.key);
  if (status === undefined) return undefined;
  const [first = "", ...rest] = wordsOf(directive);
  const named = own(redirectWords, first.toLowerCase()) ?? (/^\d/.test(first) ? Number.parseInt(first, 10) : undefined);
  const leads = named !== undefined && named >= 300 && named < 400;
  const [from, to] = named === undefined ? [first, ...rest] : rest;
  // There, one word for where it leads is for all of it.
  if (isWithin && to === undefined && (named === undefined || leads || from === undefined))
    return { status: named ?? status, from: undefined, to: from };
  return from === undefined ? undefined : { status: named ?? status, from, to };
}

/** The Redirect in force that is for a whole section. */
function wholeRedirect(layers: readonly Layer[], textOf: TextOf, questions: Questions): Answered | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const found = layers[i]?.only(redirectNames).findLast((directive) => {
      const redirect = readRedirect(directive, true);
      return redirect !== undefined && redirect.from === undefined;
    });
    const redirect = found && readRedirect(found, true);
    if (redirect) return ledWhole(found, redirect, textOf, questions);
  }
  return undefined;
}

/** A string that begins like a URL or a path leads somewhere, whatever else it comes to. */
function ledWhole(by: Directive, { status, to = "" }: Redirect, textOf: TextOf, questions: Questions): Answered {
  if (status < 300 || status > 399 || isTarget(to)) return { kind: "answered", status, by };
  const target = textOf(to);
  const leads =
    target === undefined
      ? questions.ask(`whether the target of \`${by.name} ${by.argumentText}\` is a URL or a path`)
      : isTarget(target);
  return leads ? { kind: "answered", status, by } : { kind: "answered", status: 500, by, lost: target ?? "" };
}

function redirected(directive: Directive, path: string, questions: Questions, isWithin = false): Answered | undefined {
  const redirect = readRedirect(directive, isWithin);
  if (redirect?.from === undefined) return undefined;
  const { from, to, status } = redirect;
  if (directive.key !== "redirectmatch")
    return restBehind(from, path) === undefined ? undefined : { kind: "answered", status, by: directive };
  const groups = patternOf(from).find(path, questions);
  if (groups === undefined) return undefined;
  const lost = to === undefined || status < 300 || status > 399 ? undefined : lostIn(substituted(to, groups));
  return lost === undefined
    ? { kind: "answered", status, by: directive }
    : { kind: "answered", status: 500, by: directive, lost };
}

/** What a target is that neither begins with a slash nor is a URL, as the server tells of it. */
function lostIn(target: string): string | undefined {
  if (isTarget(target)) return undefined;
  const [path = ""] = /^[^?#]*/.exec(target) ?? [];
  return sentPath(path) + target.slice(path.length);
}

function isTarget(text: string): boolean {
  return /^(\/|[a-z0-9+.-]+:)/i.test(text);
}

/** The place that a section's Alias with one word names, for whatever the section is for (mod_alias.c `try_alias`). */
function aliasedByLocation(layer: Layer, asked: AskedAlias): Mapping | undefined {
  const { project, questions, textOf } = asked;
  const by = layer.directives.findLast(({ key }) => key === "alias" || key === "scriptalias");
  const written = wordOf(by);
  if (by === undefined || written === undefined) return undefined;
  const to = textOf(written);
  if (to === undefined) questions.unsettled ??= `where \`${by.name} ${by.argumentText}\` leads`;
  const filename = absolutePath(project.serverRoot, (to ?? written) + preservedPath(layer, asked));
  return { kind: "file", filename, by };
}

interface AskedAlias {
  readonly path: string;
  readonly project: Project;
  readonly questions: Questions;
  readonly early: PerDirConfig;
  readonly textOf: TextOf;
}

/** What AliasPreservePath keeps of a path: what is behind that of the section. */
function preservedPath({ section }: Layer, { early, path }: AskedAlias): string {
  if (keywordOf(early.setting("aliaspreservepath")) !== "on") return "";
  const from = section && targetOf(section)?.text;
  return (from !== undefined && restBehind(from, path)) || "";
}

function aliased(alias: Alias, path: string, project: Project, questions: Questions): Mapping | undefined {
  const { by, from, to, isPattern } = alias;
  if (isPattern) {
    const groups = patternOf(from).find(path, questions);
    const filename = groups && absolutePath(project.serverRoot, substituted(to, groups));
    return filename === undefined ? undefined : { kind: "file", filename, by };
  }
  const rest = restBehind(from, path);
  if (rest === undefined) return undefined;
  return { kind: "file", filename: absolutePath(project.serverRoot, to + rest), by };
}

type Backend = ProxyMapping | "excepted";

function proxied(directive: Directive, path: string, questions: Questions): Backend | undefined {
  const isMatch = directive.key === "proxypassmatch";
  const words = wordsOf(directive);
  const [from, to] = words[0] === "~" ? words.slice(1) : words;
  return from === undefined || to === undefined
    ? undefined
    : backendFor(directive, { from, isPattern: isMatch || words[0] === "~" }, to, path, questions);
}

/** ProxyPass in a Location is for its path, which counts as a pattern where it looks like one. */
function proxiedByLocation(layer: Layer, path: string, questions: Questions): Backend | undefined {
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
    const found = substituted(to, groups);
    return backend(found === to ? to + path : found);
  }
  const rest = restBehind(from, path);
  return rest === undefined ? undefined : backend(to + rest);
}

/** What a pattern leads to, with what its groups found for `$1` and the like. */
export function substituted(text: string, groups: Groups): string {
  return text.replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? "");
}

/**
 * What is left of a path behind the prefix that an Alias names: at the boundary of a component, with any number of slashes
 * for one (mod_alias.c `alias_matches`). Undefined where the path does not start so.
 */
function restBehind(prefix: string, path: string): string | undefined {
  let i = 0;
  let j = 0;
  while (i < prefix.length) {
    if (prefix[i] === "/") {
      if (path[j] !== "/") return undefined;
      while (prefix[i] === "/") i++;
      while (path[j] === "/") j++;
    } else if (path[j++] !== prefix[i++]) return undefined;
  }
  if (prefix.at(-1) !== "/" && j < path.length && path[j] !== "/") return undefined;
  return path.slice(j);
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
