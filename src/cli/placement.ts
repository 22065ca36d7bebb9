import { resolve } from "node:path";
import { isWithin, realOrSame } from "../project/file-content.js";
import { MainFileFinder } from "../project/main-file-finder.js";
import { realPathOf, statOf } from "../project/main-files.js";
import { counted } from "../report/painter.js";
import type { FolderSearches } from "./folder-searches.js";
import { holdsHttpdTemplate, looksLikeHttpd } from "./looks-like-httpd.js";

/** Where the paths of the command line belong. */
export interface Placement {
  /** The main files of the servers that are asked for as a whole. */
  readonly servers: readonly PlacedFile[];
  /** The other files that are asked for. */
  readonly files: readonly PlacedFile[];
  /** Templates of configuration that were found, which are not read. */
  readonly templates: readonly string[];
}

/** A file that is asked for, with the main files that may read it. */
export interface PlacedFile {
  readonly path: string;
  /** Those above it, the nearest first. */
  readonly above: readonly string[];
  /** All in the folder that was searched. */
  readonly beside: ReadonlySet<string>;
  /** Whether the user named it, rather than its folder. */
  readonly isNamed: boolean;
}

export interface PlacementOptions {
  readonly searches: FolderSearches;
  /** Main files that the configuration file or a flag names, by real path. */
  readonly named?: ReadonlySet<string> | undefined;
  /** Folders that have a configuration file of their own: files in them are placed by that. */
  readonly governed?: readonly string[] | undefined;
  /** Folders that may have no configuration. */
  readonly optional?: ReadonlySet<string> | undefined;
  /** The directory outside of which nothing is read. */
  readonly confine?: string | undefined;
}

/** Places the paths of the command line: main files by name and content, and for each other file those that may read it. */
export function place(paths: readonly string[], options: PlacementOptions): Placement | { readonly failed: string } {
  const placer = new Placer(options);
  for (const path of paths) {
    // A script's variable without a value: taken as a path it would mean the folder that one is in.
    if (path === "") return { failed: "a path is empty; name a file or a folder" };
    const absolute = resolve(path);
    const failed = statOf(absolute)?.isDirectory() ? placer.folder(path, absolute) : placer.file(absolute);
    if (failed !== undefined) return { failed };
  }
  return placer.placement();
}

class Placer {
  private readonly finder: MainFileFinder;
  private readonly servers = new Map<string, PlacedFile>();
  private readonly files = new Map<string, PlacedFile>();
  private readonly templates = new Set<string>();

  constructor(private readonly options: PlacementOptions) {
    this.finder = new MainFileFinder(options.confine);
  }

  placement(): Placement {
    const { servers, files, templates } = this;
    return { servers: [...servers.values()], files: [...files.values()], templates: [...templates] };
  }

  file(path: string): undefined {
    this.add(path, new Set(), true);
  }

  /** @returns what is wrong */
  folder(written: string, directory: string): string | undefined {
    const { searches, optional, confine } = this.options;
    const { candidates, templates } = searches.in(directory);
    const isOptional = optional?.has(directory) === true;
    const root = isOptional && confine !== undefined ? realOrSame(resolve(confine)) : undefined;
    const files = withoutLinks(this.withoutGoverned(directory, candidates), root).filter((path) =>
      looksLikeHttpd(path, confine),
    );
    const found = this.withoutGoverned(directory, templates).filter((path) => holdsHttpdTemplate(path, confine));
    for (const path of found) this.templates.add(path);
    if (files.length === 0 && !isOptional) return nothingIn(written, found.length);
    const beside = new Set(files.filter((path) => this.isMain(path)));
    for (const path of files) this.add(path, beside, false);
    return undefined;
  }

  private add(path: string, beside: ReadonlySet<string>, isNamed: boolean): void {
    const map = this.isMain(path) ? this.servers : this.files;
    const known = map.get(path);
    const file = { path, above: this.finder.above(path), beside, isNamed };
    map.set(
      path,
      known ? { ...file, beside: new Set([...known.beside, ...beside]), isNamed: isNamed || known.isNamed } : file,
    );
  }

  private isMain(path: string): boolean {
    const { named } = this.options;
    return (named !== undefined && named.size > 0 && named.has(realPathOf(path) ?? path)) || this.finder.isMain(path);
  }

  private withoutGoverned(directory: string, paths: readonly string[]): readonly string[] {
    const inner = (this.options.governed ?? []).filter((each) => each !== directory && isWithin(each, directory));
    return inner.length === 0 ? paths : paths.filter((path) => !inner.some((each) => isWithin(path, each)));
  }
}

/** A link and its target count once. @param root a directory outside of which files do not count */
function withoutLinks(paths: readonly string[], root: string | undefined): readonly string[] {
  const byRealPath = new Map<string, string>();
  for (const path of paths) {
    const real = realPathOf(path);
    if (real === undefined || byRealPath.has(real) || (root !== undefined && !isWithin(real, root))) continue;
    byRealPath.set(real, path);
  }
  return [...byRealPath.values()];
}

function nothingIn(folder: string, templates: number): string {
  const skipped = templates === 0 ? "" : `, only ${counted(templates, "template")}, which httpd-lint does not read`;
  return `no httpd configuration was found in \`${folder}\`${skipped}`;
}
