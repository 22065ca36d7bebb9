import type { ConfigTree } from "../../../grammar/ast.js";
import { toReadable } from "../../text/source.js";
import type { FileAccess } from "../files/file-access.js";
import { parentOf, resolvePath } from "../files/paths.js";
import type { Directive } from "../model/directive.js";
import type { HtaccessEntry, HtaccessFile } from "../model/project.js";
import { DEFAULT_ACCESS_FILE_NAMES, MAX_DIRECTORIES } from "./htaccess-discovery.js";
import { createHtaccessFile, readHtaccess } from "./read-htaccess.js";
import type { ReadingState } from "./reading-state.js";

/**
 * Creates the entry for a `.htaccess` file, with the files above and below it that it is merged with.
 *
 * @param searchesBelow whether to search for files below it
 */
export function createHtaccessEntry(
  path: string,
  tree: ConfigTree,
  directives: readonly Directive[],
  state: ReadingState,
  searchesBelow: boolean,
): HtaccessEntry {
  const file = createHtaccessFile(toReadable(parentOf(path)), tree, directives, state);
  let above: readonly HtaccessFile[] | undefined;
  let below: readonly HtaccessFile[] | undefined;
  return {
    file,
    above() {
      above ??= readHtaccess(htaccessPathsAbove(path, state.access), state).htaccess;
      return above;
    },
    below() {
      const paths = searchesBelow ? htaccessPathsBelow(path, state.access) : [];
      below ??= readHtaccess(paths, state).htaccess;
      return below;
    },
  };
}

/**
 * Assumes that the modules of the files around a `.htaccess` file are loaded, as it does for those of the file itself.
 * All of them apply to the same requests. They are read before it, because its own conditional sections depend on the
 * modules.
 *
 * @param searchesBelow whether the files below it are read with it
 */
export function assumeModulesAround(path: string, state: ReadingState, searchesBelow: boolean): void {
  if (!state.modules.isOpen) return;
  const below = searchesBelow ? htaccessPathsBelow(path, state.access) : [];
  const { modules } = readHtaccess([...htaccessPathsAbove(path, state.access), ...below], state);
  for (const each of modules.listAssumed()) state.modules.assume(each);
}

/** Lists the `.htaccess` files above another one, outermost first: up to the top of its repository, or else up to `/`. */
function htaccessPathsAbove(path: string, access: FileAccess): readonly string[] {
  const found: string[] = [];
  let directory = parentOf(path);
  while (directory !== "/" && !access.exists(resolvePath(directory, ".git"))) {
    directory = parentOf(directory);
    for (const name of DEFAULT_ACCESS_FILE_NAMES) {
      const above = resolvePath(directory, name);
      if (access.exists(above)) found.unshift(above);
    }
  }
  return found;
}

/**
 * Lists the `.htaccess` files in the directories below one, each directory before its content. Links are not followed.
 */
function htaccessPathsBelow(path: string, access: FileAccess): readonly string[] {
  const found: string[] = [];
  const directories = [parentOf(path)];
  let count = 0;
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    const entries = access.list(directory);
    if (!entries.ok || ++count > MAX_DIRECTORIES) continue;
    for (const { name, kind } of entries.value.toReversed()) {
      const inner = resolvePath(directory, name);
      if (kind === "directory") directories.push(inner);
      else if (kind === "file" && DEFAULT_ACCESS_FILE_NAMES.includes(name) && inner !== path) found.push(inner);
    }
  }
  return found.filter((each) => parentOf(each) !== parentOf(path));
}
