import type { HtaccessFile, Project } from "../../config/model/project.js";
import { documentRootOf } from "../../server/mapping/url-mapping.js";
import { canonicalizePath } from "../../server/sections/section-index.js";
import { findFirstSorted, getOrCreate } from "../../text/collections.js";
import type { PartitionExtent, PathSide } from "../model/path-class.js";
import type { FolderPredicates } from "./folder-predicates.js";
import { applyMapping, type MappingTarget, type MappingTargets, type PathMapping } from "./mapping-targets.js";
import type { PathPredicates } from "./path-predicates.js";
import { collectHtaccessPredicates, htaccessFolderOf } from "./section-predicates.js";
import { type ClassifierCache, TextPredicates } from "./text-predicates.js";

/** The predicates of a `.htaccess` file on requests that reach it. */
interface HtaccessFilePredicates {
  readonly folder: string;
  readonly tests: PathPredicates;
}

/** The predicates of a configuration's `.htaccess` files, each read when the analysis of a server reaches it. */
export class HtaccessPredicates {
  /** File numbers by folder. */
  private readonly byFolder = new Map<string, number[]>();
  /** The sorted folders, with trailing slashes: those below a folder are adjacent. */
  private readonly folders: readonly string[];
  private readonly made: (HtaccessFilePredicates | undefined)[] = [];

  constructor(
    private readonly project: Project,
    private readonly readings: ClassifierCache,
    private readonly extent: PartitionExtent,
  ) {
    for (const [number, file] of project.htaccess.entries()) {
      const folder = htaccessFolderOf(file);
      getOrCreate(this.byFolder, folder, () => []).push(number);
    }
    this.folders = [...this.byFolder.keys()].map((folder) => `${folder}/`).sort();
  }

  /** Returns the files with these numbers, in order. */
  of(numbers: ReadonlySet<number>): readonly HtaccessFilePredicates[] {
    return [...numbers].sort((a, b) => a - b).flatMap((number) => this.at(number) ?? []);
  }

  private at(number: number): HtaccessFilePredicates | undefined {
    const file: HtaccessFile | undefined = this.project.htaccess[number];
    if (file === undefined) return undefined;
    const made = this.made[number] ?? {
      folder: htaccessFolderOf(file),
      tests: collectHtaccessPredicates(file, this.project, this.readings, this.extent),
    };
    this.made[number] = made;
    return made;
  }

  get all(): ReadonlySet<number> {
    return new Set(this.project.htaccess.keys());
  }

  /** Returns the numbers of the files in some folders. */
  in(folders: Iterable<string>): readonly number[] {
    return [...folders].flatMap((folder) => this.byFolder.get(folder) ?? []);
  }

  /** Returns the files that a request may reach on the way to a mapping target. */
  on({ kind, target }: MappingTarget): readonly number[] {
    if (kind === "backend") return [];
    const start = target.replace(/\/+$/, "");
    const above: string[] = [];
    for (let end = start.lastIndexOf("/"); end >= 0; end = end === 0 ? -1 : start.lastIndexOf("/", end - 1))
      above.push(start.slice(0, end));
    return this.in([...above, ...this.startingWith(start)]);
  }

  private startingWith(start: string): readonly string[] {
    const found: string[] = [];
    const first = findFirstSorted(this.folders, (folder) => folder >= start);
    for (let at = first; this.folders[at]?.startsWith(start); at++) found.push((this.folders[at] ?? "").slice(0, -1));
    return found;
  }
}

/** The path predicates of one side for a server. */
export interface SidePredicates {
  readonly main: PathPredicates | undefined;
  readonly own: PathPredicates;
  /** The `.htaccess` files that requests to the server may reach. */
  readonly files: readonly HtaccessFilePredicates[];
  /** The targets of additional lookups, so that walks distinguish them. */
  readonly fixed: TextPredicates;
  /** Whether rules redirect to files in other folders by text of the path. */
  readonly redirects: boolean;
}

