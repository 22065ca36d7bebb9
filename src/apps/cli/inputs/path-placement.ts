import { basename, resolve } from "node:path";
import { isTemplateName } from "../../../../grammar/template.js";
import { resolveOrKeepPath } from "../../../config/files/file-content.js";
import { compareByDepth, isWithin } from "../../../config/files/paths.js";
import { MainFileFinder } from "../../../config/main-file-finder.js";
import { realPathOf, sortPartsLast, statOf } from "../../../config/main-files.js";
import type { UnreadCommand } from "../../../report/index.js";
import type { Result } from "../../../text/result.js";
import { formatCount } from "../../../text/words.js";
import type { ExcludedPath } from "./exclusions.js";
import type { FolderSearch } from "./folder-search.js";
import { findEmbeddedHttpd, findUnreadHttpd, hasHttpdTemplate, isLikelyHttpd, isOuterFile } from "./httpd-detection.js";

/** The paths of the command line, sorted into servers and other files. */
export interface PathPlacement {
  /** The main files of the servers that are checked as a whole. */
  readonly servers: readonly PlacedFile[];
  /** The other files that are to be checked. */
  readonly files: readonly PlacedFile[];
  /** Folders, and files of other formats, without httpd configuration. This is a mistake unless a server reads files in them. */
  readonly empty: readonly EmptyPath[];
  /** What the search of folders left out. */
  readonly excluded: readonly ExcludedPath[];
  /** Commands in files of other formats that write httpd configuration in a way that cannot be read. */
  readonly unread: readonly UnreadCommand[];
}

export interface EmptyPath {
  readonly path: string;
  /** The message about it. */
  readonly message: string;
}

/** A file to be checked, with the main files that may read it. */
export interface PlacedFile {
  readonly path: string;
  /** The file of another format that contains it, if it is not a file of its own. No server reads it there. */
  readonly outer?: string;
  /** The main files in the folders above it, the nearest first. */
  readonly above: readonly string[];
  /** The main files in the folder that was searched. */
  readonly neighbors: ReadonlySet<string>;
  /** Whether the user named it, rather than its folder. */
  readonly isNamed: boolean;
  /** Whether it looks like httpd configuration. Any other file is checked only if a server reads it. */
  readonly isRecognized: boolean;
}

export interface PlacementOptions {
  readonly search: FolderSearch;
  /** Main files that the configuration file or a flag names, by real path. */
  readonly named?: ReadonlyMap<string, string> | undefined;
  /** Folders with a configuration file of their own, which places the files in them. */
  readonly governed?: readonly string[] | undefined;
  /** Folders that may have no configuration. */
  readonly optional?: ReadonlySet<string> | undefined;
  /** Whether files that the user names are also skipped if they are excluded, or not httpd configuration. */
  readonly skipUnrecognized?: boolean | undefined;
  /** Contents that replace files on disk, by absolute path. */
  readonly overlay?: ReadonlyMap<string, string> | undefined;
  /** The directory outside which nothing is read. */
  readonly confine?: string | undefined;
  /** The root of the server's file system: no file in it belongs to a server above. */
  readonly sysroot?: string | undefined;
}

const noPaths: ReadonlySet<string> = new Set();

/**
 * Partitions the paths of the command line into main files and other files. Each other file has the main files that may
 * read it.
 */
export function placePaths(paths: readonly string[], options: PlacementOptions): Result<PathPlacement, string> {
  const placer = new PathPlacer(options);
  for (const path of paths) {
    // An unset variable in a script: as a path it would mean the current folder.
    if (path === "") return { ok: false, error: "a path is empty; name a file or a directory" };
    const absolute = resolve(path);
    if (statOf(absolute)?.isDirectory()) placer.placeFolder(path, absolute);
    else placer.placeFile(path, absolute);
  }
  return { ok: true, value: placer.placement() };
}

class PathPlacer {
  private readonly finder: MainFileFinder;
  private readonly servers = new Map<string, PlacedFile>();
  private readonly files = new Map<string, PlacedFile>();
  private readonly empty: EmptyPath[] = [];
  private readonly excluded: ExcludedPath[] = [];
  private readonly unread: UnreadCommand[] = [];

  constructor(private readonly options: PlacementOptions) {
    this.finder = new MainFileFinder(options.confine);
  }

  placement(): PathPlacement {
    const { servers, files, empty, excluded, unread } = this;
    return { servers: [...servers.values()], files: [...files.values()], empty, excluded, unread };
  }

