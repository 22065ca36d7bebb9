import { getOrCreate } from "../../text/collections.js";
import { type FileAccess, type FileFailure, findAccessFailure, notDirectoryFailure } from "../files/file-access.js";
import { dropFinalSlash, parentOf, resolvePath } from "../files/paths.js";
import type { Directive } from "../model/directive.js";
import { documentFoldersOf, mayNameFolders } from "./document-folders.js";

/** The names of per-directory files if there is no AccessFileName. */
export const DEFAULT_ACCESS_FILE_NAMES: readonly string[] = [".htaccess"];

/** Sections that may contain such a directive. */
const folderSections = new Set(["<virtualhost", "<location", "<locationmatch", "<if", "<elseif", "<else"]);

/**
 * Limit of directories to search. An Alias may lead to a folder with all files of a machine; no document tree has as
 * many.
 */
export const MAX_DIRECTORIES = 500_000;

/** A path, and the directive that leads there. */
export interface FoundPath {
  readonly path: string;
  readonly by: Directive;
}

/** A directory that was already searched under another name. */
export interface RepeatedDirectory extends FoundPath {
  readonly first: string;
}

/** A directory that cannot be read. */
export interface ClosedDirectory extends FoundPath {
  readonly failure: FileFailure;
}

/** The files below the document folders. */
export interface HtaccessSearchResult {
  readonly files: readonly FoundPath[];
  readonly closed: readonly ClosedDirectory[];
  /** Folders whose search stopped at the limit of directories. */
  readonly unfinished: readonly FoundPath[];
  /** Folders with files at any depth, which are not searched. */
  readonly passed: readonly FoundPath[];
  /** The folders that are searched, at any location. */
  readonly roots: readonly string[];
  /** Further names of directories that contain such files. */
  readonly repeated: readonly RepeatedDirectory[];
  /**
   * The directories that were searched; undefined if there are others that are unreadable or reached by further links.
   */
  readonly directories: ReadonlySet<string> | undefined;
  /** See `ReadConfig`. */
  readonly missingFolders: ReadonlySet<Directive>;
  readonly absentFolders: readonly FoundPath[];
}

/**
 * Finds the per-directory files below the document roots of all servers and below the targets of Alias, UserDir and
 * RewriteRule. Files in the directories above these are included, since the server walks those first. In each directory
 * these are the first existing name of each server's AccessFileName. Each directory is entered once, under its real path
 * if that is below a root.
 *
 * @param locate returns the path on this machine of a path in the configuration
 * @param max limit of directories to search
 * @returns paths as binary strings, with the directives that lead there, in the order of the document roots,
 *   directories before their content
 */
export function findHtaccessFiles(
  directives: readonly Directive[],
  locate: (path: string) => string,
  access: FileAccess,
  max = MAX_DIRECTORIES,
): HtaccessSearchResult {
  const roots = new Map<string, Directive>();
  const passed = new Map<string, Directive>();
  /** Parent directories of others: the server walks those above them as well. */
  const parents = new Map<string, Directive>();
  const missing = new Set<Directive>();
  /** The document roots whose parent directory does not exist either. */
  const isolated = new Set<Directive>();
  const absent = new Map<string, FoundPath>();
  const mayExist = createParentCheck(locate, access);
  const visit = (directive: Directive): void => {
    if (directive.children !== undefined) {
      if (folderSections.has(directive.key)) directive.children.forEach(visit);
      return;
    }
    if (!mayNameFolders(directive)) return;
    for (const { folder, isPassed } of documentFoldersOf(directive, access)) {
      if (folder === "") continue;
      const path = dropFinalSlash(locate(folder));
      const exists = mayExist(dropFinalSlash(folder));
      const into = isPassed ? passed : roots;
      if (exists && !into.has(path)) into.set(path, directive);
      const outer = parentOf(exists ? path : parentOf(path));
      if (!parents.has(outer)) parents.set(outer, directive);
      if (exists && isMissingBesideOthers(path, directive, access)) missing.add(directive);
      if (directive.key === "documentroot" && !exists) isolated.add(directive);
      if (!access.exists(path) && isOnServer(path, directive, access))
        absent.set(`${directive.key} ${path}`, { path, by: directive });
    }
  };
  directives.forEach(visit);
  const walk = new DocumentTreeWalker(accessFileNamesIn(directives), access, max);
  const isReal = ({ path }: FoundPath) => access.realPath(path) === path;
  const starts = [...roots].map(([path, by]) => ({ path, by }));
  for (const start of starts) if (isReal(start)) walk.searchBelow(start);
  for (const start of starts) if (!isReal(start)) walk.searchBelow(start);
  walk.searchLinked();
  const exists = ({ path }: FoundPath) => access.isDirectory(path) && !roots.has(path);
  // The disk has the documents of the server if it has those of another line.
  if ([...roots].some(([path, by]) => by.key === "documentroot" && access.isDirectory(path)))
    for (const directive of isolated) missing.add(directive);
  const left = [...passed].map(([path, by]) => ({ path, by })).filter(exists);
  for (const each of left) walk.searchAbove(each);
  for (const [path, by] of parents) walk.searchAbove({ path, by });
  // A folder that is missing in a searched one is missing on the server, too.
  const found = walk.found();
  const absentFolders = [...absent.values()].filter(({ path }) => found.directories?.has(parentOf(path)) !== true);
  return { ...found, passed: left, roots: [...roots.keys()], missingFolders: missing, absentFolders };
}

