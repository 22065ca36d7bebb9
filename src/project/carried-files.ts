import { toReadable } from "../text/source.js";
import { absent, type DirectoryEntry, type FileAccess, type FileFailure, type LinkFacts } from "./files.js";
import { type Answered, overheard } from "./overheard.js";

/**
 * What was asked of files and directories, with the answers: enough to read a configuration once more where its files are
 * not. Plain values, by path.
 */
export interface CarriedFiles {
  /** The configuration's files; binary strings. */
  readonly texts: Readonly<Record<string, string>>;
  /** Why a file cannot be read. */
  readonly failures: Readonly<Record<string, FileFailure>>;
  readonly kinds: Readonly<Record<string, "file" | "directory" | "none">>;
  readonly lists: Readonly<Record<string, CarriedList | FileFailure>>;
  readonly links: Readonly<Record<string, LinkFacts | null>>;
  /** Where that is not the path itself. */
  readonly realPaths: Readonly<Record<string, string>>;
}

interface CarriedList {
  readonly entries: readonly DirectoryEntry[];
  /** Files are left out: of what is not among the entries nothing is known. */
  readonly isPart?: boolean;
}

/** More entries than these are not carried: of further directories only what the configuration may read is. */
const MOST_ENTRIES = 20_000;

/** Looks at files through other accesses, and keeps what those answer. */
export class FileRecording {
  private readonly failures: Record<string, FileFailure> = {};
  private readonly existing: Record<string, boolean> = {};
  private readonly directories: Record<string, boolean> = {};
  private readonly lists: Record<string, readonly DirectoryEntry[] | FileFailure> = {};
  private readonly links: Record<string, LinkFacts | null> = {};
  private readonly realPaths: Record<string, string> = {};
  private readonly read = new Set<string>();

  /** The same access, and what it answers is kept. */
  through(disk: FileAccess): FileAccess {
    return overheard(disk, (answered) => this.keep(answered));
  }

  private keep({ asked, path, answer }: Answered): void {
    switch (asked) {
      case "read":
        if ("failed" in answer) this.failures[path] = answer;
        else this.keepFile(path, answer.realPath);
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
   * @param textsByRealPath of the files to be read again: others are known to be there, and no more
   * @param shown the name that a path goes by in there
   */
  carried(textsByRealPath: ReadonlyMap<string, string>, shown = (path: string) => path): CarriedFiles {
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
      lists: named(carriedLists(lists, texts)),
      links: named(links),
      realPaths: named(
        Object.fromEntries(Object.entries(realPaths).filter(([path, real]) => real !== toReadable(path))),
      ),
    };
  }
}

function kindsOf(existing: Record<string, boolean>, directories: Record<string, boolean>): CarriedFiles["kinds"] {
  const kinds: Record<string, "file" | "directory" | "none"> = {};
  for (const [path, exists] of Object.entries(existing)) kinds[path] = exists ? "file" : "none";
  for (const [path, isDirectory] of Object.entries(directories)) if (isDirectory) kinds[path] = "directory";
  return kinds;
}

function carriedLists(
  lists: Readonly<Record<string, readonly DirectoryEntry[] | FileFailure>>,
  texts: ReadonlyMap<string, string>,
): CarriedFiles["lists"] {
  let left = MOST_ENTRIES;
  const carried = Object.entries(lists).map(([path, list]): [string, CarriedList | FileFailure] => {
    if ("failed" in list) return [path, list];
    left -= list.length;
    if (left >= 0) return [path, { entries: list }];
    const isRead = (name: string) => texts.has(`${path === "/" ? "" : path}/${name}`);
    return [path, { entries: list.filter(({ name, kind }) => kind !== "file" || isRead(name)), isPart: true }];
  });
  return Object.fromEntries(carried);
}

/** It may be there, and only the server's own disk would tell. */
const notCarried: FileFailure = { failed: "it is not carried along" };

/** Files as they were carried along. What was not asked for then is unknown: it does not exist, and cannot be read. */
export function carriedAccess({ texts, failures, kinds, lists, links, realPaths }: CarriedFiles): FileAccess {
  const tidy = (path: string) => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);
  const listOf = (path: string) => of(lists, path) ?? of(lists, tidy(path)) ?? of(lists, `${path}/`);
  /** What the directory around says of a path; undefined where it says nothing. */
  const entryOf = (path: string): DirectoryEntry["kind"] | "none" | undefined => {
    const slash = path.lastIndexOf("/");
    const around = listOf(path.slice(0, slash) || "/");
    if (around === undefined || "failed" in around) return undefined;
    const kind = around.entries.find(({ name }) => name === path.slice(slash + 1))?.kind;
    return kind ?? (around.isPart ? undefined : "none");
  };
  const around = directoriesAround([
    ...Object.keys(texts),
    ...Object.keys(kinds).filter((path) => kinds[path] !== "none"),
    ...Object.keys(lists)
      .filter((path) => "entries" in (lists[path] ?? {}))
      .map((path) => `${tidy(path)}/`),
  ]);
  const kindOf = (path: string) => {
    const bare = tidy(path);
    if (around.has(bare)) return "directory";
    return of(kinds, path) ?? of(kinds, bare) ?? (of(texts, bare) === undefined ? entryOf(bare) : "file");
  };
  const realPath = (path: string) => of(realPaths, path) ?? toReadable(path);
  return {
    read(path) {
      const text = of(texts, path);
      if (text !== undefined) return { text, realPath: realPath(path) };
      return of(failures, path) ?? (kindOf(path) === "none" ? absent : notCarried);
    },
    exists: (path) => ["file", "directory", "other"].includes(kindOf(path) ?? ""),
    isDirectory: (path) => kindOf(path) === "directory",
    list: (path) => {
      const list = listOf(path);
      if (list === undefined) return kindOf(path) === "none" ? absent : notCarried;
      return "failed" in list ? list : list.entries;
    },
    linkAt: (path) => of(links, path) ?? (entryOf(path) === "link" ? { isOwners: undefined } : undefined),
    realPath,
  };
}

/** The directories that paths lie in, which are there where those are. */
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

function of<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}