  placeFile(written: string, path: string): void {
    const isNamedMain = this.options.named?.has(resolveOrKeepPath(path)) === true;
    if (!isNamedMain && isOuterFile(path, this.options.confine)) this.placeOuterFile(written, path);
    else this.add({ path, neighbors: noPaths, isNamed: true, isRecognized: this.isRecognized(path) });
  }

  /** Places the configurations in a named file of another format. */
  private placeOuterFile(written: string, path: string): void {
    const { search, skipUnrecognized, overlay, confine } = this.options;
    if (skipUnrecognized && search.exclusions.findForFile(path) !== undefined) return;
    const found = findEmbeddedHttpd(path, confine, overlay?.get(path));
    this.addUnread(path, overlay?.get(path));
    for (const each of found) this.addEmbedded(each, path, true);
    if (found.length === 0 && !skipUnrecognized) this.empty.push({ path, message: describeEmpty(written) });
  }

  private addUnread(path: string, given?: string): void {
    for (const each of findUnreadHttpd(path, this.options.confine, given)) this.unread.push({ path, ...each });
  }

  private addEmbedded(path: string, outer: string, isNamed: boolean): void {
    this.files.set(path, { path, outer, above: [], neighbors: noPaths, isNamed, isRecognized: true });
  }

  placeFolder(written: string, directory: string): void {
    const { search, optional, confine } = this.options;
    const { candidates, templates, outerFiles, excluded } = search.contentsOf(directory);
    const inner = this.governedIn(directory);
    this.excluded.push(...excluded.filter(({ path }) => !inner.some((each) => isWithin(path, each))));
    const isOptional = optional?.has(directory) === true;
    const confined = confine === undefined ? undefined : resolveOrKeepPath(resolve(confine));
    const isConfined = confined !== undefined && (isOptional || isWithin(resolveOrKeepPath(directory), confined));
    const root = isConfined ? confined : undefined;
    const ofYaml = new Set(templates.filter((path) => isOuterFile(path, confine)));
    const sources = this.withoutGoverned(directory, templates).filter(
      (path) => !ofYaml.has(path) && hasHttpdTemplate(path, confine),
    );
    const outer = withoutLinks(this.withoutGoverned(directory, [...outerFiles, ...ofYaml]), root);
    for (const path of outer) this.addUnread(path);
    const embedded = outer.flatMap((each) => findEmbeddedHttpd(each, confine).map((path) => ({ path, outer: each })));
    for (const each of embedded) this.addEmbedded(each.path, each.outer, false);
    const files = withoutLinks([...this.withoutGoverned(directory, candidates), ...sources], root);
    const isSource = new Set(sources);
    const recognized = new Set(files.filter((path) => isSource.has(path) || isLikelyHttpd(path, confine)));
    const named = this.withoutGoverned(directory, this.namedIn(directory));
    const hasNone = recognized.size === 0 && named.length === 0 && embedded.length === 0;
    const isEmpty = hasNone && inner.length === 0;
    if (isEmpty && !isOptional) {
      const isOutside = confined !== undefined && !isConfined;
      const message = isOutside
        ? `\`${written}\` is outside of the --confine directory \`${confine}\``
        : describeEmpty(written, excluded.length);
      this.empty.push({ path: directory, message });
    }
    const neighbors = new Set([...named, ...[...recognized].filter((path) => this.isMain(path))]);
    for (const path of new Set([...named, ...files]))
      this.add(
        { path, neighbors, isNamed: false, isRecognized: recognized.has(path) || named.includes(path) },
        directory,
      );
  }

  private isRecognized(path: string): boolean {
    const { search, skipUnrecognized, overlay, confine } = this.options;
    if (!skipUnrecognized || overlay?.has(path) || statOf(path) === undefined) return true;
    if (search.exclusions.findForFile(path) !== undefined) return false;
    if (!isTemplateName(basename(path))) return isLikelyHttpd(path, confine);
    return hasHttpdTemplate(path, confine);
  }

  /** @param top the directory that the user named; outside of a repository, no server above it is searched for */
  private add(file: Omit<PlacedFile, "above" | "outer">, top?: string): void {
    const { path, neighbors, isNamed, isRecognized } = file;
    const map = isRecognized && this.isMain(path) ? this.servers : this.files;
    const known = map.get(path);
    const above = this.finder.above(path, top).filter((main) => !this.isAboveSystem(main, path));
    map.set(path, {
      path,
      above,
      neighbors: known && known.neighbors !== neighbors ? new Set([...known.neighbors, ...neighbors]) : neighbors,
      isNamed: isNamed || known?.isNamed === true,
      isRecognized: isRecognized || known?.isRecognized === true,
    });
  }

