import type { Directive } from "../project/directive.js";
import { hasWildcard } from "../project/fnmatch.js";
import { absolutePath } from "../project/paths.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "./files.js";
import { type Layer, settingIn } from "./layer.js";
import { type Groups, patternOf } from "./patterns.js";
import type { PerDirConfig } from "./per-dir-config.js";
import type { Questions } from "./questions.js";
import { targetOf } from "./section-index.js";
import type { Server } from "./servers.js";
import { inUserDirectory } from "./user-directories.js";
import { wordOf, wordsOf } from "./words.js";

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

/** Compiled-in default of httpd's own builds; a package's may differ, and it then says DocumentRoot. */
const DEFAULT_ROOT = "htdocs";

/**
 * Where a URL path leads: ProxyPass, then Redirect, then Alias and its kin, each as the Location sections have it that
 * apply, else in the order of the file, the virtual host's before the main server's; then UserDir, else the DocumentRoot
 * (modules/proxy/mod_proxy.c `proxy_trans`, modules/mappers/mod_alias.c `translate_alias_redir`, server/core.c
 * `ap_core_translate`).
 *
 * @param path as `normalPath` gives it
 * @param locations the Location sections that apply
 */
export function mapUrl(
  path: string,
  server: Server,
  project: Project,
  files: FileTree,
  questions: Questions,
  locations: readonly Layer[],
): Mapping {
  const { directives, mainFirst } = mappersFor(server);
  const backend =
    proxiedByLocation(locations, path, questions) ??
    // Here the main server's come first (mod_proxy.c `merge_proxy_config`).
    firstOf(mainFirst, (directive) => proxied(directive, path, questions));
  if (backend !== undefined && backend !== "excepted") return backend;
  return (
    wholeRedirect(locations) ??
    firstOf(directives, (directive) => redirected(directive, path, questions)) ??
    aliasedByLocation(locations, project) ??
    firstOf(directives, (directive) => aliased(directive, path, project, questions)) ??
    inUserDirectory(path, server, project, files, questions) ??
    inDocumentRoot(path, server, project)
  );
}

/**
 * What Redirect and RedirectMatch in sections and `.htaccess` files answer, once access is granted (mod_alias.c
 * `fixup_redir`).
 *
 * @param config of which the servers' own lines do not count
 */
export function redirectedInSections(config: PerDirConfig, path: string, questions: Questions): Answered | undefined {
  if (config.saying(redirectNames).length === 0) return undefined;
  const layers = config.sections;
  const whole = wholeRedirect(layers);
  if (whole) return whole;
  for (let i = layers.length - 1; i >= 0; i--) {
    const lines = layers[i]?.only(redirectNames) ?? [];
    const found = firstOf(lines, (directive) => redirected(directive, path, questions, true));
    if (found) return found;
  }
  return undefined;
}

const redirectNames: ReadonlySet<string> = new Set(["redirect", "redirectmatch", "redirectpermanent", "redirecttemp"]);
const mapping = new Set([
  ...["proxypass", "proxypassmatch", "redirect", "redirectmatch", "redirectpermanent", "redirecttemp"],
  ...["alias", "aliasmatch", "scriptalias", "scriptaliasmatch"],
]);
/** The lines of a server that lead URLs elsewhere: few among its hosts and sections. */
interface Mappers {
  /** Those of a virtual host ahead of the main server's. */
  readonly directives: readonly Directive[];
  readonly mainFirst: readonly Directive[];
}

const mappers = new WeakMap<Server, Mappers>();

function mappersFor(server: Server): Mappers {
  const known = mappers.get(server);
  if (known) return known;
  const own = server.layer.only(mapping);
  const ofMain = server.main?.layer.only(mapping) ?? [];
  const made = { directives: [...own, ...ofMain], mainFirst: [...ofMain, ...own] };
  mappers.set(server, made);
  return made;
}