/**
 * Returns the names that servers look for, each list once; of several lines the last one applies (server/core.c
 * `set_access_name`).
 */
function accessFileNamesIn(directives: readonly Directive[]): readonly (readonly string[])[] {
  const namesOf = (own: readonly Directive[]) =>
    own.findLast(({ key }) => key === "accessfilename")?.arguments.map(({ value }) => value);
  const main = namesOf(directives) ?? DEFAULT_ACCESS_FILE_NAMES;
  const hosts = directives.filter(({ key }) => key === "<virtualhost");
  const lists = [main, ...hosts.map(({ children = [] }) => namesOf(children)).filter((own) => own !== undefined)];
  return [...new Map(lists.map((each) => [each.join("\0"), each])).values()];
}

/**
 * Returns a predicate: whether the parent folder of a document root exists or may exist. Thousands of hosts often share
 * one, and it is checked only once.
 */
function createParentCheck(locate: (path: string) => string, access: FileAccess): (root: string) => boolean {
  const known = new Map<string, boolean>();
  return (root) => {
    const parent = root.slice(0, root.lastIndexOf("/") + 1);
    return getOrCreate(known, parent, () => {
      const path = locate(parent);
      return access.isDirectory(path) || findAccessFailure(path, access) !== undefined;
    });
  };
}

/**
 * Reports whether a path that does not exist here may be a folder of the server. The target of a rule is a file only if its
 * first folder exists (modules/mappers/mod_rewrite.c `prefix_stat`), and a URL path is more common.
 */
function isOnServer(path: string, { key }: Directive, access: FileAccess): boolean {
  if (!(findAccessFailure(path, access)?.isConfined ?? true)) return false;
  return key !== "rewriterule" || access.isDirectory(path.slice(0, path.indexOf("/", 1)));
}

/**
 * Reports whether a line names no directory, or an Alias no file either, although its parent is one: the disk probably has the
 * server's documents. The root of the file system exists on every machine.
 */
function isMissingBesideOthers(path: string, { key }: Directive, access: FileAccess): boolean {
  const parent = parentOf(path);
  // Distributions name a folder for programs that administrators delete.
  if (key !== "documentroot" && key !== "alias") return false;
  return (
    parent !== "/" &&
    !(key === "documentroot" ? access.isDirectory(path) : access.exists(path)) &&
    access.isDirectory(parent) &&
    access.isPartial !== true &&
    findAccessFailure(path, access) === undefined
  );
}

/** Walks directories, each once, whatever links lead to it. */
class DocumentTreeWalker {
  /** The first name of each directory, by real path. */
  private readonly entered = new Map<string, string>();
  private readonly directories = new Set<string>();
  private readonly files: FoundPath[] = [];
  /** The files in the directories above the folders. */
  private readonly outer: FoundPath[] = [];
  private readonly passed = new Set<string>();
  private readonly closed: ClosedDirectory[] = [];
  private readonly repeated: RepeatedDirectory[] = [];
  private readonly unfinished: FoundPath[] = [];
  /** Links to directories, which are searched after the directories themselves. */
  private readonly links: FoundPath[] = [];
  private isComplete = true;

  constructor(
    private readonly names: readonly (readonly string[])[],
    private readonly access: FileAccess,
    private readonly max: number,
  ) {}

  found(): Omit<HtaccessSearchResult, "passed" | "roots" | "missingFolders" | "absentFolders"> {
    const { closed, unfinished, directories, isComplete } = this;
    const files = [...this.outer.toSorted((a, b) => a.path.length - b.path.length), ...this.files];
    const withFiles = parentsOfAll([...files, ...closed]);
    const repeated = this.repeatedWith(withFiles);
    return { files, closed, unfinished, repeated, directories: isComplete ? directories : undefined };
  }

