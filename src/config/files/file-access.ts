import { getOrCreate } from "../../text/collections.js";
import type { Result } from "../../text/result.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { formatNumber } from "../../text/words.js";
import { dropFinalSlash, isWithin, nativePath, pathKey, toAbsolutePath } from "./paths.js";

/** The content of a file, or the reason why it is not available. */
export type FileContent = Result<
  {
    readonly text: string;
    readonly realPath: string;
    /** Whether the file has more than the text: it is not rewritten. */
    readonly isPart?: boolean;
    /** Whether it is added to the end of a file with other lines. */
    readonly isAddition?: boolean;
    /** The text that the server reads, of the same length; present if its lines are not those of the file. */
    readonly readAs?: string;
  },
  FileFailure
>;

export interface FileFailure {
  /** The reason, for the operator. */
  readonly message: string;
  /**
   * The system's error message if the server fails as well; absent if the file may be unreadable only for httpd-lint.
   */
  readonly system?: string;
  /** Whether the file or directory does not exist. */
  readonly isAbsent?: boolean;
  /** Whether it is outside of the directory that may be read. */
  readonly isConfined?: boolean;
  /** Why httpd-lint does not read it, as a sentence. */
  readonly reason?: string;
  /** What the operator can do, if not give httpd-lint access. */
  readonly remedy?: string;
}

/**
 * Access to the configuration's files. Paths are those of the server, as binary strings. Only this object knows their
 * location on this machine (below a system root, in memory).
 */
export interface FileAccess {
  /** Whether the server may have files that are not found here: an image has more files than those copied into it. */
  readonly isPartial?: boolean;
  /** Whether the files are a copy of those of the server, below a system root; a copy may lack some. */
  readonly isCopy?: boolean;
  read(path: string): FileContent;
  exists(path: string): boolean;
  isDirectory(path: string): boolean;
  /**
   * Returns a directory's entries in byte order of their names, without `.` and `..`, or the reason why it cannot be
   * listed.
   */
  list(path: string): Result<readonly DirectoryEntry[], FileFailure>;
  /** Returns the facts about a symbolic link, without following it; absent if the files have no links. */
  linkAt?(path: string): LinkFacts | undefined;
  /** Reports whether some user may execute a file, with links followed; undefined if that is not known. */
  isExecutable?(path: string): boolean | undefined;
  /**
   * Returns the path with symbolic links resolved, as an operator would name it; the path itself if it does not exist.
   */
  realPath(path: string): string;
}

