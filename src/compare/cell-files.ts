import type { FileTree } from "../scope/files.js";
import type { PathWalk } from "./path-cell.js";

/**
 * What exists where a walk ends as it does: all components above are directories. Whatever else the server may ask for is
 * unknown, such as index files and the files of passwords.
 *
 * @param walk undefined where nothing is known
 */
export function filesOfWalk(walk: PathWalk | undefined): FileTree {
  if (walk === undefined) return { kindOf: () => "unknown" };
  const { filename, kind } = walk;
  const isBelow = (path: string, above: string) => path.startsWith(`${above}/`);
  return {
    kindOf: (path) => {
      if (path === filename) return kind;
      if (isBelow(filename, path)) return "directory";
      // Nothing lies below what is no directory.
      return kind !== "directory" && isBelow(path, filename) ? "missing" : "unknown";
    },
  };
}
