import { ownProperty } from "../../text/collections.js";
import type { Result } from "../../text/result.js";
import { toReadable } from "../../text/source.js";
import {
  absentFailure,
  type DirectoryEntry,
  type FileAccess,
  type FileContent,
  type FileFailure,
  type LinkFacts,
} from "./file-access.js";
import { dropFinalSlash } from "./paths.js";

/** A file query and its answer. */
export type FileQuery =
  | { readonly operation: "read"; readonly path: string; readonly answer: FileContent }
  | { readonly operation: "exists" | "isDirectory"; readonly path: string; readonly answer: boolean }
  | {
      readonly operation: "list";
      readonly path: string;
      readonly answer: Result<readonly DirectoryEntry[], FileFailure>;
    }
  | { readonly operation: "linkAt"; readonly path: string; readonly answer: LinkFacts | undefined }
  | { readonly operation: "realPath"; readonly path: string; readonly answer: string };

/** Performs a file query. If the file access does not support links, there is none. */
export function queryFiles(access: FileAccess, operation: FileQuery["operation"], path: string): FileQuery {
  switch (operation) {
    case "read":
      return { operation, path, answer: access.read(path) };
    case "exists":
    case "isDirectory":
      return { operation, path, answer: access[operation](path) };
    case "list":
      return { operation, path, answer: access.list(path) };
    case "linkAt":
      return { operation, path, answer: access.linkAt?.(path) };
    case "realPath":
      return { operation, path, answer: access.realPath(path) };
  }
}

/** Wraps file access so that a callback receives each query with its answer. */
export function recordQueries(access: FileAccess, onQuery: (answered: FileQuery) => void): FileAccess {
  const recordQuery = <Query extends FileQuery>(answered: Query): Query["answer"] => {
    onQuery(answered);
    return answered.answer;
  };
  const { isPartial = false, isCopy = false, linkAt } = access;
  return {
    isPartial,
    isCopy,
    read: (path) => recordQuery({ operation: "read", path, answer: access.read(path) }),
    exists: (path) => recordQuery({ operation: "exists", path, answer: access.exists(path) }),
    isDirectory: (path) => recordQuery({ operation: "isDirectory", path, answer: access.isDirectory(path) }),
    list: (path) => recordQuery({ operation: "list", path, answer: access.list(path) }),
    realPath: (path) => recordQuery({ operation: "realPath", path, answer: access.realPath(path) }),
    ...(linkAt ? { linkAt: (path: string) => recordQuery({ operation: "linkAt", path, answer: linkAt(path) }) } : {}),
  };
}

/**
 * Recorded queries on files and directories, with their answers. They suffice to read a configuration again on a
 * machine without its files. Plain values, by path.
 */
export interface FileSnapshot {
  /** Contents of the configuration's files; binary strings. */
  readonly texts: Readonly<Record<string, string>>;
  /** The reason why a file cannot be read. */
  readonly failures: Readonly<Record<string, FileFailure>>;
  readonly kinds: Readonly<Record<string, "file" | "directory" | "none">>;
  readonly lists: Readonly<Record<string, Result<DirectoryListing, FileFailure>>>;
  readonly links: Readonly<Record<string, LinkFacts | null>>;
  /** Real paths that differ from the path. */
  readonly realPaths: Readonly<Record<string, string>>;
}

interface DirectoryListing {
  readonly entries: readonly DirectoryEntry[];
  /** Whether files were omitted: the state of any path without an entry is unknown. */
  readonly isPart?: boolean;
}

/** Limit of entries in the snapshot. Of further directories it keeps only what the configuration may read. */
const MAX_SNAPSHOT_ENTRIES = 20_000;

/** Records the answers of other file accesses. */
export class FileRecorder {
  private readonly failures: Record<string, FileFailure> = {};
  private readonly existing: Record<string, boolean> = {};
  private readonly directories: Record<string, boolean> = {};
  private readonly lists: Record<string, Result<readonly DirectoryEntry[], FileFailure>> = {};
  private readonly links: Record<string, LinkFacts | null> = {};
  private readonly realPaths: Record<string, string> = {};
  private readonly read = new Set<string>();

  /** Returns a file access that records the answers of another. */
  wrap(disk: FileAccess): FileAccess {
    return recordQueries(disk, (answered) => this.keep(answered));
  }

  private keep({ operation, path, answer }: FileQuery): void {
    switch (operation) {
      case "read":
        if (answer.ok) this.keepFile(path, answer.value.realPath);
        else this.failures[path] = answer.error;
        return;
      case "exists":
        this.existing[path] = answer;
        return;
      case "isDirectory":
        this.directories[path] = answer;
        return;
      case "list":
        this.lists[path] = answer;
        return;
      case "linkAt":
        this.links[path] = answer ?? null;
        return;
      case "realPath":
        this.realPaths[path] = answer;
    }
  }

  private keepFile(path: string, realPath: string): void {
    this.existing[path] = true;
    this.realPaths[path] = realPath;
    this.read.add(path);
  }

