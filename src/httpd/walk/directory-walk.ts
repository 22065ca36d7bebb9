import type { LinkFacts } from "../../project/files/file-access.js";
import type { Directive } from "../../project/model/directive.js";
import type { Problem } from "../../project/model/problems.js";
import type { HtaccessFile, Project } from "../../project/model/project.js";
import { DEFAULT_ACCESS_FILE_NAMES } from "../../project/reader/htaccess-discovery.js";
import { getOrCreate } from "../../text/get-or-create.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { argumentValuesOf, type ConfigLayer, findSetting, layerOf, layerOfSection } from "../model/config-layer.js";
import type { FileKind, FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import type { Server } from "../model/server.js";
import { followsLinksUnchecked, isLinkFollowed, mergeOptions } from "../sections/options.js";
import { PerDirConfig } from "../sections/per-dir-config.js";
import { canonicalizePath, fileTestOf, SectionIndex } from "../sections/section-index.js";
import {
  checkHtaccess,
  type HtaccessFault,
  type HtaccessVerdict,
  ignoresHtaccess,
  mergeOverrides,
  type Overrides,
  overridesKeyOf,
} from "./overrides.js";

/** The result of the directory walk for a file name. */
export interface DirectoryWalk {
  readonly layers: readonly ConfigLayer[];
  /** Cut after the first component that does not exist, or after the file that path info follows. */
  readonly filename: string;
  readonly kind: FileKind;
  /** A `.htaccess` file that makes the request return 500. */
  readonly refused?: Extract<HtaccessVerdict, { readonly kind: "refused" }> & { readonly file: HtaccessFile };
  /** Whether the name is too long for any file: 403. */
  readonly isTooLong?: boolean;
  /** The `.htaccess` files on the way, outermost first. */
  readonly htaccess: readonly FoundHtaccess[];
  /** The message number for the link at `filename`, which is not followed. */
  readonly unfollowed?: "AH00032" | "AH00037";
}

/** A `.htaccess` file that the directory walk reached. */
export interface FoundHtaccess {
  readonly file: HtaccessFile;
  readonly verdict: HtaccessVerdict;
  /** Number of configurations merged before it. */
  readonly level: number;
}

/** In bytes, on all common file systems. */
const MAX_NAME_LENGTH = 255;

/** A server's own sections before a virtual host's, as in all walks. */
interface ServerSections {
  readonly indexes: readonly SectionIndex[];
  /** Directory sections by pattern: those with fewer slashes first. */
  readonly patterns: SectionIndex["directoryPatterns"];
  readonly files: readonly FilesSection[];
  /** The names of `.htaccess` files, readable. */
  readonly fileNames: readonly string[];
  /** The configuration of the server itself, over which sections are merged. */
  config: PerDirConfig | undefined;
  /** Directories that walks have reached, by path. */
  readonly reached: Map<string, CachedWalk>;
}

/** A Files section with its test for names. */
interface FilesSection {
  readonly layer: ConfigLayer;
  readonly applies: ReturnType<typeof fileTestOf>;
}

/** The state of a walk at a directory, if it does not depend on unknown facts. */
interface CachedWalk {
  readonly level: number;
  readonly layers: readonly ConfigLayer[];
  readonly htaccess: readonly FoundHtaccess[];
  readonly followsBlindly: boolean;
}

const filesSections: ReadonlySet<string> = new Set(["<files", "<filesmatch"]);

/** Limits of the cached combinations of sections, and of the cached directories. */
const MAX_CONFIGS = 200_000;
const MAX_CACHED_WALKS = 50_000;

/** Returns the Files sections in the Directory sections and `.htaccess` files of a configuration. */
const filesSectionsIn = memoize(({ sections }: PerDirConfig) =>
  sections.flatMap((layer) => layer.pick(filesSections)).map(filesSectionOf),
);

function filesSectionOf(section: Directive): FilesSection {
  return { layer: layerOfSection(section), applies: fileTestOf(section) };
}

/**
 * The walks of one configuration: they determine the sections that apply to a request, and their order
 * (server/request.c).
 */
export class DirectoryWalker {
  private readonly sections = new Map<Server, ServerSections>();
  private readonly htaccess = new Map<string, HtaccessFile[]>();
  /** The reasons why such files could not be read, by directory. */
  private readonly unknownDirectories: ReadonlyMap<string, UnknownDirectory>;
  private readonly verdicts = new Map<HtaccessFile, Map<string, HtaccessVerdict>>();
  private readonly configs = { made: 0 };
  private reached = 0;

  constructor(
    private readonly project: Project,
    private readonly files: FileTree,
    /** Returns the errors of `.htaccess` files that do not depend on the overrides. */
    private readonly faultsOf: (file: HtaccessFile) => readonly HtaccessFault[],
  ) {
    for (const file of project.htaccess) {
      const path = withoutSlash(file.directory);
      getOrCreate(this.htaccess, path, () => []).push(file);
    }
    this.unknownDirectories = findUnknownDirectories(project.problems);
  }

  /** Returns the configuration of a server itself, over which sections are merged. */
  configOf(server: Server): PerDirConfig {
    if (this.configs.made > MAX_CONFIGS) {
      for (const each of this.sections.values()) each.config = undefined;
      this.configs.made = 0;
    }
    const sections = this.sectionsOf(server);
    sections.config ??= PerDirConfig.ofServer(server, this.configs);
    return sections.config;
  }

  private sectionsOf(server: Server): ServerSections {
    const known = this.sections.get(server);
    if (known) return known;
    const own = new SectionIndex(server.layer.content, this.project.release);
    const indexes = server.main ? [...this.sectionsOf(server.main).indexes, own] : [own];
    const patterns = indexes.flatMap((index) => index.directoryPatterns).sort((a, b) => a.slashes - b.slashes);
    const files = indexes.flatMap((index) => index.files).map(filesSectionOf);
    const named = findSetting(server.layers, "accessfilename");
    const fileNames = (named ? argumentValuesOf(named) : DEFAULT_ACCESS_FILE_NAMES).map(toReadable);
    const made = { indexes, patterns, files, fileNames, config: undefined, reached: new Map<string, CachedWalk>() };
    this.sections.set(server, made);
    return made;
  }

  /**
   * Walks Directory sections and `.htaccess` files, level by level, followed by Directory sections by pattern.
   *
   * @param filename absolute; with a trailing slash if the URL has one
   * @param before the walk for the directory of a subrequest, or for the URL before rewriting
   */
  walkDirectories(filename: string, server: Server, questions: Oracle, before?: DirectoryWalk): DirectoryWalk {
    const again = before && this.reuseWalk(filename, before, [...server.layers, ...before.layers], questions);
    if (again) return again;
    const { indexes, patterns, reached } = this.sectionsOf(server);
    const whole = canonicalizePath(filename) ?? "";
    const endsInSlash = filename.endsWith("/");
    const parent = whole.slice(0, Math.max(whole.lastIndexOf("/"), 0));
    const known = whole === "" ? undefined : reached.get(parent);
    const layers: ConfigLayer[] = known ? [...known.layers] : [];
    const htaccess: FoundHtaccess[] = known ? [...known.htaccess] : [];
    let path = known ? parent : "";
    let kind: FileKind = "directory";
    let end = filename;
    let isSure = this.files.mayChange !== true;
    let around: UnknownDirectory | undefined;
    for (let level = known ? known.level + 1 : 0; level === 0 || path.length < whole.length; level++) {
      if (level > 0) {
        const above = path.length;
        const slash = whole.indexOf("/", above + 1);
        const isLast = slash < 0;
        path = isLast ? whole : whole.slice(0, slash);
        if (path.length - above - 1 > MAX_NAME_LENGTH)
          return { layers, filename: path, kind: "missing", isTooLong: true, htaccess };
        const mayBeFile = isLast && !endsInSlash;
        const found = this.files.kindOf(path, mayBeFile);
        kind = found === "unknown" ? askKind(path, mayBeFile, questions) : found;
        const link = this.files.linkAt?.(path);
        if (
          link &&
          !this.followsLink({ path, link, kind }, whole, endsInSlash, [...server.layers, ...layers], questions)
        )
          return { layers, filename: path, kind, htaccess, unfollowed: "AH00037" };
        isSure &&= found !== "unknown" && link === undefined;
        // A slash after a file is also path info.
        if (kind === "missing" || (kind === "file" && !mayBeFile)) {
          end = path;
          break;
        }
        if (kind === "file" && !(known?.followsBlindly ?? followsLinksUnchecked([...server.layers, ...layers]))) break;
      }
      for (const index of indexes)
        for (const { layer } of index.directoriesAt(path, level, questions)) layers.push(layer);
      const own = this.unknownDirectories.get(path);
      if (own?.searched) around = own;
      else if (around?.searched?.has(path)) around = undefined;
      const closed = [own, around].find((each) => each && !isSearched(path, each));
      isSure &&= closed === undefined && around === undefined;
      if (closed && kind === "directory" && !ignoresHtaccess(mergeOverrides(layers, this.project)))
        questions.markUndecidable(`what \`.htaccess\` files say, since ${closed.why}`);
      const file = kind === "directory" ? this.fileIn(path, server) : undefined;
      const inner = kind === "directory" ? this.innerFileIn(path, server, file) : undefined;
      isSure &&= inner === undefined;
      if (inner !== undefined && !ignoresHtaccess(mergeOverrides(layers, this.project)))
        questions.markUndecidable(`what \`${inner}\` sets, since AccessFileName names it by a path`);
      if (file === undefined) this.project.view?.onVisit(path);
      else {
        const verdict = this.verdictOf(file, mergeOverrides(layers, this.project));
        htaccess.push({ file, verdict, level: layers.length });
        if (verdict.kind === "refused")
          return { layers, filename: path, kind, refused: { file, ...verdict }, htaccess };
        if (verdict.kind === "taken") layers.push(layerOf(verdict.content, undefined));
      }
      if (isSure && path.length === parent.length && path !== whole)
        this.cacheWalk(path, { level, layers, htaccess }, server);
    }
    for (const { layer, test } of patterns) if (test(end, questions)) layers.push(layer);
    return { layers, filename: end, kind, htaccess };
  }

  /** Returns the file in a directory that a server reads: the first existing name of its AccessFileName. */
  private fileIn(path: string, server: Server): HtaccessFile | undefined {
    const files = this.htaccess.get(path);
    if (files === undefined) return undefined;
    const names = this.sectionsOf(server).fileNames;
    for (const name of names) {
      const found = files.find(({ tree }) => tree.source.path.endsWith(`/${name}`));
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Returns the file of a directory that AccessFileName names by a path such as `conf/access`. The server reads it, but
   * `.htaccess` files are searched by their names only.
   *
   * @param read the file found by its name: only earlier names come before it
   */
  private innerFileIn(path: string, server: Server, read: HtaccessFile | undefined): string | undefined {
    for (const name of this.sectionsOf(server).fileNames) {
      if (read?.tree.source.path.endsWith(`/${name}`)) return undefined;
      if (!name.includes("/")) continue;
      const inner = canonicalizePath(`${path}/${name}`);
      if (inner !== undefined && this.files.kindOf(inner, true) !== "missing") return inner;
    }
    return undefined;
  }

  /** Caches the state of a walk, as a start for others. */
  private cacheWalk(
    path: string,
    { level, layers, htaccess }: Omit<CachedWalk, "followsBlindly">,
    server: Server,
  ): void {
    if (this.reached >= MAX_CACHED_WALKS) {
      for (const each of this.sections.values()) each.reached.clear();
      this.reached = 0;
    }
    this.reached++;
    this.sectionsOf(server).reached.set(path, {
      ...{ level, layers: [...layers], htaccess: [...htaccess] },
      followsBlindly: followsLinksUnchecked([...server.layers, ...layers]),
    });
  }

  /**
   * Reuses an earlier walk for an existing file or directory in the same directory: no section is checked again then
   * (`ap_directory_walk`).
   */
  private reuseWalk(
    filename: string,
    before: DirectoryWalk,
    layers: readonly ConfigLayer[],
    questions: Oracle,
  ): DirectoryWalk | undefined {
    const path = canonicalizePath(filename) ?? filename;
    const folder = `${path}/`;
    const parent = path.replace(/[^/]*$/, "");
    const cached = walkedDirectory(before);
    if (cached !== folder && cached !== parent) return undefined;
    const kind = this.kindOf(path, !filename.endsWith("/"), questions);
    if (kind === "file" ? cached !== parent || filename.endsWith("/") : kind !== "directory" || cached !== folder)
      return undefined;
    const isFollowed = this.followsSiblingLink(path, layers, questions);
    return { ...before, filename, kind, ...(isFollowed ? {} : { unfollowed: "AH00032" as const }) };
  }

  /** Reports whether a link on the way is followed. If the whole path exists, that may need no check. */
  private followsLink(
    { path, link, kind }: { readonly path: string; readonly link: LinkFacts; readonly kind: FileKind },
    whole: string,
    endsInSlash: boolean,
    layers: readonly ConfigLayer[],
    questions: Oracle,
  ): boolean {
    const found = this.kindOf(whole, !endsInSlash, questions);
    const isThere = found === "directory" || (found === "file" && !endsInSlash);
    return (isThere && followsLinksUnchecked(layers)) || isLinkFollowed({ path, link, kind }, layers, questions);
  }

  /**
   * Reports whether a link is followed for a file in a directory of an earlier walk: FollowSymLinks is sufficient
   * there.
   */
  private followsSiblingLink(path: string, layers: readonly ConfigLayer[], questions: Oracle): boolean {
    const link = this.files.linkAt?.(path);
    if (link === undefined || mergeOptions(layers).has("followsymlinks")) return true;
    return isLinkFollowed({ path, link, kind: "file" }, layers, questions);
  }

  private verdictOf(file: HtaccessFile, overrides: Overrides): HtaccessVerdict {
    const verdicts = getOrCreate(this.verdicts, file, () => new Map());
    const key = overridesKeyOf(overrides);
    return getOrCreate(verdicts, key, () => checkHtaccess(file, overrides, this.project, this.faultsOf));
  }

  private kindOf(path: string, mayBeFile: boolean, questions: Oracle): FileKind {
    const kind = this.files.kindOf(path, mayBeFile);
    return kind === "unknown" ? askKind(path, mayBeFile, questions) : kind;
  }

  /** Returns the Files sections of the servers and of the directory walk. @param config with only these */
  filesSections(filename: string, config: PerDirConfig, questions: Oracle): ConfigLayer[] {
    const name = filename.slice(filename.lastIndexOf("/") + 1);
    const found: ConfigLayer[] = [];
    for (const { layer, applies } of this.sectionsOf(config.server).files)
      if (applies(name, questions)) found.push(layer);
    for (const { layer, applies } of filesSectionsIn(config)) if (applies(name, questions)) found.push(layer);
    return found;
  }

  /** Returns the Location sections, in file order. */
  locations(path: string, server: Server, questions: Oracle): ConfigLayer[] {
    const found: ConfigLayer[] = [];
    for (const index of this.sectionsOf(server).indexes)
      for (const { layer } of index.locationsAt(path, questions)) found.push(layer);
    return found;
  }

  /** Returns the Proxy sections, which replace the directory walk. @param target `proxy:http://backend/path` */
  proxies(target: string, server: Server, questions: Oracle): ConfigLayer[] {
    const backend = target.replace(/^proxy:/, "");
    return this.sectionsOf(server).indexes.flatMap((index) =>
      index.proxies.filter(({ test }) => test(backend, questions)).map(({ layer }) => layer),
    );
  }
}

/** A directory whose `.htaccess` file is unknown. */
interface UnknownDirectory {
  readonly why: string;
  /** If those further in are unknown as well, the directories that were searched; undefined if they are known. */
  readonly searched: ReadonlySet<string> | undefined;
}

/** Returns the unknown directories; of several problems of one directory, one that includes those further in counts. */
function findUnknownDirectories(problems: readonly Problem[]): ReadonlyMap<string, UnknownDirectory> {
  const found = new Map<string, UnknownDirectory>();
  for (const { directory, andBelow, problem } of problems) {
    if (directory === undefined) continue;
    const path = withoutSlash(directory);
    const searched = andBelow && new Set(andBelow.map(withoutSlash));
    if (!found.get(path)?.searched) found.set(path, { why: problem, searched });
  }
  return found;
}

/** Reports whether a directory was searched, or is on the way to one that was. */
function isSearched(path: string, { searched }: UnknownDirectory): boolean {
  for (const each of searched ?? []) if (`${each}/`.startsWith(`${path}/`)) return true;
  return false;
}

/** Converts a readable path to the form that walks use. */
function withoutSlash(path: string): string {
  return fromReadable(path).replace(/\/$/, "");
}

function askKind(path: string, mayBeFile: boolean, questions: Oracle): FileKind {
  if (!questions.ask(`whether \`${path}\` exists`)) return "missing";
  return mayBeFile && !questions.ask(`whether \`${path}\` is a directory`) ? "file" : "directory";
}

/** Returns the directory that a walk caches; one without a trailing slash is not the directory of any other path. */
function walkedDirectory({ filename, kind }: DirectoryWalk): string {
  if (kind !== "directory") return filename.replace(/[^/]*$/, "");
  return filename.endsWith("/") ? `${canonicalizePath(filename)}/` : filename;
}