  /** Returns the further names of directories with files, including those that contain such files by a further name. */
  private repeatedWith(withFiles: ReadonlySet<string>): readonly RepeatedDirectory[] {
    const directories = new Set(withFiles);
    for (let size = -1; size !== directories.size; ) {
      size = directories.size;
      const found = this.repeated.filter(({ first }) => directories.has(first));
      for (const above of parentsOfAll(found)) directories.add(above);
    }
    return this.repeated.filter(({ first }) => directories.has(first));
  }

  searchBelow({ path: root, by }: FoundPath): void {
    const waiting = this.leadsTo(root, by, "root") ? [root] : [];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (this.isEntered({ path, by })) continue;
      if (this.entered.size > this.max) {
        this.isComplete = false;
        this.unfinished.push({ path: root, by });
        return;
      }
      for (const inner of this.search({ path, by }).reverse()) waiting.push(inner);
    }
  }

  /** Searches the directories that links lead to, unless that was done under another name. */
  searchLinked(): void {
    for (let next = this.links.shift(); next; next = this.links.shift()) this.searchBelow(next);
  }

  /** Looks for per-directory files in a directory and in those above it, but not in other content. */
  searchAbove({ path: start, by }: FoundPath): void {
    for (let path = start; !this.passed.has(path) && !this.directories.has(path); path = parentOf(path)) {
      this.passed.add(path);
      for (const name of this.firstOf((each) => this.mayExist(resolvePath(path, each))))
        this.outer.push({ path: resolvePath(path, name), by });
    }
  }

  /** Returns the first existing name for each server. */
  private firstOf(exists: (name: string) => boolean): ReadonlySet<string> {
    return new Set(this.names.flatMap((each) => each.find(exists) ?? []));
  }

  /** Reports whether a file exists or may exist. A path outside of `--confine` belongs to another machine. */
  private mayExist(path: string): boolean {
    const failure = findAccessFailure(path, this.access);
    return failure ? !failure.isConfined : this.access.exists(path);
  }

  /** Reports whether a directory was already searched, and marks it as searched. */
  private isEntered({ path, by }: FoundPath): boolean {
    const real = this.access.realPath(path);
    const first = this.entered.get(real);
    if (first === undefined) {
      this.entered.set(real, path);
      return false;
    }
    if (first !== path) {
      this.isComplete = false;
      this.repeated.push({ path, by, first });
    }
    return true;
  }

  /** @returns the directories in it */
  private search({ path, by }: FoundPath): string[] {
    this.directories.add(path);
    const inside = this.access.list(path);
    if (!inside.ok) {
      this.close({ path, by, failure: inside.error });
      return [];
    }
    const kinds = new Map(inside.value.map(({ name, kind }) => [name, kind]));
    const exists = (name: string) => kinds.has(name) && (kinds.get(name) !== "link" || this.mayLeadToFile(path, name));
    for (const name of this.firstOf(exists)) this.files.push({ path: resolvePath(path, name), by });
    return inside.value.flatMap((entry) => {
      const inner = resolvePath(path, entry.name);
      if (entry.kind === "link" && this.leadsTo(inner, by, "link")) this.links.push({ path: inner, by });
      return entry.kind === "directory" ? [inner] : [];
    });
  }

  /** Reports whether a link may lead to a file: a dangling link does not count. */
  private mayLeadToFile(directory: string, name: string): boolean {
    const path = resolvePath(directory, name);
    if (this.access.exists(path)) return true;
    const inside = this.access.list(path);
    return inside.ok || !(inside.error.isAbsent || inside.error === notDirectoryFailure);
  }

  /**
   * Reports whether a path is a directory that may be searched. A path outside of `--confine` belongs to another
   * machine.
   */
  private leadsTo(path: string, by: Directive, as: "root" | "link"): boolean {
    if (this.access.isDirectory(path)) return true;
    const failure = findAccessFailure(path, this.access);
    if (failure && !failure.isConfined) this.close({ path, by, failure });
    else if (failure && as === "link") this.isComplete = false;
    return false;
  }

  private close(closed: ClosedDirectory): void {
    this.isComplete = false;
    if (!closed.failure.isAbsent) this.closed.push(closed);
  }
}

/** Returns all directories above some paths. */
function parentsOfAll(all: readonly FoundPath[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { path } of all)
    for (let above = parentOf(path); !found.has(above); above = parentOf(above)) found.add(above);
  return found;
}
