import { isWithin, pathKey, resolvePath, toAbsolutePath, withTrailingSlash } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { type DirectoryMapping, directoryMappingOf } from "../../config/queries/named-directories.js";
import { sampleNameFor } from "../../proof/requests/sample-text.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable } from "../../text/source.js";
import { hasWildcard, sampleWildcard } from "../../text/wildcards.js";

/** Default file name to request in a directory. */
const DEFAULT_FILE = "index.html";

/**
 * Returns a URL path that a scope applies to, if one can be derived from its sections.
 *
 * @param host the requested virtual host; undefined for the main server
 */
export function findPathInto(scope: Scope, project: Project, host: Directive | undefined): string | undefined {
  const path = placeInto(scope, project, host);
  const isDirectory =
    path?.endsWith("/") && (scope.place === "directory" || scope.place === "htaccess" || path === "/");
  return isDirectory ? path + DEFAULT_FILE : path;
}

/** Returns the URL path of a file in the directory of a `.htaccess` file. */
export function findPathBeside(
  { directory }: Pick<HtaccessFile, "directory">,
  project: Project,
  host: Directive | undefined,
): string | undefined {
  const path = urlOf(fromReadable(directory), project, host);
  return path && path + DEFAULT_FILE;
}

/** Returns the `.htaccess` file that contains a scope; undefined for a scope of the main files. */
export function htaccessFileOf(scope: Scope, project: Project): HtaccessFile | undefined {
  if (scope.parent) return htaccessFileOf(scope.parent, project);
  return scope.place === "htaccess" && scope.section === undefined
    ? htaccessByContentOf(project).get(scope.content)
    : undefined;
}

const htaccessByContentOf = memoize(
  ({ htaccess }: Project) => new Map(htaccess.map((file) => [file.directives, file] as const)),
);

function placeInto(scope: Scope, project: Project, host: Directive | undefined): string | undefined {
  const { section } = scope;
  if (scope.place === "htaccess" && section === undefined) {
    const file = htaccessFileOf(scope, project);
    return file && urlOf(fromReadable(file.directory), project, host);
  }
  const outer = scope.parent ? placeInto(scope.parent, project, host) : "/";
  if (section === undefined || outer === undefined) return outer;
  if (scope.place === "virtualhost" || scope.place === "if" || scope.place === "proxy") return outer;
  const target = sampleOf(section);
  if (target === undefined) return undefined;
  if (scope.place === "location") return target.startsWith("/") ? target : `/${target}`;
  if (scope.place === "files") return outer.replace(/[^/]*$/, "") + target;
  if (scope.place !== "directory") return outer;
  return isPattern(section) ? urlOfPattern(target, project, host) : urlOf(target, project, host);
}

/** Returns a URL for a pattern; it is matched against whole file names, including those below a document root. */
function urlOfPattern(target: string, project: Project, host: Directive | undefined): string | undefined {
  const url = urlOf(target, project, host);
  if (url === undefined || url === "/") return target.startsWith("/") ? target : `/${target}`;
  return target.endsWith("/") ? url : url.replace(/\/$/, "");
}

function isPattern({ key, arguments: [first] }: Directive): boolean {
  return key.endsWith("match") || first?.value === "~";
}

/** Returns whether a scope applies to directories by a pattern or wildcards: there may be none. */
export function isDirectoryPattern({ place, section, parent }: Scope): boolean {
  const [first] = section?.arguments ?? [];
  const isHere = place === "directory" && section && first && (isPattern(section) || hasWildcard(first.value));
  return Boolean(isHere) || (parent !== undefined && isDirectoryPattern(parent));
}

/**
 * Returns whether the directory of a file is missing although its document root exists. A name without a dot is taken
 * for a directory.
 */
export function isInMissingDirectory(filename: string, { directories }: Project): boolean {
  if (directories === undefined) return false;
  let folder = filename.replace(/\/(?:[^/]*\.[^/]*)?$/, "");
  if (directories.has(folder)) return false;
  while (folder !== "" && !directories.has(folder)) folder = folder.slice(0, folder.lastIndexOf("/"));
  return folder !== "";
}