/** Returns all path tests of a side. */
export function collectPredicates({
  main,
  own,
  files,
}: Pick<SidePredicates, "main" | "own" | "files">): readonly PathPredicates[] {
  return [...(main ? [main] : []), ...files.map(({ tests }) => tests), own];
}

/** The predicates on paths that requests to a pair of servers may depend on. */
export interface PairPredicates {
  /** Of the main servers and the `.htaccess` files. */
  readonly common: readonly PathPredicates[];
  /** Of the virtual hosts themselves. */
  readonly own: readonly PathPredicates[];
  /** On the handlers of files. */
  readonly handlers: readonly FolderPredicates[];
}

/** A server's own predicates, and the known facts about its configuration. */
export interface ServerContext extends Pick<SidePredicates, "main" | "own"> {
  readonly side: PathSide;
  readonly mappingTargets: MappingTargets;
  readonly files: HtaccessPredicates;
}

/**
 * Returns the `.htaccess` files that requests may reach, with their predicates: those on the way to the targets of URL
 * paths, and to the targets of additional lookups.
 *
 * @param mappings all mappings of URL paths by the server
 */
export function findSidePredicates(context: ServerContext, mappings: readonly PathMapping[]): SidePredicates {
  const { main, own } = context;
  const numbers = new Set(filesMappedTo(context, mappings));
  for (;;) {
    const { size } = numbers;
    const files = context.files.of(numbers);
    const all = collectPredicates({ main, own, files });
    const fixed = fixedOf(context, all);
    for (const number of context.files.in(fixed.paths)) numbers.add(number);
    if (numbers.size === size) return { main, own, files, fixed, redirects: all.some(followMapping) };
  }
}

/**
 * Returns all files if the targets of paths cannot be followed. Rules in a file lead to URL paths of the same server.
 */
function filesMappedTo({ main, own, files }: ServerContext, mappings: readonly PathMapping[]): Iterable<number> {
  const mayBeElsewhere = mappings.some(
    ({ mappingTarget, inexact, by }) => mappingTarget === undefined && (inexact || by === undefined),
  );
  if (mayBeElsewhere || (main && followMapping(main)) || followMapping(own)) return files.all;
  return mappings.flatMap(({ mappingTarget }) => (mappingTarget ? files.on(mappingTarget) : []));
}

function followMapping({ inexact }: PathPredicates): boolean {
  return inexact.some(({ redirects }) => redirects);
}

function fixedOf({ side, mappingTargets }: ServerContext, all: readonly PathPredicates[]): TextPredicates {
  const fixed = new TextPredicates();
  const paths = new Set(all.flatMap((each) => [...each.fixedPaths]));
  const files = new Set(all.flatMap((each) => [...each.fixedFiles]));
  if (paths.size + files.size === 0) return fixed;
  const root = documentRootOf(side.server, side.project);
  const found = [...files].map((file) => file.replaceAll("%{DOCUMENT_ROOT}", root));
  for (const path of paths) {
    const { mappingTarget } = mappingTargets.of(path, side.server);
    if (mappingTarget && mappingTarget.kind !== "backend") found.push(applyMapping(mappingTarget, path));
  }
  const indexNames = listIndexNames(all);
  for (const file of found) {
    const plain = canonicalizePath(file) ?? "";
    for (const each of [plain, ...indexNames.map((name) => `${plain}/${name}`)])
      for (let end = each.length; end > 0; end = each.lastIndexOf("/", end - 1)) {
        fixed.paths.add(each.slice(0, end));
        fixed.texts.add(each.slice(0, end));
      }
  }
  return fixed;
}

/** Returns the names of files that may be looked up in a directory. */
export function listIndexNames(all: readonly PathPredicates[]): readonly string[] {
  return [...new Set(["index.html", ...all.flatMap((each) => [...each.indexNames])])];
}
