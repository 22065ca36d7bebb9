import type { FileTree } from "../model/file-tree.js";

/**
 * Reports whether no DBM file of a name exists: some types append an extension to it. A directory cannot be opened as
 * one.
 *
 * @param path as configured, absolute
 */
export function isDbmFileMissing(path: string, files: FileTree): boolean {
  return ["", ".pag", ".db"].every((extension) => {
    const kind = files.kindOf(`${path}${extension}`, true);
    return kind === "missing" || kind === "directory";
  });
}