  /** Reports whether a main file is outside of the server's file system, in which another file is. */
  private isAboveSystem(main: string, path: string): boolean {
    const { sysroot } = this.options;
    return sysroot !== undefined && isWithin(path, resolve(sysroot)) && !isWithin(main, resolve(sysroot));
  }

  /** Returns the named main files in a folder. The search does not find all of them by name. */
  private namedIn(directory: string): readonly string[] {
    const folder = resolveOrKeepPath(directory);
    const paths = [...(this.options.named ?? [])].filter(([real]) => isWithin(real, folder));
    return paths.map(([, path]) => path).filter((path) => statOf(path)?.isFile());
  }

  private isMain(path: string): boolean {
    const { named } = this.options;
    return (named !== undefined && named.size > 0 && named.has(resolveOrKeepPath(path))) || this.finder.isMain(path);
  }

  private governedIn(directory: string): readonly string[] {
    return (this.options.governed ?? []).filter((each) => each !== directory && isWithin(each, directory));
  }

  private withoutGoverned(directory: string, paths: readonly string[]): readonly string[] {
    const inner = this.governedIn(directory);
    return inner.length === 0 ? paths : paths.filter((path) => !inner.some((each) => isWithin(path, each)));
  }
}

/**
 * Removes links to files in the list: a link and its target count once, as the target if that is in the folder. @param
 * root a directory outside which files do not count
 */
function withoutLinks(paths: readonly string[], root: string | undefined): readonly string[] {
  const byRealPath = new Map<string, string>();
  for (const path of paths) {
    const real = realPathOf(path);
    if (real === undefined || (root !== undefined && !isWithin(real, root))) continue;
    if (real === path || !byRealPath.has(real)) byRealPath.set(real, path);
  }
  return [...byRealPath.values()];
}

function describeEmpty(path: string, excluded = 0): string {
  const left = `; ${formatCount(excluded, "path")} there ${excluded === 1 ? "is" : "are"} excluded (--list-files)`;
  return `no httpd configuration was found in \`${path}\`${excluded === 0 ? "" : left}`;
}

/** A server that may read the files to be checked. */
export interface ServerCandidate {
  readonly main: string;
  /** Whether it is checked as a whole. */
  readonly isWhole: boolean;
  /** Whether the configuration file or a flag names it. It may read any file, and is a server even if another one reads it. */
  readonly isNamed: boolean;
  /** Whether it is elsewhere in the repository. It may read the remaining files. */
  readonly isDistant: boolean;
  /** Its main file, if that is to be checked: another server may read it. */
  readonly file: PlacedFile | undefined;
}

/**
 * Returns the servers of a placement in the order in which they are analyzed. Named servers come first, and each other
 * server comes before those whose main files it seems to read.
 *
 * @param named main files that the configuration file or a flag names, by real path
 */
export function orderServers(
  { servers, files }: Pick<PathPlacement, "servers" | "files">,
  named: ReadonlyMap<string, string>,
): readonly ServerCandidate[] {
  const whole = new Map(servers.map((file) => [file.path, file]));
  const byRealPath = new Map(servers.map((file) => [resolveOrKeepPath(file.path), file]));
  const above = new Set([...servers, ...files].flatMap((file) => file.above));
  const others = [...new Set([...whole.keys(), ...above])].filter((path) => !named.has(resolveOrKeepPath(path)));
  const first = [...named].map(([path, main]) => {
    const file = byRealPath.get(path);
    return { main: file?.path ?? main, isWhole: file !== undefined, isNamed: true, isDistant: false, file };
  });
  const rest = orderMainFiles(others).map((main) => {
    const file = whole.get(main);
    return { main, isWhole: file !== undefined, isNamed: false, isDistant: false, file };
  });
  return [...first, ...rest];
}

/** Returns the servers of main files that are not known yet, in the order in which they are analyzed. */
export function orderDistantServers(
  mainFiles: readonly string[],
  known: readonly ServerCandidate[],
): readonly ServerCandidate[] {
  const real = new Set(known.map(({ main }) => resolveOrKeepPath(main)));
  const others = mainFiles.filter((main) => !real.has(resolveOrKeepPath(main)));
  return orderMainFiles(others).map((main) => ({
    main,
    isWhole: false,
    isNamed: false,
    isDistant: true,
    file: undefined,
  }));
}

/** Orders main files: those in outer folders first, and those that another one seems to include last. */
function orderMainFiles(mainFiles: readonly string[]): readonly string[] {
  return sortPartsLast([...mainFiles].sort(compareByDepth));
}
