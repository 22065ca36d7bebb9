import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isWithin } from "./confined.js";
import { entryKindOf, isHtaccessName } from "./entry-kind.js";
import { readStart, realOrSame } from "./file-content.js";
import { mainNames, nearestMain, statOf } from "./main-files.js";

/** The directives that show a main file are near its start. */
const START = 256 * 1024;
/** A directory with more `*.conf` files contains parts of a server, not its main file. */
const MOST_FILES = 100;
/** At most this many directories are searched by content, upwards. */
const MOST_LEVELS = 12;

/** Finds the main files of servers by name and by content, and remembers what it found. */
export class MainFileFinder {
  private readonly named = new Map<string, string | undefined>();
  private readonly around = new Map<string, readonly string[]>();
  private readonly byDirectory = new Map<string, readonly string[]>();
  private readonly verdicts = new Map<string, { readonly stamp: string; readonly isMain: boolean }>();
  private readonly confine: string | undefined;

  /** @param confine the directory outside of which no content is read */
  constructor(confine?: string) {
    this.confine = confine === undefined ? undefined : realOrSame(confine);
  }

  /** Discards the known contents of directories. Results about a file are kept until the file changes. */
  refresh(): void {
    this.named.clear();
    this.around.clear();
    this.byDirectory.clear();
  }

  /** Whether a file is a main file, by its name or by its content. */
  isMain(path: string): boolean {
    return mainNames.includes(basename(path)) || this.isMainByContent(path);
  }

  /**
   * Returns the main files that may read a file or directory: the nearest one by name, and those by content in the
   * directories above it, the nearest first. Above the repository, files are found by name only.
   */
  above(path: string): readonly string[] {
    const directory = dirname(path);
    const all = this.around.get(directory) ?? this.mainsAround(directory, undefined);
    this.around.set(directory, all);
    return all.includes(path) ? this.mainsAround(directory, path) : all;
  }

  /** @param path a main file to leave out */
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
      const nearest = nearestMain(folder, this.named);
      if (nearest === undefined || nearest !== path) return nearest;
      if (dirname(folder) === folder) return undefined;
    }
  }

  /** Returns the main files in a directory, or in `conf` there, that only their content shows. */
  mainsIn(directory: string): readonly string[] {
    const known = this.byDirectory.get(directory);
    if (known) return known;
    const files = [directory, join(directory, "conf")].flatMap((folder) => filesIn(folder));
    const mains = files.filter((path) => this.isMainByContent(path));
    this.byDirectory.set(directory, mains);
    return mains;
  }

  private directoriesAbove(directory: string): string[] {
    const found: string[] = [];
    for (let folder = directory; found.length < MOST_LEVELS; folder = dirname(folder)) {
      if (this.confine !== undefined && !isWithin(realOrSame(folder), this.confine)) break;
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
    const text = readStart(path, START, this.confine);
    const isMain = text !== undefined && entryKindOf(path, text) === "server";
    this.verdicts.set(path, { stamp, isMain });
    return isMain;
  }
}

/** The `*.conf` files of a directory; none if there are too many to look into. */
function filesIn(directory: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(".conf") && !mainNames.includes(name));
    return names.length > MOST_FILES ? [] : names.sort().map((name) => join(directory, name));
  } catch {
    return [];
  }
}
