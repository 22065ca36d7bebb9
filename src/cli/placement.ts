import { basename, resolve } from "node:path";
import { isWithin } from "../project/confined.js";
import { realOrSame } from "../project/file-content.js";
import { MainFileFinder } from "../project/main-file-finder.js";
import { realPathOf, statOf } from "../project/main-files.js";
import { counted } from "../report/painter.js";
import { type FolderSearches, isTemplateName } from "./folder-searches.js";
import { holdsHttpdTemplate, looksLikeHttpd } from "./looks-like-httpd.js";

/** The paths of the command line, sorted into servers and other files. */
export interface Placement {
  /** The main files of the servers that are checked as a whole. */
  readonly servers: readonly PlacedFile[];
  /** The other files that are to be checked. */
  readonly files: readonly PlacedFile[];
  /** Templates of configuration files. They are not read. */
  readonly templates: readonly string[];
  /** Folders without httpd configuration. This is a mistake unless a server reads files in them. */
  readonly empty: readonly EmptyFolder[];
}

export interface EmptyFolder {
  readonly directory: string;
  /** The message about it. */
  readonly failed: string;
}

/** A file to be checked, with the main files that may read it. */
export interface PlacedFile {
  readonly path: string;
  /** The main files in the folders above it, the nearest first. */
  readonly above: readonly string[];
  /** The main files in the folder that was searched. */
  readonly beside: ReadonlySet<string>;
  /** Whether the user named it, rather than its folder. */
  readonly isNamed: boolean;
  /** Whether it looks like httpd configuration. Any other file is checked only if a server reads it. */
  readonly isRecognized: boolean;
}

export interface PlacementOptions {
  readonly searches: FolderSearches;
  /** Main files that the configuration file or a flag names, by real path. */
  readonly named?: ReadonlyMap<string, string> | undefined;
  /** Folders with a configuration file of their own, which places the files in them. */
  readonly governed?: readonly string[] | undefined;
  /** Folders that may have no configuration. */
  readonly optional?: ReadonlySet<string> | undefined;
  /** Whether files that the user names are also skipped if they are not httpd configuration. */
  readonly skipUnrecognized?: boolean | undefined;
  /** Texts in place of files on disk, by absolute path. */
  readonly overlay?: ReadonlyMap<string, string> | undefined;
  /** The directory outside of which nothing is read. */
  readonly confine?: string | undefined;
}

const none: ReadonlySet<string> = new Set();

/** Sorts the paths of the command line into main files and other files. Each other file has the main files that may read it. */
export function place(paths: readonly string[], options: PlacementOptions): Placement | { readonly failed: string } {
  const placer = new Placer(options);
  for (const path of paths) {
    // A script's variable without a value: taken as a path it would mean the folder that one is in.
    if (path === "") return { failed: "a path is empty; name a file or a folder" };
    const absolute = resolve(path);
    if (statOf(absolute)?.isDirectory()) placer.folder(path, absolute);
    else placer.file(absolute);
  }
  return placer.placement();
}

class Placer {
  private readonly finder: MainFileFinder;
  private readonly servers = new Map<string, PlacedFile>();
  private readonly files = new Map<string, PlacedFile>();
  private readonly templates = new Set<string>();
  private readonly empty: EmptyFolder[] = [];

  constructor(private readonly options: PlacementOptions) {
    this.finder = new MainFileFinder(options.confine);
  }

  placement(): Placement {
    const { servers, files, templates, empty } = this;
    return { servers: [...servers.values()], files: [...files.values()], templates: [...templates], empty };
  }

  file(path: string): void {
    this.add({ path, beside: none, isNamed: true, isRecognized: this.isRecognized(path) });
  }

  folder(written: string, directory: string): void {
    const { searches, optional, confine } = this.options;
    const { candidates, templates } = searches.in(directory);
    const isOptional = optional?.has(directory) === true;
    const confined = confine === undefined ? undefined : realOrSame(resolve(confine));
    const isConfined = confined !== undefined && (isOptional || isWithin(realOrSame(directory), confined));
    const root = isConfined ? confined : undefined;
    const files = withoutLinks(this.withoutGoverned(directory, candidates), root);
    const recognized = new Set(files.filter((path) => looksLikeHttpd(path, confine)));
    const found = this.withoutGoverned(directory, templates).filter((path) => holdsHttpdTemplate(path, confine));
    for (const path of found) this.templates.add(path);
    const named = this.withoutGoverned(directory, this.namedIn(directory));
    const isEmpty = recognized.size === 0 && named.length === 0 && this.governedIn(directory).length === 0;
    if (isEmpty && !isOptional) this.empty.push({ directory, failed: nothingIn(written, found.length) });
    const beside = new Set([...named, ...[...recognized].filter((path) => this.isMain(path))]);
    for (const path of new Set([...named, ...files]))
      this.add({ path, beside, isNamed: false, isRecognized: recognized.has(path) || named.includes(path) });
  }

  private isRecognized(path: string): boolean {
    const { skipUnrecognized, overlay, confine } = this.options;
    if (!skipUnrecognized || overlay?.has(path) || statOf(path) === undefined) return true;
    if (!isTemplateName(basename(path))) return looksLikeHttpd(path, confine);
    if (holdsHttpdTemplate(path, confine)) this.templates.add(path);
    return false;
  }

  private add(file: Omit<PlacedFile, "above">): void {
    const { path, beside, isNamed, isRecognized } = file;
    const map = isRecognized && this.isMain(path) ? this.servers : this.files;
    const known = map.get(path);
    const above = this.finder.above(path);
    map.set(path, {
      path,
      above,
      beside: known && known.beside !== beside ? new Set([...known.beside, ...beside]) : beside,
      isNamed: isNamed || known?.isNamed === true,
      isRecognized: isRecognized || known?.isRecognized === true,
    });
  }

  /** The named main files in a folder, whatever their names: the search does not find them all. */
  private namedIn(directory: string): readonly string[] {
    const folder = realOrSame(directory);
    const paths = [...(this.options.named ?? [])].filter(([real]) => isWithin(real, folder));
    return paths.map(([, path]) => path).filter((path) => statOf(path)?.isFile());
  }

  private isMain(path: string): boolean {
    const { named } = this.options;
    return (named !== undefined && named.size > 0 && named.has(realOrSame(path))) || this.finder.isMain(path);
  }

  private governedIn(directory: string): readonly string[] {
    return (this.options.governed ?? []).filter((each) => each !== directory && isWithin(each, directory));
  }

  private withoutGoverned(directory: string, paths: readonly string[]): readonly string[] {
    const inner = this.governedIn(directory);
    return inner.length === 0 ? paths : paths.filter((path) => !inner.some((each) => isWithin(path, each)));
  }
}

/** A link and its target count once, as the target if that is in the folder. @param root a directory outside of which files do not count */
function withoutLinks(paths: readonly string[], root: string | undefined): readonly string[] {
  const byRealPath = new Map<string, string>();
  for (const path of paths) {
    const real = realPathOf(path);
    if (real === undefined || (root !== undefined && !isWithin(real, root))) continue;
    if (real === path || !byRealPath.has(real)) byRealPath.set(real, path);
  }
  return [...byRealPath.values()];
}

function nothingIn(folder: string, templates: number): string {
  const skipped = templates === 0 ? "" : `, only ${counted(templates, "template")}, which httpd-lint does not read`;
  return `no httpd configuration was found in \`${folder}\`${skipped}`;
}
