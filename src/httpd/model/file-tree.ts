import type { LinkFacts } from "../../project/files/file-access.js";

/** What is at a path: links are followed. `unknown` where only the server's own disk would tell. */
export type FileKind = "file" | "directory" | "missing" | "unknown";

/** Where a user's groups come from: a text file, or a database. */
export type GroupSource = "text" | "dbm";

/** Which files and directories exist: an input of every decision. */
export interface FileTree {
  /** Whether something else may be there the next time; elsewhere the answers of one tree stay the same. */
  readonly mayChange?: boolean;
  /**
   * @param path absolute, without a slash at its end
   * @param mayBeFile whether it is the last part of what is asked for, with no slash behind it
   */
  kindOf(path: string, mayBeFile?: boolean): FileKind;
  /** What is known of a symbolic link; undefined for what is none, or where nobody knows. @param path as for `kindOf` */
  linkAt?(path: string): LinkFacts | undefined;
  /** The names of a file's owner and group; undefined where nobody knows. */
  ownerOf?(path: string): FileOwner | undefined;
  /** Whether a password file names a user; undefined where nobody knows. */
  hasUser?(path: string, user: string): boolean | undefined;
  /** The groups that a file of groups puts a user in; undefined where nobody knows. Absent: there are none but those of requests. */
  groupsOf?(path: string, user: string, source: GroupSource): readonly string[] | undefined;
}

export interface FileOwner {
  readonly user: string;
  readonly group: string;
}

/**
 * Exactly the named files, and the directories that they lie in.
 *
 * @param paths absolute; one that ends in a slash is an empty directory
 * @param owner of all of them, where that is known
 */
export function createListedFiles(paths: Iterable<string>, owner?: FileOwner): FileTree {
  const kinds = new Map<string, FileKind>([["", "directory"]]);
  for (const path of paths) {
    const isDirectory = path.endsWith("/");
    const bare = isDirectory ? path.slice(0, -1) : path;
    if (bare !== "") kinds.set(bare, isDirectory ? "directory" : "file");
    for (let slash = bare.lastIndexOf("/"); slash > 0; slash = bare.lastIndexOf("/", slash - 1))
      kinds.set(bare.slice(0, slash), "directory");
  }
  return { kindOf: (path) => kinds.get(path === "/" ? "" : path) ?? "missing", ownerOf: () => owner };
}