/** Returns the target of a section; for a pattern, a name that it matches. */
function sampleOf(section: Directive): string | undefined {
  const [first, second] = section.arguments;
  if (first === undefined) return undefined;
  if (isPattern(section)) {
    const pattern = first.value === "~" ? second : first;
    return pattern && sampleNameFor(pattern.value);
  }
  return hasWildcard(first.value) ? sampleWildcard(first.value) : first.value;
}

/**
 * Returns the URL path of a directory: below a document root or the target of an Alias; for a directory above the root,
 * that of the root.
 */
function urlOf(directory: string, project: Project, host: Directive | undefined): string | undefined {
  const path = withTrailingSlash(
    directory === "/" ? directory : (toAbsolutePath(directory, project.serverRoot) ?? directory),
  );
  const roots = urlRootsOf(project, host);
  const mapping = roots.find(({ to }) => isWithin(path, to));
  if (mapping) return mapping.from + path.slice(mapping.to.length);
  return roots.find(({ to }) => isWithin(to, path))?.from;
}

/**
 * Returns the targets of URL paths, the document root of the virtual host or of the main server first. All end in a
 * slash.
 */
export function urlRootsOf(project: Project, host: Directive | undefined): readonly DirectoryMapping[] {
  const inHost = rootsIn(host?.children ?? [], project);
  const inMain = rootsIn(project.directives, project);
  const main = inHost.root ? undefined : inMain.root;
  const root = inHost.root ?? main;
  const aliases = [...inHost.aliases, ...inMain.aliases];
  // Every path is below a root of `/`, which is assumed around a fragment: an Alias is more specific.
  return (root?.to === "/" ? [...aliases, root] : [root, ...aliases]).filter((each) => each !== undefined);
}

/** Returns the targets of URL paths in the main server and all virtual hosts, each pair once. */
export const allUrlRootsOf = memoize((project: Project): readonly DirectoryMapping[] => {
  const found = new Map<string, DirectoryMapping>();
  for (const host of [undefined, ...indexDirectives(project).named("<virtualhost")])
    for (const mapping of urlRootsOf(project, host))
      getOrCreate(found, `${mapping.from}\n${mapping.to}`, () => mapping);
  return [...found.values()];
});

/**
 * Returns the URL paths by which a browser may know a directory, on any host, without the first slash; the longest first.
 *
 * @param directory its path with a slash at the end
 */
export function urlPathsOf(directory: string, project: Project): readonly string[] {
  const byDirectory = urlRootsByDirectory(project);
  const urls = new Set<string>();
  for (let end = directory.length; end > 0; end = end > 1 ? directory.lastIndexOf("/", end - 2) + 1 : 0) {
    const start = directory.slice(0, end);
    for (const { from } of byDirectory.get(pathKey(start)) ?? []) urls.add((from + directory.slice(end)).slice(1));
  }
  return [...urls].filter((url) => url !== "").sort((a, b) => b.length - a.length);
}

const urlRootsByDirectory = memoize((project: Project) => {
  const found = new Map<string, DirectoryMapping[]>();
  for (const mapping of allUrlRootsOf(project)) getOrCreate(found, pathKey(mapping.to), () => []).push(mapping);
  return found;
});

interface Roots {
  readonly root: DirectoryMapping | undefined;
  readonly aliases: readonly DirectoryMapping[];
}

interface KnownRoots extends Roots {
  readonly serverRoot: string;
}

const known = new WeakMap<readonly Directive[], KnownRoots>();

function rootsIn(directives: readonly Directive[], { serverRoot }: Project): Roots {
  const before = known.get(directives);
  if (before?.serverRoot === serverRoot) return before;
  let root: DirectoryMapping | undefined;
  const aliases: DirectoryMapping[] = [];
  for (const directive of directives) {
    const written = directoryMappingOf(directive);
    if (written === undefined) continue;
    const placement = {
      from: withTrailingSlash(written.from),
      to: withTrailingSlash(resolvePath(serverRoot, written.to)),
    };
    if (directive.key === "documentroot") root = placement;
    else aliases.push(placement);
  }
  const roots = { root, aliases, serverRoot };
  known.set(directives, roots);
  return roots;
}
