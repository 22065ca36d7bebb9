import { fromReadable, toReadable } from "../../text/source.js";

/** A file's content, or why it cannot be had. */
export type FileContent = { readonly text: string; readonly realPath: string } | FileFailure;

export interface FileFailure {
  /** In words for the operator. */
  readonly failed: string;
  /** The system's words, where the server fares no better; absent where a file may be closed to us alone. */
  readonly system?: string;
  /** There is no such file or directory. */
  readonly isAbsent?: boolean;
  /** It lies where nothing is read on purpose. */
  readonly isConfined?: boolean;
}

/**
 * How the configuration's files are reached. Paths are the server's own, as binary strings; where they lie on this
 * machine (below a system root, in memory) is this object's business alone.
 */
export interface FileAccess {
  /** Whether the server may have files that are not found here: an image has more files than those copied into it. */
  readonly isPartial?: boolean;
  read(path: string): FileContent;
  exists(path: string): boolean;
  isDirectory(path: string): boolean;
  /** A directory's entries in byte order of their names, without `.` and `..`, or why it cannot be listed. */
  list(path: string): readonly DirectoryEntry[] | FileFailure;
  /** What is known of a symbolic link, without following it; absent where there are none. */
  linkAt?(path: string): LinkFacts | undefined;
  /** The path with symbolic links resolved, as an operator would name it; the path itself where it does not exist. */
  realPath(path: string): string;
}

export interface LinkFacts {
  /** Whether what it leads to has the same owner; undefined where that may not be looked at, or is not there. */
  readonly isOwners: boolean | undefined;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

/** Files given as a map from absolute path to text (ordinary strings), for tests and recorded cases. */
export function memoryAccess(files: Readonly<Record<string, string>>): FileAccess {
  const contents = new Map(Object.entries(files).map(([path, text]) => [fromReadable(path), fromReadable(text)]));
  const children = new Map<string, Set<string>>([["/", new Set()]]);
  for (const path of contents.keys()) {
    const parts = path.split("/").slice(1);
    for (const [index, name] of parts.entries()) {
      const parent = `/${parts.slice(0, index).join("/")}`;
      const names = children.get(parent) ?? new Set<string>();
      children.set(parent, names.add(name));
    }
  }
  const tidy = (path: string) => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);
  return {
    read(path) {
      const text = contents.get(tidy(path));
      if (text === undefined) return children.has(tidy(path)) ? directoryFailure : absentFailure;
      return { text, realPath: toReadable(tidy(path)) };
    },
    exists: (path) => contents.has(tidy(path)) || children.has(tidy(path)),
    isDirectory: (path) => children.has(tidy(path)),
    list(path) {
      const names = children.get(tidy(path));
      if (names === undefined) return contents.has(tidy(path)) ? notDirectoryFailure : absentFailure;
      const kindOfChild = (name: string) =>
        children.has(`${path === "/" ? "" : tidy(path)}/${name}`) ? "directory" : "file";
      return [...names].map((name) => ({ name, kind: kindOfChild(name) }) as const).sort(compareEntries);
    },
    realPath: (path) => toReadable(tidy(path)),
  };
}

/** Order of names as `strcmp` has it: binary strings compare by byte. */
export function compareEntries(a: DirectoryEntry, b: DirectoryEntry): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Nothing is there. */
export const absentFailure: FileFailure = {
  failed: "it does not exist",
  system: "No such file or directory",
  isAbsent: true,
};
/** Nothing is found, but the server may have it. */
export const notFoundHereFailure: FileFailure = {
  failed: "it is not mapped, and the server may have it",
  isAbsent: true,
};
/** Why nobody knows whether there is something at a path; undefined where there is, or where there is not. */
export function findAccessFailure(path: string, access: FileAccess): FileFailure | undefined {
  if (access.exists(path)) return undefined;
  const inside = access.list(path);
  return "failed" in inside && inside.system === undefined ? inside : undefined;
}

/** What is to be a file is a directory (server/util.c `ap_pcfg_openfile` says so of all that is no file). */
export const directoryFailure: FileFailure = { failed: "it is a directory", system: "Bad file descriptor" };
/** What is to be a directory is none. */
export const notDirectoryFailure: FileFailure = {
  failed: "a part of its path is not a directory",
  system: "Not a directory",
};

/** The files of a configuration have no more bytes and lines in all: 100,000 virtual hosts have half of that. */
export const MAX_CONFIG_BYTES = 512 * 1024 * 1024;
export const MAX_CONFIG_LINES = 6_000_000;

/** Files that are read until they come to more than a configuration's do. */
export function limitFileAccess(access: FileAccess): FileAccess {
  let bytes = 0;
  let lines = 0;
  const refusal = (text: string): FileFailure | undefined => {
    if (bytes + text.length > MAX_CONFIG_BYTES) return limitFailure(`${MAX_CONFIG_BYTES >> 20} MB`);
    const more = countLinesUpTo(text, MAX_CONFIG_LINES - lines);
    if (lines + more > MAX_CONFIG_LINES) return limitFailure(`${MAX_CONFIG_LINES.toLocaleString("en")} lines`);
    bytes += text.length;
    lines += more;
    return undefined;
  };
  return {
    ...access,
    read(path) {
      const content = access.read(path);
      return "failed" in content ? content : (refusal(content.text) ?? content);
    },
  };
}

function limitFailure(most: string): FileFailure {
  return { failed: `with it the configuration comes to more than ${most}, and httpd-lint reads no more` };
}

/** What continues a line is none of its own. @param enough as soon as there are more, it does not matter how many */
function countLinesUpTo(text: string, enough: number): number {
  let count = text.endsWith("\n") || text === "" ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0 && count <= enough; at = text.indexOf("\n", at + 1))
    if (text[at - 1] !== "\\") count++;
  return count;
}
