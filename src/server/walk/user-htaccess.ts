import { isWithin, resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { isSince } from "../../facts/release.js";
import { memoize } from "../../text/memoize.js";
import { hasWildcard } from "../../text/wildcards.js";
import { findUnreadUserDir } from "../mapping/user-directories.js";
import { argumentValuesOf, type ConfigLayer, layerOfSection } from "../model/config-layer.js";
import type { Server } from "../model/server.js";
import { ServerLookup } from "../request/vhost-lookup.js";
import { canonicalizePath, targetOf } from "../sections/section-index.js";
import { allowsAccessControl, mergeOverrides } from "./overrides.js";

/** The users' folders of a server whose `.htaccess` files were not read, although they may control access. */
export interface UserHtaccess {
  /** The UserDir line. */
  readonly by: Directive;
  /** The AllowOverride line or AllowOverrideList line that lets these files control access; undefined for the default of 2.2. */
  readonly allowedBy: Directive | undefined;
}

/**
 * Returns the UserDir line of a server that leads to `.htaccess` files which were not read, if an AllowOverride lets such files
 * control access. A home directory may be anywhere, but not in a folder that another line maps to. The server reads the files
 * in the folders above it, too (server/request.c `ap_directory_walk`).
 */
export function findUserHtaccess(server: Server, project: Project): UserHtaccess | undefined {
  const absent = new Set(project.absentFolders?.map(({ by }) => by));
  const by = findUnreadUserDir(server, project, (line) => absent.has(line));
  return by && findAllowing(by, server, project);
}

function findAllowing(by: Directive, server: Server, project: Project): UserHtaccess | undefined {
  const { release } = project;
  const layers = overridingLayersOf(server, project);
  // Without a line for the root, 2.2 allows everything in any folder, and 2.4 nothing.
  if (!isSince(release, "2.4") && !layers.has("")) return { by, allowedBy: undefined };
  for (const own of layers.values()) {
    if (!allowsAccessControl(mergeOverrides(own, project), release)) continue;
    const lines = own.flatMap((layer) => layer.pick(overrideNames));
    return { by, allowedBy: lines.at(-1) };
  }
  return undefined;
}

const overrideNames: ReadonlySet<string> = new Set(["allowoverride", "allowoverridelist"]);

/** Returns the Directory sections with an AllowOverride that may contain a home directory, by path; "" is the root. */
function overridingLayersOf(server: Server, project: Project): ReadonlyMap<string, readonly ConfigLayer[]> {
  const found = new Map<string, ConfigLayer[]>();
  for (const section of server.layers.flatMap(({ content }) => content)) {
    const path = directoryPathOf(section);
    if (path === undefined || isInDocumentFolder(section, project)) continue;
    const layer = layerOfSection(section);
    if (layer.pick(overrideNames).length === 0) continue;
    const known = found.get(path);
    if (known) known.push(layer);
    else found.set(path, [layer]);
  }
  return found;
}

/** Returns the path of a Directory section; undefined for a pattern, which has no AllowOverride, and for other sections. */
function directoryPathOf(section: Directive): string | undefined {
  if (section.key !== "<directory") return undefined;
  const target = targetOf(section);
  return target && !target.isPattern ? canonicalizePath(target.text) : undefined;
}

/** Reports whether a section applies only in a folder that another line than UserDir maps to. */
export function isInDocumentFolder(section: Directive, project: Project): boolean {
  const path = directoryPathOf(section);
  return path !== undefined && documentFoldersOf(project).some((folder) => isWithin(path, folder));
}

const folderNames: ReadonlySet<string> = new Set(["documentroot", "alias", "scriptalias", "wsgiscriptalias"]);

const documentFoldersOf = memoize((project: Project): readonly string[] => {
  const folders = new Set<string>();
  for (const line of iterateDirectives(project)) {
    if (!folderNames.has(line.key)) continue;
    const written = argumentValuesOf(line).slice(0, 2).at(-1);
    const path = written === undefined ? undefined : canonicalizePath(resolvePath(project.serverRoot, written));
    if (path && !hasWildcard(path)) folders.add(path);
  }
  return [...folders];
});

/** Returns those of all servers of a configuration, each UserDir line once. */
export function listUserHtaccess(project: Project): readonly UserHtaccess[] {
  const { main, hosts } = new ServerLookup(project.directives, project.release);
  const found = new Map<Directive, UserHtaccess>();
  for (const server of [main, ...hosts]) {
    const each = findUserHtaccess(server, project);
    if (each && !found.has(each.by)) found.set(each.by, each);
  }
  return [...found.values()];
}
