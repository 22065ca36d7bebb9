import type { Directive } from "../project/directive.js";
import { hasWildcard } from "../project/fnmatch.js";
import { absolutePath } from "../project/paths.js";
import type { HtaccessFile, Project } from "../project/project.js";
import type { Scope } from "../project/scope.js";
import { fromReadable } from "../text/source.js";
import { sampleOfPattern, sampleOfWildcard } from "./sample-text.js";

/** What is asked for in a directory where nothing says otherwise. */
const FILE = "index.html";

/** A URL path that a scope applies to, as far as one can be told from its sections. */
export function pathInto(scope: Scope, project: Project): string | undefined {
  const path = placeInto(scope, project);
  const isDirectory =
    path?.endsWith("/") && (scope.place === "directory" || scope.place === "htaccess" || path === "/");
  return isDirectory ? path + FILE : path;
}

function placeInto(scope: Scope, project: Project): string | undefined {
  const { section } = scope;
  if (scope.place === "htaccess" && section === undefined) return urlOfHtaccess(scope, project);
  const outer = scope.parent ? placeInto(scope.parent, project) : "/";
  if (section === undefined || outer === undefined) return outer;
  if (scope.place === "virtualhost" || scope.place === "if" || scope.place === "proxy") return outer;
  const target = sampleOf(section);
  if (target === undefined) return undefined;
  if (scope.place === "location") return target.startsWith("/") ? target : `/${target}`;
  if (scope.place === "files") return outer.replace(/[^/]*$/, "") + target;
  return scope.place === "directory" ? urlOf(target, project, serverDirectives(scope, project)) : outer;
}

/** What a section is for, patterns made a name that they match. */
function sampleOf(section: Directive): string | undefined {
  const [first, second] = section.arguments;
  if (first === undefined) return undefined;
  if (section.key.endsWith("match")) return sampleOfPattern(first.value);
  if (first.value === "~") return second && sampleOfPattern(second.value);
  return hasWildcard(first.value) ? sampleOfWildcard(first.value) : first.value;
}

function urlOfHtaccess(scope: Scope, project: Project): string | undefined {
  const file = project.htaccess.find(({ directives }) => directives === scope.content);
  return file && urlOf(fromReadable(file.directory), project, project.directives);
}

/** The URL path of a file beside a `.htaccess` file of the main server. */
export function pathOfHtaccess({ directory }: HtaccessFile, project: Project): string | undefined {
  const path = urlOf(fromReadable(directory), project, project.directives);
  return path && path + FILE;
}

/** The directives of the virtual host around a scope, or of the main server. */
function serverDirectives(scope: Scope, project: Project): readonly Directive[] {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent)
    if (outer.place === "virtualhost") return [...outer.content, ...project.directives];
  return project.directives;
}

/** The URL path of a directory: below a document root or what Alias leads to; the root itself for one above. */
function urlOf(directory: string, project: Project, directives: readonly Directive[]): string | undefined {
  const path = withSlash(directory);
  for (const { key, arguments: words } of directives) {
    const [from, to] =
      key === "documentroot" ? ["/", words[0]?.value] : key === "alias" ? [words[0]?.value, words[1]?.value] : [];
    if (from === undefined || to === undefined) continue;
    const root = withSlash(absolutePath(project.serverRoot, to));
    if (path.startsWith(root)) return withSlash(from) + path.slice(root.length);
    if (root.startsWith(path) && key === "documentroot") return "/";
  }
  return undefined;
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
