import type { Directive } from "../project/directive.js";
import { hasWildcard } from "../project/fnmatch.js";
import type { Scope } from "../project/scope.js";

/** The lines that name the group files in force at some place, of each kind the innermost. */
export interface GroupFiles {
  readonly dbm?: Directive;
  readonly text?: Directive;
}

/**
 * Which group files are in force in a scope, as far as that is certain: its own, those of the sections around it in the
 * file, and those of Directory sections for a directory above its own. A text file that may come in from elsewhere (a
 * Directory section over a Location) counts as in force, so that nothing is said where it is not known.
 *
 * @param scopes all scopes of a configuration
 */
export function groupFilesOf(scopes: readonly Scope[]): (scope: Scope) => GroupFiles {
  const byPath = new Map<string, GroupFiles>();
  let elsewhere: Directive | undefined;
  let byPattern: Directive | undefined;
  for (const scope of scopes) {
    const own = ownFiles(scope);
    if (own.dbm === undefined && own.text === undefined) continue;
    if (scope.place === "directory" || scope.place === "htaccess") elsewhere ??= own.text;
    const path = directoryOf(scope);
    // Patterns come after all directories, whatever they are inside of.
    if (path === undefined && scope.place === "directory") byPattern ??= own.text;
    if (path !== undefined) byPath.set(path, { ...byPath.get(path), ...own });
  }
  return (scope) => {
    let files: GroupFiles = {};
    for (let outer: Scope | undefined = scope; outer; outer = outer.parent) {
      files = { ...ownFiles(outer), ...files };
      const path = directoryOf(outer);
      for (const above of path === undefined ? [] : pathsUp(path)) files = { ...byPath.get(above), ...files };
    }
    // The top of a fragment and a section by URL or pattern may get what a directory sets.
    const isPlaced = ancestors(scope).some((outer) => directoryOf(outer) !== undefined);
    if (scope.place === "unknown") return {};
    if (byPattern !== undefined) files = { ...files, text: byPattern };
    return isPlaced || elsewhere === undefined ? files : { text: elsewhere, ...files };
  };
}

function ancestors(scope: Scope): Scope[] {
  return scope.parent ? [scope, ...ancestors(scope.parent)] : [scope];
}

function ownFiles(scope: Scope): GroupFiles {
  const dbm = scope.directives.findLast((directive) => directive.key === "authdbmgroupfile");
  const text = scope.directives.findLast((directive) => directive.key === "authgroupfile");
  return { ...(dbm ? { dbm } : {}), ...(text ? { text } : {}) };
}

/** The directory that a Directory section or a `.htaccess` file is for; undefined for a pattern and any other scope. */
function directoryOf(scope: Scope): string | undefined {
  if (scope.place === "htaccess") {
    const file = scope.directives[0]?.reading.tree.source.path;
    return file?.startsWith("/") ? tidy(file.slice(0, file.lastIndexOf("/"))) : undefined;
  }
  const [path, ...more] = scope.section?.key === "<directory" ? scope.section.arguments : [];
  if (path === undefined || more.length > 0 || !path.value.startsWith("/") || hasWildcard(path.value)) return undefined;
  return tidy(path.value);
}

function tidy(path: string): string {
  return `/${path.split("/").filter(Boolean).join("/")}`;
}

/** A directory and those above it, the innermost first. */
function pathsUp(path: string): string[] {
  const parts = path.split("/").filter(Boolean);
  return [...parts.map((_, index) => `/${parts.slice(0, parts.length - index).join("/")}`), "/"];
}
