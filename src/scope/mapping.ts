import type { Directive } from "../project/directive.js";
import { absolutePath } from "../project/paths.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "./files.js";
import { type Layer, settingIn } from "./layer.js";
import { firstOf, restBehind, substituted } from "./leading.js";
import { Once } from "./once.js";
import { patternOf } from "./patterns.js";
import type { PerDirConfig } from "./per-dir-config.js";
import { type ProxyMapping, proxied, proxiedByLocation, proxyNames } from "./proxies.js";
import type { Questions } from "./questions.js";
import {
  type Answered,
  constantText,
  redirected,
  redirectingSections,
  redirectNames,
  type TextOf,
  wholeRedirect,
} from "./redirects.js";
import { targetOf } from "./section-index.js";
import type { Server } from "./server.js";
import { leaveTarget } from "./unset-words.js";
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
  const mapping = mappedBy({ path, server, project, files, questions, early, textOf });
  if (mapping.kind !== "answered") leaveTarget(mapping.by, project, questions);
  return mapping;
}

/** A path with all that says where it leads. */
interface AskedPath {
  readonly path: string;
  readonly server: Server;
  readonly project: Project;
  readonly files: FileTree;
  readonly questions: Questions;
  readonly early: PerDirConfig;
  readonly textOf: TextOf;
}

function mappedBy(asked: AskedPath): Mapping {
  const { path, server, project, files, questions, early, textOf } = asked;
  const { proxies, redirects, aliases, root } = mappers.of(server);
  const { proxying, aliasing } = sectionMappers.of(early);
  const backend =
    (proxying && proxiedByLocation(proxying, path, questions)) ??
    firstOf(proxies, (directive) => proxied(directive, path, questions));
  if (backend !== undefined && backend !== "excepted") return backend;
  return (
    wholeRedirect(redirectingSections.of(early), textOf, questions) ??
    firstOf(redirects, (directive) => redirected(directive, path, questions)) ??
    (aliasing && aliasedByLocation(aliasing, asked)) ??
    firstOf(aliases, (alias) => aliased(alias, path, project, questions)) ??
    inUserDirectory(path, server, project, files, questions) ??
    inVirtualRoot(path, server, questions) ??
    inDocumentRoot(path, root, project)
  );
}

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
  readonly aliasing: Layer | undefined;
}

const sectionMappers = new Once(({ sections }: PerDirConfig): SectionMappers => {
  return {
    proxying: sections.findLast((each) => each.has("proxypass") || each.has("proxypassmatch")),
    aliasing: sections.findLast((each) => each.has("alias") || each.has("scriptalias")),
  };
});

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
  questions.leaveOpen(`where \`${by.name} ${by.argumentText}\` leads`, by);
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

/** The place that a section's Alias with one word names, for whatever the section is for (mod_alias.c `try_alias`). */
function aliasedByLocation(layer: Layer, asked: AskedPath): Mapping | undefined {
  const { project, questions, textOf } = asked;
  const by = layer.directives.findLast(({ key }) => key === "alias" || key === "scriptalias");
  const written = wordOf(by);
  if (by === undefined || written === undefined) return undefined;
  const to = textOf(written);
  if (to === undefined) questions.leaveOpen(`where \`${by.name} ${by.argumentText}\` leads`, by);
  const filename = absolutePath(project.serverRoot, (to ?? written) + preservedPath(layer, asked));
  return { kind: "file", filename, by };
}

/** What AliasPreservePath keeps of a path: what is behind that of the section. */
function preservedPath({ section }: Layer, { early, path }: AskedPath): string {
  if (keywordOf(early.setting("aliaspreservepath")) !== "on") return "";
  const from = section && targetOf(section)?.text;
  return (from !== undefined && restBehind(from, path)) || "";
}

function aliased(alias: Alias, path: string, project: Project, questions: Questions): Mapping | undefined {
  const { by, from, to, isPattern } = alias;
  if (isPattern) {
    const groups = patternOf(from).find(path, questions);
    const filename = groups && absolutePath(project.serverRoot, substituted(to, groups, questions));
    return filename === undefined ? undefined : { kind: "file", filename, by };
  }
  const rest = restBehind(from, path);
  if (rest === undefined) return undefined;
  return { kind: "file", filename: absolutePath(project.serverRoot, to + rest), by };
}
