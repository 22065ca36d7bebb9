import { pathKey } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { AbsentFolder, HtaccessFile, Project } from "../../config/model/project.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable } from "../../text/source.js";
import { hasWildcard } from "../../text/wildcards.js";
import { Oracle } from "../model/oracle.js";
import { ServerLookup } from "../request/vhost-lookup.js";
import { canonicalizePath, SectionIndex, targetOf } from "../sections/section-index.js";
import { allowsAccessControl, ignoresHtaccess, mergeOverrides, type Overrides } from "./overrides.js";

/**
 * Returns a project without the `.htaccess` files that no server reads because `AllowOverride None` applies there:
 * errors in them are harmless.
 */
export function omitUnreadHtaccess(project: Project): Project {
  const closed = project.problems.filter(({ directory }) => directory !== undefined);
  if (project.htaccess.length === 0 && closed.length === 0) return project;
  const servers = [...indexServers(project).values()];
  const isUnread = ({ directory }: Pick<HtaccessFile, "directory">) =>
    servers.every((indexes) => ignoresHtaccess(overridesIn(directory, indexes, project)));
  const unread = new Set(project.htaccess.filter(isUnread));
  const harmless = new Set(
    closed.filter(
      ({ directory = "", searchedBelow }) =>
        isUnread({ directory }) && !(searchedBelow && mayBeReadBelow(directory, project)),
    ),
  );
  if (unread.size === 0 && harmless.size === 0) return project;
  const sources = new Set([...unread].map(({ tree }) => tree.source));
  return {
    ...project,
    htaccess: project.htaccess.filter((file) => !unread.has(file)),
    problems: project.problems.filter((each) => !sources.has(each.span.file) && !harmless.has(each)),
    guards: project.guards.filter(({ span }) => !sources.has(span.file)),
  };
}

/** The sections by path that apply in each server, by the section of the server; undefined for the main one. */
type ServerIndexes = ReadonlyMap<Directive | undefined, readonly SectionIndex[]>;

/** Returns the indexes of the servers with such sections, and of the main one. */
function indexServers(project: Project): ServerIndexes {
  const { main, hosts } = new ServerLookup(project.directives, project.release);
  const ofMain = new SectionIndex(main.layer.content, project);
  const found = new Map<Directive | undefined, readonly SectionIndex[]>([[undefined, [ofMain]]]);
  for (const { section, layer } of hosts)
    if (layer.content.some(({ key }) => key === "<directory"))
      found.set(section, [ofMain, new SectionIndex(layer.content, project)]);
  return found;
}

/**
 * Returns the folders of a server that are not here although `.htaccess` files in them may control access: those of other
 * lines than UserDir, whose folders may be anywhere.
 */
export function listAbsentHtaccess(project: Project): readonly AbsentFolder[] {
  const absent = (project.absentFolders ?? []).filter(({ by }) => by.key !== "userdir");
  // The rest of the server may decide which files of a part are read.
  if (absent.length === 0 || project.isPart) return [];
  const servers = indexServers(project);
  const all = [...servers.values()];
  const mayControlAccess = (path: string, indexes: readonly SectionIndex[]) =>
    allowsAccessControl(overridesIn(path, indexes, project), project.release);
  return absent.filter(({ path, by }) => {
    const host = hostAround(by);
    // Virtual hosts inherit the lines of the main server.
    const own = host === undefined ? all : [servers.get(host) ?? servers.get(undefined) ?? []];
    return own.some((indexes) => mayControlAccess(path, indexes)) || mayBeReadBelow(path, project);
  });
}

function hostAround({ parent }: Directive): Directive | undefined {
  return parent === undefined || parent.key === "<virtualhost" ? parent : hostAround(parent);
}

/** Reports whether a section may enable `.htaccess` files in a directory further in. */
function mayBeReadBelow(directory: string, project: Project): boolean {
  const folder = pathKey(`${canonicalizePath(fromReadable(directory))}/`);
  return readingSectionsOf(project).some(
    ({ path, isPattern, literal }) =>
      isPattern || path.startsWith(folder) || (literal !== path && folder.startsWith(literal)),
  );
}

/** The path of a section that enables `.htaccess` files, and its part before the first wildcard. */
interface ReadingSection {
  readonly path: string;
  readonly literal: string;
  readonly isPattern: boolean;
}

const readingSectionsOf = memoize(({ directives, serverRoot }: Project): readonly ReadingSection[] => {
  const found: ReadingSection[] = [];
  for (const { key, parent, arguments: words } of iterateDescendants(directives)) {
    if ((key !== "allowoverride" && key !== "allowoverridelist") || parent === undefined) continue;
    if (words.every(({ value }) => value.toLowerCase() === "none")) continue;
    const { text, isPattern } = targetOf(parent) ?? { text: "", isPattern: true };
    const path = pathKey(canonicalizePath(text, serverRoot) ?? "");
    const [literal = ""] = path.split(/[*?[\\]/);
    found.push({ path, literal: hasWildcard(path) ? literal : path, isPattern });
  }
  return found;
});

function overridesIn(directory: string, indexes: readonly SectionIndex[], project: Project): Overrides {
  const names = (canonicalizePath(fromReadable(directory)) ?? "").split("/").slice(1);
  const oracle = new Oracle(new Map());
  const layers = [...names.keys(), names.length].flatMap((level) =>
    indexes.flatMap((index) =>
      index.directoriesAt(pathOf(names.slice(0, level)), level, oracle).map(({ layer }) => layer),
    ),
  );
  return mergeOverrides(layers, project);
}

function pathOf(names: readonly string[]): string {
  return names.map((name) => `/${name}`).join("");
}
