import type { DirectoryEntry, LinkFacts } from "../../config/files/file-access.js";
import { pathKey } from "../../config/files/paths.js";
import { getOrCreate } from "../../text/collections.js";

/** The kind of the file at a path, with links followed. `unknown` if only the server's own disk could tell. */
export type FileKind = "file" | "directory" | "missing" | "unknown";

/** The source of a user's groups: a text file, or a database. */
export type GroupSource = "text" | "dbm";

/**
 * The entry of a user in a password file. Neither the given password nor any other matches an entry that is not usable; the
 * scheme of its hash may be one that is not computed.
 */
export type PasswordEntry = "usable" | "unusable" | "missing" | { readonly unknownScheme: string };

/** The existing files and directories: an input of every decision. */
export interface FileTree {
  /** Whether the content may change between queries; the answers of other trees are constant. */
  readonly mayChange?: boolean;
  /** Whether it is the disk of the server, as a user says, so that what it lacks does not exist there. */
  readonly isOfServer?: boolean;
  /**
   * @param path absolute, without a trailing slash
   * @param mayBeFile whether it is the last component of the requested path, with no slash after it
   */
  kindOf(path: string, mayBeFile?: boolean): FileKind;
  /**
   * Returns the facts about a symbolic link; undefined if it is not a link or is unknown. @param path as for `kindOf`
   */
  linkAt?(path: string): LinkFacts | undefined;
  /** Reports whether some user may execute a file, with links followed; undefined if that is not known. */
  isExecutable?(path: string): boolean | undefined;
  /**
   * Returns the path on this machine with symbolic links resolved; the path itself if it does not exist. With a system
   * root or a path map, it is not a path of the server.
   */
  realPathOf?(path: string): string;
  /** Returns the entries of a directory, without `.` and `..`; undefined if unknown. */
  list?(path: string): readonly DirectoryEntry[] | undefined;
  /** Returns the content of a file, as a binary string; undefined if unknown. */
  textOf?(path: string): string | undefined;
  /** Returns the hosts file of the server, `/etc/hosts`; undefined if unknown. */
  hostsText?(): string | undefined;
  /** Returns the names of a file's owner and group; undefined if unknown. */
  ownerOf?(path: string): FileOwner | undefined;
  /**
   * Returns the entry of a user in a password file; undefined if unknown.
   *
   * @param realm for Digest, whose files have one in each line
   * @param password what the user sends; undefined for the right one
   */
  passwordEntryOf?(path: string, user: string, realm: string | undefined, password?: string): PasswordEntry | undefined;
  /** Returns the users of a password file, in the order of its lines; undefined if unknown. */
  usersOf?(path: string): readonly PasswordUser[] | undefined;
  /**
   * Returns the groups of a user in a group file; undefined if unknown. If absent, only the groups of requests exist.
   */
  groupsOf?(path: string, user: string, source: GroupSource): readonly string[] | undefined;
}

/** A line of a password file, without the password. */
export interface PasswordUser {
  readonly name: string;
  /** The realm if the line is one of htdigest. */
  readonly realm: string | undefined;
}

export interface FileOwner {
  readonly user: string;
  readonly group: string;
}

/**
 * Returns a tree of only the named files, and their parent directories.
 *
 * @param paths absolute; one that ends in a slash is an empty directory
 * @param owner of all of them, if known
 */
export function createListedFiles(paths: Iterable<string>, owner?: FileOwner): FileTree {
  const kinds = new Map<string, FileKind>([["", "directory"]]);
  const spellings = new Map<string, string>();
  for (const path of paths) {
    const isDirectory = path.endsWith("/");
    const bare = isDirectory ? path.slice(0, -1) : path;
    const key = pathKey(bare);
    if (bare !== "") kinds.set(key, isDirectory ? "directory" : "file");
    spellings.set(key, bare);
    for (let slash = bare.lastIndexOf("/"); slash > 0; slash = bare.lastIndexOf("/", slash - 1)) {
      kinds.set(key.slice(0, slash), "directory");
      spellings.set(key.slice(0, slash), bare.slice(0, slash));
    }
  }
  let children: ReadonlyMap<string, readonly DirectoryEntry[]> | undefined;
  return {
    kindOf: (path) => kinds.get(path === "/" ? "" : pathKey(path)) ?? "missing",
    list: (path) => {
      children ??= childrenIn(kinds, spellings);
      return children.get(path === "/" ? "" : pathKey(path)) ?? [];
    },
    ownerOf: () => owner,
  };
}

function childrenIn(
  kinds: ReadonlyMap<string, FileKind>,
  spellings: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly DirectoryEntry[]> {
  const children = new Map<string, DirectoryEntry[]>();
  for (const [path, kind] of kinds) {
    const slash = path.lastIndexOf("/");
    if (slash < 0) continue;
    const entry = {
      name: (spellings.get(path) ?? path).slice(slash + 1),
      kind: kind === "directory" ? kind : "file",
    } as const;
    getOrCreate(children, path.slice(0, slash), () => []).push(entry);
  }
  return children;
}