  /**
   * @param textsByRealPath of the files to be read again: of others only their existence is kept
   * @param shown the name of a path in the snapshot
   */
  snapshot(textsByRealPath: ReadonlyMap<string, string>, shown = (path: string) => path): FileSnapshot {
    const texts = new Map<string, string>();
    for (const path of this.read) {
      const text = textsByRealPath.get(this.realPaths[path] ?? "");
      if (text !== undefined) texts.set(path, text);
    }
    const { failures, existing, directories, lists, links, realPaths } = this;
    const named = <T>(all: Readonly<Record<string, T>>) =>
      Object.fromEntries(Object.entries(all).map(([path, each]) => [shown(path), each]));
    return {
      texts: named(Object.fromEntries(texts)),
      failures: named(failures),
      kinds: named(kindsOf(existing, directories)),
      lists: named(snapshotLists(lists, texts)),
      links: named(links),
      realPaths: named(
        Object.fromEntries(Object.entries(realPaths).filter(([path, real]) => real !== toReadable(path))),
      ),
    };
  }
}

function kindsOf(existing: Record<string, boolean>, directories: Record<string, boolean>): FileSnapshot["kinds"] {
  const kinds: Record<string, "file" | "directory" | "none"> = {};
  for (const [path, exists] of Object.entries(existing)) kinds[path] = exists ? "file" : "none";
  for (const [path, isDirectory] of Object.entries(directories)) if (isDirectory) kinds[path] = "directory";
  return kinds;
}

function snapshotLists(
  lists: Readonly<Record<string, Result<readonly DirectoryEntry[], FileFailure>>>,
  texts: ReadonlyMap<string, string>,
): FileSnapshot["lists"] {
  let left = MAX_SNAPSHOT_ENTRIES;
  const absoluteLists = Object.entries(lists).map(([path, list]): [string, Result<DirectoryListing, FileFailure>] => {
    if (!list.ok) return [path, list];
    left -= list.value.length;
    if (left >= 0) return [path, { ok: true, value: { entries: list.value } }];
    const isRead = (name: string) => texts.has(`${path === "/" ? "" : path}/${name}`);
    const entries = list.value.filter(({ name, kind }) => kind !== "file" || isRead(name));
    return [path, { ok: true, value: { entries, isPart: true } }];
  });
  return Object.fromEntries(absoluteLists);
}

/** The file may exist; only the server's own disk could tell. */
const notInSnapshot: FileFailure = { message: "it is not carried along" };

/**
 * Returns a file access on a snapshot. A path that was not queried is unknown: it does not exist, and cannot be read.
 */
export function openSnapshot({ texts, failures, kinds, lists, links, realPaths }: FileSnapshot): FileAccess {
  const listOf = (path: string) =>
    ownProperty(lists, path) ?? ownProperty(lists, dropFinalSlash(path)) ?? ownProperty(lists, `${path}/`);
  /** Returns the kind of a path from its parent's listing; undefined if that is unknown. */
  const entryOf = (path: string): DirectoryEntry["kind"] | "none" | undefined => {
    const slash = path.lastIndexOf("/");
    const around = listOf(path.slice(0, slash) || "/");
    if (around === undefined || !around.ok) return undefined;
    const kind = around.value.entries.find(({ name }) => name === path.slice(slash + 1))?.kind;
    return kind ?? (around.value.isPart ? undefined : "none");
  };
  const around = directoriesAround([
    ...Object.keys(texts),
    ...Object.keys(kinds).filter((path) => kinds[path] !== "none"),
    ...Object.keys(lists)
      .filter((path) => lists[path]?.ok)
      .map((path) => `${dropFinalSlash(path)}/`),
  ]);
  const kindOf = (path: string) => {
    const bare = dropFinalSlash(path);
    if (around.has(bare)) return "directory";
    return (
      ownProperty(kinds, path) ??
      ownProperty(kinds, bare) ??
      (ownProperty(texts, bare) === undefined ? entryOf(bare) : "file")
    );
  };
  const missingFailureOf = (path: string) => (kindOf(path) === "none" ? absentFailure : notInSnapshot);
  const realPath = (path: string) => ownProperty(realPaths, path) ?? toReadable(path);
  return {
    read(path) {
      const text = ownProperty(texts, path);
      if (text !== undefined) return { ok: true, value: { text, realPath: realPath(path) } };
      return { ok: false, error: ownProperty(failures, path) ?? missingFailureOf(path) };
    },
    exists: (path) => ["file", "directory", "other"].includes(kindOf(path) ?? ""),
    isDirectory: (path) => kindOf(path) === "directory",
    list: (path) => {
      const list = listOf(path);
      if (list === undefined) return { ok: false, error: missingFailureOf(path) };
      return list.ok ? { ok: true, value: list.value.entries } : list;
    },
    linkAt: (path) => ownProperty(links, path) ?? (entryOf(path) === "link" ? { hasSameOwner: undefined } : undefined),
    realPath,
  };
}

/** Returns the parent directories of paths, which must exist if the paths do. */
function directoriesAround(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>(["/"]);
  for (const path of paths)
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
      const directory = path.slice(0, slash);
      if (found.has(directory)) break;
      found.add(directory);
    }
  return found;
}