export interface LinkFacts {
  /** Whether the target has the same owner; undefined if it may not be read or does not exist. */
  readonly hasSameOwner: boolean | undefined;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

/**
 * Returns access to files given as a map from absolute path to text (ordinary strings), for tests and recorded cases.
 *
 * @param links the targets of symbolic links by path, both absolute; their owner is that of the target
 */
export function memoryAccess(
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
): FileAccess {
  const texts = Object.entries(files).map(([path, text]) => [absoluteForm(path), fromReadable(text)] as const);
  const contents = new Map(texts.map(([path, text]) => [pathKey(path), text]));
  const targets = new Map(Object.entries(links).map(([path, target]) => [absoluteForm(path), absoluteForm(target)]));
  const children = new Map<string, Set<string>>([["/", new Set()]]);
  const spellings = new Map<string, string>();
  for (const path of [...texts.map(([path]) => path), ...targets.keys()]) {
    const parts = path.split("/").slice(1);
    spellings.set(pathKey(path), path);
    for (const [index, name] of parts.entries()) {
      const parent = `/${parts.slice(0, index).join("/")}`;
      getOrCreate(children, pathKey(parent), () => new Set()).add(name);
    }
  }
  const followed = (path: string) => followLinks(dropFinalSlash(path), targets);
  const at = (path: string) => pathKey(followed(path));
  const spelled = (path: string) => nativePath(toReadable(spellings.get(at(path)) ?? followed(path)));
  const kindOfChild = (path: string): DirectoryEntry["kind"] =>
    targets.has(path) ? "link" : children.has(pathKey(path)) ? "directory" : "file";
  return {
    read(path) {
      const text = contents.get(at(path));
      if (text === undefined)
        return children.has(at(path)) ? { ok: false, error: directoryFailure } : { ok: false, error: absentFailure };
      return { ok: true, value: { text, realPath: spelled(path) } };
    },
    exists: (path) => contents.has(at(path)) || children.has(at(path)),
    isDirectory: (path) => children.has(at(path)),
    list(path) {
      const names = children.get(at(path));
      if (names === undefined)
        return contents.has(at(path)) ? { ok: false, error: notDirectoryFailure } : { ok: false, error: absentFailure };
      const directory = path === "/" ? "" : at(path);
      return {
        ok: true,
        value: [...names].map((name) => ({ name, kind: kindOfChild(`${directory}/${name}`) })).sort(compareEntries),
      };
    },
    linkAt: (path) => (targets.has(path) ? { hasSameOwner: true } : undefined),
    realPath: spelled,
  };
}

function absoluteForm(path: string): string {
  const written = fromReadable(path);
  return toAbsolutePath(written) ?? written;
}

/** Replaces the first component that is a link by its target, which has no further links. */
function followLinks(path: string, targets: ReadonlyMap<string, string>): string {
  for (const [link, target] of targets) if (isWithin(path, link)) return target + path.slice(link.length);
  return path;
}

/** Compares names like `strcmp`: binary strings compare by byte. */
export function compareEntries(a: DirectoryEntry, b: DirectoryEntry): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** A failure for a path that does not exist. */
export const absentFailure: FileFailure = {
  message: "it does not exist",
  system: "No such file or directory",
  isAbsent: true,
};
/** A failure for a path that is not found here, but may exist on the server. */
export const notFoundHereFailure: FileFailure = {
  message: "it is not mapped, and the server may have it",
  isAbsent: true,
  remedy: "name the directory that has it with `--map`",
};
/** Returns the reason why it is unknown whether a path exists; undefined if that is known. */
export function findAccessFailure(path: string, access: FileAccess): FileFailure | undefined {
  if (access.exists(path)) return undefined;
  const inside = access.list(path);
  return !inside.ok && inside.error.system === undefined ? inside.error : undefined;
}

/**
 * A failure for a directory in place of a file (server/util.c `ap_pcfg_openfile` reports this for anything that is not
 * a file).
 */
export const directoryFailure: FileFailure = { message: "it is a directory", system: "Bad file descriptor" };
/** A failure for a path with a component that is not a directory. */
export const notDirectoryFailure: FileFailure = {
  message: "a part of its path is not a directory",
  system: "Not a directory",
};

/** Total limit for the files of a configuration; 100,000 virtual hosts have half as many bytes and lines. */
export const MAX_CONFIG_BYTES = 512 * 1024 * 1024;
export const MAX_CONFIG_LINES = 6_000_000;

/** Wraps file access so that reading stops at the total limits. */
export function limitTotalSize(access: FileAccess): FileAccess {
  let bytes = 0;
  let lines = 0;
  const refusal = (text: string): FileFailure | undefined => {
    if (bytes + text.length > MAX_CONFIG_BYTES) return limitFailure(`${MAX_CONFIG_BYTES >> 20} MB`);
    const more = countLinesUpTo(text, MAX_CONFIG_LINES - lines);
    if (lines + more > MAX_CONFIG_LINES) return limitFailure(`${formatNumber(MAX_CONFIG_LINES)} lines`);
    bytes += text.length;
    lines += more;
    return undefined;
  };
  return {
    ...access,
    read(path) {
      const content = access.read(path);
      const refused = content.ok ? refusal(content.value.text) : undefined;
      return refused === undefined ? content : { ok: false, error: refused };
    },
  };
}

function limitFailure(max: string): FileFailure {
  return { message: `the configuration would have more than ${max}, and httpd-lint reads no more` };
}

/** Counts lines; a continuation line is not counted. @param enough counting stops beyond this number */
function countLinesUpTo(text: string, enough: number): number {
  let count = text.endsWith("\n") || text === "" ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0 && count <= enough; at = text.indexOf("\n", at + 1))
    if (text[at - 1] !== "\\") count++;
  return count;
}
