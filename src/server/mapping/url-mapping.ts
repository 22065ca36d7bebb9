import { resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { isAssumed, type Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { isSince } from "../../facts/release.js";
import { sentStatusOf } from "../../facts/status-codes.js";
import { memoize } from "../../text/memoize.js";
import {
  argumentValuesOf,
  type ConfigLayer,
  findSetting,
  firstArgumentOf,
  keywordArgumentOf,
} from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import {
  compileRegexPattern,
  findFirst,
  type MatchGroups,
  stripAliasPrefix,
  substituteGroups,
} from "../model/patterns.js";
import type { Server } from "../model/server.js";
import { unknownFact } from "../model/unknown-facts.js";
import { isWithinServerPath } from "../request/server-names.js";
import { NO_PROXY } from "../request/setenvif.js";
import type { PerDirConfig } from "../sections/per-dir-config.js";
import { targetOf } from "../sections/section-index.js";
import { markUndefinedTarget } from "../sections/undecidable-lines.js";
import { type Backend, mapLocationProxy, mapProxyPass, type ProxyMapping, proxyPassNames } from "./proxies.js";
import {
  applyRedirect,
  findWholeRedirect,
  type RedirectResult,
  redirectingSectionsOf,
  redirectNames,
  type StringEvaluator,
} from "./redirects.js";
import { mapUserDirectory } from "./user-directories.js";
import { mapToVirtualRoot, type VirtualNames } from "./virtual-roots.js";

/** The target of a URL path before any section by path is checked. */
export type UrlMapping =
  | {
      readonly kind: "file";
      /** An absolute path; ends in a slash if the URL does. */
      readonly filename: string;
      /** The Alias or similar directive, UserDir, else the DocumentRoot; undefined for the default one. */
      readonly by?: Directive;
      /** The root that mod_vhost_alias sets for the request. */
      readonly documentRoot?: string;
      /** Whether the server cannot form the path: it is too long, or leads above the DocumentRoot. */
      readonly isRefused?: boolean;
      /** The URL path that stands for a directory, as rules in sections use it (mod_userdir). */
      readonly context?: { readonly prefix: string; readonly documentRoot: string };
    }
  /** An immediate response from a Redirect. */
  | RedirectResult
  | ProxyMapping;

/**
 * Reports whether a line of the configuration, or the location of a `.htaccess` file, maps the URL to a path on the disk,
 * rather than the document root that is assumed for a fragment.
 */
export function isMapped({ kind, by }: UrlMapping): boolean {
  if (kind !== "file") return true;
  return by !== undefined && !(isAssumed(by.span) && by.arguments[0]?.value === "/");
}

/** Compiled-in default of httpd's own builds; a package's may differ, and its configuration then sets DocumentRoot. */
const DEFAULT_ROOT = "htdocs";

/**
 * Maps a URL path: by ProxyPass, then Redirect, then Alias and similar directives, then WSGIScriptAlias, then UserDir, then mod_vhost_alias, else
 * the DocumentRoot.
 * Each uses the Location sections that apply first, else file order, with the virtual host's before the main server's
 * (modules/proxy/mod_proxy.c `proxy_trans`, modules/mappers/mod_alias.c `translate_alias_redir`, server/core.c
 * `ap_core_translate`).
 *
 * @param path as `normalizePath` returns it
 * @param early the configuration that applies by then
 * @param textOf for an unknown request, returns the text that is the same for all requests
 * @param names undefined for an unknown request
 */
export function mapUrl(input: MappingInput): UrlMapping {
  const mapping = mapPath(input);
  if (mapping.kind !== "answered") markUndefinedTarget(mapping.by, input.project, input.oracle);
  return mapping;
}

/** A path to map, and what it depends on. */
interface MappingInput {
  readonly path: string;
  readonly server: Server;
  readonly project: Project;
  readonly files: FileTree;
  readonly oracle: Oracle;
  readonly early: PerDirConfig;
  readonly textOf: StringEvaluator;
  readonly names?: VirtualNames | undefined;
  /** Reports whether a variable is set by then; without it, none is. */
  readonly isSet?: (name: string) => boolean;
  /** Reports whether the request has the header `Upgrade`; without it, it has. */
  readonly hasUpgrade?: () => boolean;
}

/** Reports whether a line may set the variable that turns off ProxyPass. */
export const mayTurnOffProxies = memoize((project: Project) =>
  indexDirectives(project).some(
    (text) => mentionsNoProxy.test(text),
    ({ argumentText }) => mentionsNoProxy.test(argumentText),
  ),
);

const mentionsNoProxy = /no-proxy/i;

/**
 * Reports whether a backend of mod_proxy_wstunnel only gets requests with the header `Upgrade`: the next line maps the others
 * (`proxy_wstunnel_check_trans`).
 */
export function needsUpgrade({ target }: ProxyMapping, { modules, release }: Project, early: PerDirConfig): boolean {
  if (!/^proxy:wss?:/i.test(target) || !isSince(release, "2.4.48") || !modules.has("proxy_wstunnel_module"))
    return false;
  const isFallback = keywordArgumentOf(early.setting("proxywebsocketfallbacktoproxyhttp")) !== "off";
  return !isFallback || !modules.has("proxy_http_module");
}

function mapPath(input: MappingInput): UrlMapping {
  const { path, server, project, files, oracle, early, textOf, names } = input;
  const { proxies, redirects, aliases, root } = mappersOf(server);
  const { proxying, aliasing } = sectionMappersOf(early);
  const isProxyOff = (proxying ?? proxies[0]) !== undefined && mayTurnOffProxies(project) && input.isSet?.(NO_PROXY);
  const accept = (backend: Backend | undefined) =>
    backend && backend !== "excepted" && needsUpgrade(backend, project, early) && input.hasUpgrade?.() === false
      ? undefined
      : backend;
  const backend = isProxyOff
    ? undefined
    : (accept(proxying && mapLocationProxy(proxying, path, oracle)) ??
      findFirst(proxies, (directive) => accept(mapProxyPass(directive, path, oracle))));
  if (backend !== undefined && backend !== "excepted") return backend;
  const redirect =
    findWholeRedirect(redirectingSectionsOf(early), textOf, oracle) ??
    findFirst(redirects, (directive) => applyRedirect(directive, path, oracle));
  return (
    (redirect && { ...redirect, status: sentStatusOf(redirect.status, project.release) }) ??
    (aliasing && applyLocationAlias(aliasing, input)) ??
    findFirst(aliases, (alias) => applyAlias(alias, path, project, oracle)) ??
    mapUserDirectory(path, server, project, files, oracle) ??
    mapToVirtualRoot(path, server, project.release, names, oracle) ??
    mapToDocumentRoot(path, root, server, project)
  );
}

const aliasNames: ReadonlySet<string> = new Set(["alias", "aliasmatch", "scriptalias", "scriptaliasmatch"]);

/** The aliases of mod_wsgi, which map a path after those of mod_alias (mod_wsgi.c `wsgi_hook_intercept`). */
const programAliasNames: ReadonlySet<string> = new Set(["wsgiscriptalias", "wsgiscriptaliasmatch"]);

/** An Alias or a similar directive. */
interface Alias {
  readonly by: Directive;
  readonly from: string;
  readonly to: string;
  readonly isPattern: boolean;
}

interface Root {
  /** The original spelling. */
  readonly root: string;
  readonly by?: Directive;
}

/** The mapping directives of a server: few lines among its hosts and sections. */
interface ServerMappers {
  /** The main server's come first (mod_proxy.c `merge_proxy_config`). */
  readonly proxies: readonly Directive[];
  readonly redirects: readonly Directive[];
  readonly aliases: readonly Alias[];
  readonly root: Root;
}

const mappersOf = memoize((server: Server): ServerMappers => {
  const own = (names: ReadonlySet<string>) => server.layer.pick(names);
  const ofMain = (names: ReadonlySet<string>) => server.main?.layer.pick(names) ?? [];
  return {
    proxies: [...ofMain(proxyPassNames), ...own(proxyPassNames)],
    redirects: [...own(redirectNames), ...ofMain(redirectNames)],
    aliases: [aliasNames, programAliasNames].flatMap((names) => [...own(names), ...ofMain(names)]).flatMap(readAlias),
    root: rootOf(server),
  };
});

function readAlias(by: Directive): Alias[] {
  const [from, to] = argumentValuesOf(by);
  return from === undefined || to === undefined ? [] : [{ by, from, to, isPattern: by.key.endsWith("match") }];
}

/** The applicable sections that map URLs. */
interface SectionMappers {
  readonly proxying: ConfigLayer | undefined;
  readonly aliasing: ConfigLayer | undefined;
}

const sectionMappersOf = memoize(({ sections }: PerDirConfig): SectionMappers => {
  return {
    proxying: sections.findLast((each) => each.has("proxypass") || each.has("proxypassmatch")),
    aliasing: sections.findLast((each) => each.has("alias") || each.has("scriptalias")),
  };
});

function mapToDocumentRoot(path: string, { root, by }: Root, server: Server, project: Project): UrlMapping {
  const rest = pathAfterServerPath(path, server);
  const filename = resolvePath(
    project.serverRoot,
    rest === "" || rest.startsWith("/") ? root + rest : `${root}/${rest}`,
  );
  const folder = resolvePath(project.serverRoot, root);
  const isTooLong = folder.length + rest.replace(/^\/+/, "").length + 4 > MAX_PATH_LENGTH;
  const isRefused = isTooLong || leadsAboveRoot(rest);
  return { kind: "file", filename, ...(by ? { by } : {}), ...(isRefused ? { isRefused } : {}) };
}

/** Reports whether a path leads above the directory that it is appended to (APR_FILEPATH_SECUREROOT). */
export function leadsAboveRoot(path: string): boolean {
  if (!path.includes("..")) return false;
  let depth = 0;
  for (const segment of path.split("/")) {
    if (segment === "..") depth--;
    else if (segment !== "" && segment !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** The most bytes of a path below the DocumentRoot, of which four are reserved (APR's `apr_filepath_merge`). */
const MAX_PATH_LENGTH = 4096;

/** Returns the path below the DocumentRoot: ServerPath is not part of it (server/core.c `ap_core_translate`). */
function pathAfterServerPath(path: string, { layer }: Server): string {
  const prefix = firstArgumentOf(layer.setting("serverpath"));
  return prefix !== undefined && isWithinServerPath(path, prefix) ? path.slice(prefix.length) : path;
}

function rootOf({ layers }: Server): Root {
  const by = findSetting(layers, "documentroot");
  const root = firstArgumentOf(by);
  return by && root !== undefined ? { root, by } : { root: DEFAULT_ROOT };
}

/** Returns the DocumentRoot of a server, without a trailing slash. */
export function documentRootOf(server: Server, project: Project): string {
  const { root } = rootOf(server);
  return resolvePath(project.serverRoot, root).replace(/\/+$/, "");
}

/**
 * Returns the target of a section's Alias with one argument, which applies to everything the section matches
 * (mod_alias.c `try_alias`).
 */
function applyLocationAlias(layer: ConfigLayer, input: MappingInput): UrlMapping | undefined {
  const { project, oracle, textOf } = input;
  const by = layer.directives.findLast(({ key }) => key === "alias" || key === "scriptalias");
  const written = firstArgumentOf(by);
  if (by === undefined || written === undefined) return undefined;
  const to = textOf(written);
  if (to === undefined) oracle.markUndecidable(unknownFact("target", `${by.name} ${by.argumentText}`), by);
  const filename = resolvePath(project.serverRoot, (to ?? written) + pathAfterLocation(layer, input));
  return { kind: "file", filename, by };
}

/** Returns the part of a path that AliasPreservePath keeps: the rest after the section's path. */
function pathAfterLocation({ section }: ConfigLayer, { early, path }: MappingInput): string {
  return (section && preservesPath(early) && stripAliasPrefix(targetOf(section)?.text ?? "", path)) || "";
}

/** Reports whether an Alias in a section appends the rest of the path (mod_alias.c `try_alias`). */
export function preservesPath(early: PerDirConfig): boolean {
  return keywordArgumentOf(early.setting("aliaspreservepath")) === "on";
}

function applyAlias(alias: Alias, path: string, project: Project, oracle: Oracle): UrlMapping | undefined {
  const { by, from, to, isPattern } = alias;
  if (programAliasNames.has(by.key)) return applyProgramAlias(alias, path, oracle);
  if (isPattern) {
    const groups = compileRegexPattern(from).find(path, oracle);
    const filename = groups && resolvePath(project.serverRoot, substituteGroups(to, groups, oracle));
    return filename === undefined ? undefined : { kind: "file", filename, by };
  }
  const rest = stripAliasPrefix(from, path);
  if (rest === undefined) return undefined;
  return { kind: "file", filename: resolvePath(project.serverRoot, to + rest), by };
}

/**
 * Maps a path by an alias of mod_wsgi: the path after the location is appended, also to the target of a pattern, and for the
 * location `/` the whole path. Relative targets are not below ServerRoot (mod_wsgi.c `wsgi_hook_intercept`).
 */
function applyProgramAlias({ by, from, to, isPattern }: Alias, path: string, oracle: Oracle): UrlMapping | undefined {
  const found = isPattern ? matchStart(from, path, oracle) : { rest: stripAliasPrefix(from, path) };
  if (found?.rest === undefined) return undefined;
  const location = isPattern ? path.slice(0, path.length - found.rest.length) : from;
  const target = "groups" in found ? substituteGroups(to, found.groups, oracle) : to;
  return { kind: "file", filename: resolvePath("/", target + (location === "/" ? path : found.rest)), by };
}

/** Returns the groups of a match, and the text after it; undefined if the pattern does not match. */
function matchStart(
  pattern: string,
  path: string,
  oracle: Oracle,
): { readonly groups: MatchGroups; readonly rest: string } | undefined {
  const groups = compileRegexPattern(`(?:${pattern})([\\s\\S]*)`).find(path, oracle);
  if (groups === undefined) return undefined;
  const rest = groups.length > 1 ? (groups.at(-1) ?? "") : "";
  const [matched = ""] = groups;
  return { groups: [matched.slice(0, matched.length - rest.length), ...groups.slice(1, -1)], rest };
}
