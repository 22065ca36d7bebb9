import { type Dirent, existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { getOrCreate } from "../text/collections.js";
import { entryKindOf, isHtaccessName } from "./entry.js";
import { readFileStart, resolveOrKeepPath } from "./files/file-content.js";
import { isWithin } from "./files/paths.js";
import { findNearestMainFile, mainFileNames, statOf } from "./main-files.js";

/** The directives that show a main file are near its start. */
const CONTENT_SCAN_BYTES = 256 * 1024;
/** A directory with more `*.conf` files contains parts of a server, not its main file. */
const MAX_FILES = 100;
/** At most this many directories are searched by content, upwards. */
const MAX_LEVELS = 12;

/** Finds the main files of servers by name and by content, and caches the results. */
export class MainFileFinder {
  private readonly named = new Map<string, string | undefined>();
  private readonly knownMains = new Map<string, readonly string[]>();
  private readonly byDirectory = new Map<string, readonly string[]>();
  private readonly verdicts = new Map<string, { readonly stamp: string; readonly isMain: boolean }>();
  private readonly confine: string | undefined;
  private readonly repositoryOf = createRootFinder();

  /** @param confine the directory outside of which no content is read */
  constructor(confine?: string) {
    this.confine = confine === undefined ? undefined : resolveOrKeepPath(confine);
  }

  /** Discards the known contents of directories. Results about a file are kept until the file changes. */
  refresh(): void {
    this.named.clear();
    this.knownMains.clear();
    this.byDirectory.clear();
  }

  /** Reports whether a file is a main file, by its name or content. */
  isMain(path: string): boolean {
    return mainFileNames.includes(basename(path)) || this.isMainByContent(path);
  }

  /**
   * Returns the main files that may read a file or directory. These are the nearest one by name, and those by content
   * in the directories above it, nearest first. The search ends at the root of the repository.
   *
   * @param top the directory at which the search ends outside of a repository; if absent, it does not end there
   */
  above(path: string, top?: string): readonly string[] {
    const directory = dirname(path);
    const all = getOrCreate(this.knownMains, directory, () => this.mainsAround(directory, undefined));
    const found = all.includes(path) ? this.mainsAround(directory, path) : all;
    return top === undefined || this.repositoryOf(top) !== undefined
      ? found
      : found.filter((main) => isWithin(main, top));
  }

  /** @param path a main file to omit */
  private mainsAround(directory: string, path: string | undefined): readonly string[] {
    const named = this.nearestByName(directory, path);
    const byContent = new Set(this.directoriesAbove(directory).flatMap((each) => this.mainsIn(each)));
    const found = [...byContent].filter((main) => main !== path);
    if (named === undefined) return found;
    const isNearer = (main: string) => dirname(main).length > dirname(named).length;
    return [...found.filter(isNearer), named, ...found.filter((main) => !isNearer(main))];
  }

  private nearestByName(directory: string, path: string | undefined): string | undefined {
    for (let folder = directory; ; folder = dirname(folder)) {
      const nearest = findNearestMainFile(folder, this.named);
      if (nearest === undefined || nearest !== path) return nearest;
      if (dirname(folder) === folder || existsSync(join(folder, ".git"))) return undefined;
    }
  }

  /** Returns the main files in a directory, or in its `conf`, that are recognized only by content. */
  mainsIn(directory: string): readonly string[] {
    return getOrCreate(this.byDirectory, directory, () => {
      const files = [directory, join(directory, "conf")].flatMap((folder) => filesIn(folder));
      return files.filter((path) => this.isMainByContent(path));
    });
  }

  private directoriesAbove(directory: string): string[] {
    const found: string[] = [];
    for (let folder = directory; found.length < MAX_LEVELS; folder = dirname(folder)) {
      if (this.confine !== undefined && !isWithin(resolveOrKeepPath(folder), this.confine)) break;
      found.push(folder);
      if (existsSync(join(folder, ".git")) || dirname(folder) === folder) break;
    }
    return found;
  }

  private isMainByContent(path: string): boolean {
    if (isHtaccessName(basename(path))) return false;
    const status = statOf(path);
    if (!status?.isFile()) return false;
    const stamp = `${status.size} ${status.mtimeMs}`;
    const known = this.verdicts.get(path);
    if (known?.stamp === stamp) return known.isMain;
    const text = readFileStart(path, CONTENT_SCAN_BYTES, this.confine);
    const isMain = text !== undefined && entryKindOf(path, text) === "server";
    this.verdicts.set(path, { stamp, isMain });
    return isMain;
  }
}

/** Returns the `*.conf` files of a directory; none if there are too many to read. */
function filesIn(directory: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(".conf") && !mainFileNames.includes(name));
    return names.length > MAX_FILES ? [] : names.sort().map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/** A repository with more entries is not searched: the search is repeated for each run of a hook. */
const MAX_ENTRIES = 20_000;
const MAX_SERVERS = 20;

/** Options of the search for the servers of repositories. */
export interface RepositoryOptions {
  /** The name of configuration files of httpd-lint. A folder with one has its own servers. */
  readonly settingsName: string;
  /** The folder of the configuration file that applies. */
  readonly settings: string | undefined;
  /** The directory outside which nothing is read. */
  readonly confine: string | undefined;
}

/** Returns the main files in the repositories of files: one in another folder may read them. */
export function findRepositoryServers(paths: readonly string[], options: RepositoryOptions): readonly string[] {
  const roots = new Set(paths.map((path) => dirname(path)).map(createRootFinder()));
  return [...roots].flatMap((root) => (root === undefined ? [] : findServersBelow(root, options)));
}

function findServersBelow(root: string, { settingsName, settings, confine }: RepositoryOptions): readonly string[] {
  if (confine !== undefined && !isWithin(resolveOrKeepPath(root), resolveOrKeepPath(confine))) return [];
  const contents = search(root, settingsName);
  const governed = contents.governed.filter((folder) => settings === undefined || !isWithin(settings, folder));
  const finder = new MainFileFinder(confine);
  const mainFiles = contents.files.filter(
    (path) => !governed.some((folder) => isWithin(path, folder)) && finder.isMain(path),
  );
  return mainFiles.length > MAX_SERVERS ? [] : mainFiles;
}

/**
 * Returns the possible main files of a repository, and the folders below its root with their own configuration file.
 */
function search(
  root: string,
  settingsName: string,
): { readonly files: readonly string[]; readonly governed: readonly string[] } {
  const files: string[] = [];
  const governed: string[] = [];
  const folders = [root];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const inside = entriesOf(folder);
    entries += inside.length;
    if (entries > MAX_ENTRIES) return { files: [], governed: [] };
    for (const entry of inside) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(...(skippedFolders.has(entry.name) ? [] : [path]));
      else if (entry.name.endsWith(".conf")) files.push(path);
      else if (entry.name === settingsName && folder !== root) governed.push(folder);
    }
  }
  return { files: files.sort(), governed };
}

const skippedFolders = new Set([".git", "node_modules"]);

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Finds the roots of repositories, for each folder once. */
export function createRootFinder(): (folder: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  const find = (folder: string): string | undefined => {
    if (known.has(folder)) return known.get(folder);
    const above = dirname(folder);
    const root = existsSync(join(folder, ".git")) ? folder : above === folder ? undefined : find(above);
    known.set(folder, root);
    return root;
  };
  return find;
}