function firstOf<T>(directives: readonly Directive[], find: (directive: Directive) => T | undefined): T | undefined {
  for (const directive of directives) {
    const found = find(directive);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inDocumentRoot(path: string, server: Server, project: Project): Mapping {
  const { root, by } = rootOf(server);
  return { kind: "file", filename: absolutePath(project.serverRoot, `${root}/${path}`), ...(by ? { by } : {}) };
}

/** As it is written. */
function rootOf({ layers }: Server): { readonly root: string; readonly by?: Directive } {
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

interface Redirect {
  readonly status: number;
  /** What it is for; undefined for all that its section is for. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Takes a Redirect line apart (mod_alias.c `add_redirect_internal`). @param isWithin whether it stands in a section by path or a `.htaccess` file */
function readRedirect(directive: Directive, isWithin: boolean): Redirect | undefined {
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
function wholeRedirect(layers: readonly Layer[]): Answered | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const found = layers[i]?.only(redirectNames).findLast((directive) => {
      const redirect = readRedirect(directive, true);
      return redirect !== undefined && redirect.from === undefined;
    });
    const status = found && readRedirect(found, true)?.status;
    if (found && status !== undefined) return { kind: "answered", status, by: found };
  }
  return undefined;
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
  if (/^(\/|[a-z0-9+.-]+:)/i.test(target)) return undefined;
  const [path = ""] = /^[^?#]*/.exec(target) ?? [];
  return path.replace(/[^\w$.+!*'(),:;@&=/~-]/g, escapeOf) + target.slice(path.length);
}

function escapeOf(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

/** The place that a section's Alias with one word names, for whatever the section is for. */
function aliasedByLocation(locations: readonly Layer[], project: Project): Mapping | undefined {
  const layer = locations.findLast((each) => each.has("alias") || each.has("scriptalias"));
  const by = layer?.directives.findLast(({ key }) => key === "alias" || key === "scriptalias");
  const to = wordOf(by);
  return by && to !== undefined ? { kind: "file", filename: absolutePath(project.serverRoot, to), by } : undefined;
}

function aliased(directive: Directive, path: string, project: Project, questions: Questions): Mapping | undefined {
  const { key } = directive;
  if (key !== "alias" && key !== "scriptalias" && key !== "aliasmatch" && key !== "scriptaliasmatch") return undefined;
  const [from, to] = wordsOf(directive);
  if (from === undefined || to === undefined) return undefined;
  if (key.endsWith("match")) {
    const groups = patternOf(from).find(path, questions);
    const filename = groups && absolutePath(project.serverRoot, substituted(to, groups));
    return filename === undefined ? undefined : { kind: "file", filename, by: directive };
  }
  const rest = restBehind(from, path);
  if (rest === undefined) return undefined;
  return { kind: "file", filename: absolutePath(project.serverRoot, to + rest), by: directive };
}

type Backend = ProxyMapping | "excepted";

function proxied(directive: Directive, path: string, questions: Questions): Backend | undefined {
  const isMatch = directive.key === "proxypassmatch";
  if (!isMatch && directive.key !== "proxypass") return undefined;
  const words = wordsOf(directive);
  const [from, to] = words[0] === "~" ? words.slice(1) : words;
  return from === undefined || to === undefined
    ? undefined
    : backendFor(directive, { from, isPattern: isMatch || words[0] === "~" }, to, path, questions);
}

/** ProxyPass in a Location is for its path, which counts as a pattern where it looks like one. */
function proxiedByLocation(locations: readonly Layer[], path: string, questions: Questions): Backend | undefined {
  const isPass = ({ key }: Directive) => key === "proxypass" || key === "proxypassmatch";
  const layer = locations.findLast((each) => each.has("proxypass") || each.has("proxypassmatch"));
  const directive = layer?.directives.findLast(isPass);
  const from = layer?.section && targetOf(layer.section)?.text;
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

/** `$1` and the like in what a pattern leads to. */
function substituted(text: string, groups: Groups): string {
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
