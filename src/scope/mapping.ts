import type { Directive } from "../project/directive.js";
import { absolutePath } from "../project/paths.js";
import type { Project } from "../project/project.js";
import type { Layer } from "./layer.js";
import { patternOf } from "./patterns.js";
import type { Questions } from "./questions.js";
import type { Server } from "./servers.js";

/** What a URL path leads to before any section by path is looked at. */
export type Mapping =
  | {
      readonly kind: "file";
      /** Absolute; ends in a slash where the URL does. */
      readonly filename: string;
      /** The Alias or its like, else the DocumentRoot; undefined for the default one. */
      readonly by?: Directive;
    }
  /** Answered at once, by a Redirect. */
  | { readonly kind: "answered"; readonly status: number; readonly by: Directive }
  | { readonly kind: "proxy" /** `proxy:http://backend/path`. */; readonly target: string; readonly by: Directive };

/** Compiled-in default of httpd's own builds; a package's may differ, and it then says DocumentRoot. */
const DEFAULT_ROOT = "htdocs";

/**
 * Where a URL path leads: ProxyPass, then Redirect, then Alias and its kin, each in the order of the file, the virtual
 * host's before the main server's; else the DocumentRoot (modules/mappers/mod_alias.c, server/core.c `ap_core_translate`).
 *
 * @param path as `normalPath` gives it
 */
export function mapUrl(path: string, server: Server, project: Project, questions: Questions): Mapping {
  const levels = server.main ? [server, server.main] : [server];
  const directives = levels.flatMap(({ layer }) => mappersOf(layer));
  return (
    firstOf(directives, (directive) => proxied(directive, path, questions)) ??
    firstOf(directives, (directive) => redirected(directive, path, questions)) ??
    firstOf(directives, (directive) => aliased(directive, path, project, questions)) ??
    inDocumentRoot(path, levels, project)
  );
}

const mapping = new Set([
  ...["proxypass", "proxypassmatch", "redirect", "redirectmatch", "redirectpermanent", "redirecttemp"],
  ...["alias", "aliasmatch", "scriptalias", "scriptaliasmatch"],
]);
const mappers = new WeakMap<Layer, readonly Directive[]>();

/** The lines of a server that lead URLs elsewhere: few among its hosts and sections. */
function mappersOf(layer: Layer): readonly Directive[] {
  const known = mappers.get(layer) ?? layer.content.filter(({ key }) => mapping.has(key));
  mappers.set(layer, known);
  return known;
}

function firstOf<T>(directives: readonly Directive[], find: (directive: Directive) => T | undefined): T | undefined {
  for (const directive of directives) {
    const found = find(directive);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inDocumentRoot(path: string, levels: readonly Server[], project: Project): Mapping {
  for (const { layer } of levels) {
    const by = layer.setting("documentroot");
    const root = by?.arguments[0]?.value;
    if (by && root !== undefined)
      return { kind: "file", filename: absolutePath(project.serverRoot, root).replace(/\/+$/, "") + path, by };
  }
  return { kind: "file", filename: absolutePath(project.serverRoot, DEFAULT_ROOT) + path };
}

const redirects: Readonly<Record<string, number>> = {
  redirect: 302,
  redirectmatch: 302,
  redirectpermanent: 301,
  redirecttemp: 302,
};
const redirectWords: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303, gone: 410 };

function redirected(directive: Directive, path: string, questions: Questions): Mapping | undefined {
  const status = own(redirects, directive.key);
  if (status === undefined) return undefined;
  const words = directive.arguments.map((word) => word.value);
  const [first = ""] = words;
  const named = own(redirectWords, first.toLowerCase()) ?? (/^\d{3}$/.test(first) ? Number(first) : undefined);
  const from = named === undefined ? words[0] : words[1];
  if (from === undefined) return undefined;
  const applies =
    directive.key === "redirectmatch"
      ? patternOf(from).find(path, questions) !== undefined
      : restBehind(from, path) !== undefined;
  return applies ? { kind: "answered", status: named ?? status, by: directive } : undefined;
}

function aliased(directive: Directive, path: string, project: Project, questions: Questions): Mapping | undefined {
  const { key } = directive;
  if (key !== "alias" && key !== "scriptalias" && key !== "aliasmatch" && key !== "scriptaliasmatch") return undefined;
  const [from, to] = directive.arguments.map((word) => word.value);
  if (from === undefined || to === undefined) return undefined;
  if (key.endsWith("match")) {
    const groups = patternOf(from).find(path, questions);
    const filename = groups && absolutePath(project.serverRoot, substituted(to, groups));
    return filename === undefined ? undefined : { kind: "file", filename, by: directive };
  }
  const rest = restBehind(from, path);
  if (rest === undefined) return undefined;
  return { kind: "file", filename: absolutePath(project.serverRoot, to) + rest, by: directive };
}

function proxied(directive: Directive, path: string, questions: Questions): Mapping | undefined {
  const isMatch = directive.key === "proxypassmatch";
  if (!isMatch && directive.key !== "proxypass") return undefined;
  const [from, to] = directive.arguments.map((word) => word.value);
  if (from === undefined || to === undefined) return undefined;
  const target = (rest: string): Mapping | undefined =>
    to === "!" ? undefined : { kind: "proxy", target: `proxy:${rest}`, by: directive };
  if (isMatch) {
    const groups = patternOf(from).find(path, questions);
    return groups && target(to.includes("$") ? substituted(to, groups) : to + path);
  }
  return path.startsWith(from) ? target(to + path.slice(from.length)) : undefined;
}

/** `$1` and the like in what a pattern leads to. */
function substituted(text: string, groups: readonly string[]): string {
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
