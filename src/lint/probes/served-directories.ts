import type { DirectoryEntry } from "../../config/files/file-access.js";
import { resolvePath, withTrailingSlash } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type DirectoryMapping, directoryMappingOf } from "../../config/queries/named-directories.js";
import type { FileTree } from "../../server/model/file-tree.js";

/** A directory on the disk. */
export interface ListedDirectory {
  /** With a slash at the end. */
  readonly path: string;
  readonly entries: readonly DirectoryEntry[];
}

/** Limit of the directories that are listed below one. */
const MAX_DIRECTORIES = 200;

/** Directories whose contents are not listed: data of version control systems, and installed packages. */
const unlisted: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);

/** Returns a directory and those below it, the upper ones first. Links are not followed. */
export function listDirectories(disk: FileTree, top: string): readonly ListedDirectory[] {
  const found: ListedDirectory[] = [];
  const waiting = [top];
  for (let path = waiting.shift(); path !== undefined && found.length < MAX_DIRECTORIES; path = waiting.shift()) {
    const entries = disk.list?.(path.slice(0, -1)) ?? [];
    found.push({ path, entries });
    for (const { name, kind } of entries)
      if (kind === "directory" && !unlisted.has(name)) waiting.push(`${path}${name}/`);
  }
  return found;
}

/**
 * Returns the directory that a DocumentRoot, Alias or ScriptAlias line serves, and its URL path. Both end in a slash.
 */
export function servedDirectoryOf(line: Directive, { serverRoot }: Project): DirectoryMapping | undefined {
  const mapping = directoryMappingOf(line);
  return (
    mapping && {
      from: withTrailingSlash(mapping.from),
      to: withTrailingSlash(resolvePath(serverRoot, mapping.to)),
    }
  );
}
