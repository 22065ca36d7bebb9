import type { LinkFacts } from "../../project/files/file-access.js";
import type { Directive } from "../../project/model/directive.js";
import type { Problem } from "../../project/model/problems.js";
import type { HtaccessFile, Project } from "../../project/model/project.js";
import { DEFAULT_ACCESS_FILE_NAMES } from "../../project/reader/htaccess-discovery.js";
import { Memo } from "../../text/memo.js";
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

/** What the directory walk made of a file name. */
export interface DirectoryWalk {
  readonly layers: readonly ConfigLayer[];
  /** Cut behind the first component that does not exist, or behind the file where path info follows. */
  readonly filename: string;
  readonly kind: FileKind;
  /** A `.htaccess` file that answers 500. */
  readonly refused?: Extract<HtaccessVerdict, { readonly kind: "refused" }> & { readonly file: HtaccessFile };
  /** A name that no file can have: 403. */
  readonly isTooLong?: boolean;
  /** The `.htaccess` files on the way, outermost first. */
  readonly htaccess: readonly FoundHtaccess[];
  /** The number of the message about the link at `filename`, which is not followed. */
  readonly unfollowed?: "AH00032" | "AH00037";
}

/** A `.htaccess` file that the directory walk came by. */
export interface FoundHtaccess {
  readonly file: HtaccessFile;
  readonly verdict: HtaccessVerdict;
  /** How many layers had been laid before it. */
  readonly level: number;
}

/** In bytes, on all the usual file systems. */
const MAX_NAME_LENGTH = 255;

/** A server's own sections ahead of a virtual host's, as all walks have it. */
interface ServerSections {
  readonly indexes: readonly SectionIndex[];
  /** Directory sections by pattern: those with fewer slashes first. */
  readonly patterns: SectionIndex["directoryPatterns"];
  readonly files: readonly FilesSection[];
  /** What `.htaccess` files are called, readable. */
  readonly fileNames: readonly string[];
  /** What is in force for the server itself, for sections to be laid over it. */
  config: PerDirConfig | undefined;
  /** Directories that were walked to, by their paths. */
  readonly reached: Map<string, CachedWalk>;
}

/** A Files section with the test of names that it applies to. */
interface FilesSection {
  readonly layer: ConfigLayer;
  readonly applies: ReturnType<typeof fileTestOf>;
}

/** What a walk came by up to some directory, which hangs on nothing that is not known. */
interface CachedWalk {
  readonly level: number;
  readonly layers: readonly ConfigLayer[];
  readonly htaccess: readonly FoundHtaccess[];
  readonly followsBlindly: boolean;
}

const filesSections: ReadonlySet<string> = new Set(["<files", "<filesmatch"]);

/** More combinations of sections, and more directories than these are not kept. */
const MAX_CONFIGS = 200_000;
const MAX_CACHED_WALKS = 50_000;

/** The Files sections in the Directory sections and `.htaccess` files of a configuration. */
const filesWithin = new Memo(({ sections }: PerDirConfig) =>
  sections.flatMap((layer) => layer.pick(filesSections)).map(filesSectionOf),
);

function filesSectionOf(section: Directive): FilesSection {
  return { layer: layerOfSection(section), applies: fileTestOf(section) };
}

/** The walks of one configuration: which sections apply to a request, and in what order (server/request.c). */
export class DirectoryWalker {
  private readonly sections = new Map<Server, ServerSections>();
  private readonly htaccess = new Map<string, HtaccessFile[]>();
  /** By directories what kept such files there from being read. */
  private readonly unknownDirectories: ReadonlyMap<string, UnknownDirectory>;
  private readonly verdicts = new Map<HtaccessFile, Map<string, HtaccessVerdict>>();
  private readonly configs = { made: 0 };
  private reached = 0;

  constructor(
    private readonly project: Project,
    private readonly files: FileTree,
    /** Why the server refuses `.htaccess` files whatever is allowed. */
    private readonly faultsOf: (file: HtaccessFile) => readonly HtaccessFault[],
  ) {
    for (const file of project.htaccess) {
      const path = withoutSlash(file.directory);
      const there = this.htaccess.get(path);
      if (there) there.push(file);
      else this.htaccess.set(path, [file]);
    }
    this.unknownDirectories = findUnknownDirectories(project.problems);
  }

  /** What is in force for a server itself, for sections to be laid over it. */
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
   * Directory sections and `.htaccess` files, level by level, then Directory sections by pattern.
   *
   * @param filename absolute; with a slash at its end where the URL has one
   * @param before what the walk made of the directory that the server asks itself for a file of, or of the URL that
   * rewriting led here from
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
        // A slash behind a file is path info, too.
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

  /** The file in a directory that a server reads: one by the first name of its AccessFileName that is there. */
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
   * `.htaccess` files are looked for by their names only.
   *
   * @param read the file that is found by its name: only earlier names come before it
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

  /** Keeps what a walk came by, for others to begin there. */
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
   * What was walked to before, where a file or directory that is there lies in the same directory: no section is looked at
   * anew then (`ap_directory_walk`).
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

  /** Whether a link on the way is followed. Where all of the path is there, it may be without a look. */
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

  /** The same for a file of a directory that was walked to before: FollowSymLinks is enough there. */
  private followsSiblingLink(path: string, layers: readonly ConfigLayer[], questions: Oracle): boolean {
    const link = this.files.linkAt?.(path);
    if (link === undefined || mergeOptions(layers).has("followsymlinks")) return true;
    return isLinkFollowed({ path, link, kind: "file" }, layers, questions);
  }

  private verdictOf(file: HtaccessFile, overrides: Overrides): HtaccessVerdict {
    const verdicts = this.verdicts.get(file) ?? new Map<string, HtaccessVerdict>();
    this.verdicts.set(file, verdicts);
    const key = overridesKeyOf(overrides);
    const verdict = verdicts.get(key) ?? checkHtaccess(file, overrides, this.project, this.faultsOf);
    verdicts.set(key, verdict);
    return verdict;
  }

  private kindOf(path: string, mayBeFile: boolean, questions: Oracle): FileKind {
    const kind = this.files.kindOf(path, mayBeFile);
    return kind === "unknown" ? askKind(path, mayBeFile, questions) : kind;
  }

  /** Files sections of the servers and of what the directory walk laid over them. @param config with these alone */
  filesSections(filename: string, config: PerDirConfig, questions: Oracle): ConfigLayer[] {
    const name = filename.slice(filename.lastIndexOf("/") + 1);
    const found: ConfigLayer[] = [];
    for (const { layer, applies } of this.sectionsOf(config.server).files)
      if (applies(name, questions)) found.push(layer);
    for (const { layer, applies } of filesWithin.get(config)) if (applies(name, questions)) found.push(layer);
    return found;
  }

  /** Location sections, in the order of the files. */
  locations(path: string, server: Server, questions: Oracle): ConfigLayer[] {
    const found: ConfigLayer[] = [];
    for (const index of this.sectionsOf(server).indexes)
      for (const { layer } of index.locationsAt(path, questions)) found.push(layer);
    return found;
  }

  /** Proxy sections, which take the place of the directory walk. @param target `proxy:http://backend/path` */
  proxies(target: string, server: Server, questions: Oracle): ConfigLayer[] {
    const backend = target.replace(/^proxy:/, "");
    return this.sectionsOf(server).indexes.flatMap((index) =>
      index.proxies.filter(({ test }) => test(backend, questions)).map(({ layer }) => layer),
    );
  }
}

/** A directory of whose `.htaccess` file nobody knows. */
interface UnknownDirectory {
  readonly why: string;
  /** Where those further in are not known either: which of them were searched; undefined where they are. */
  readonly searched: ReadonlySet<string> | undefined;
}

/** Of several that are told of one directory, one that holds for those further in counts. */
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

/** Whether a directory was searched, or lies on the way to one that was. */
function isSearched(path: string, { searched }: UnknownDirectory): boolean {
  for (const each of searched ?? []) if (`${each}/`.startsWith(`${path}/`)) return true;
  return false;
}

/** A readable path as walks have it. */
function withoutSlash(path: string): string {
  return fromReadable(path).replace(/\/$/, "");
}

function askKind(path: string, mayBeFile: boolean, questions: Oracle): FileKind {
  if (!questions.ask(`whether \`${path}\` exists`)) return "missing";
  return mayBeFile && !questions.ask(`whether \`${path}\` is a directory`) ? "file" : "directory";
}

/** The directory that a walk keeps: one without a slash at its end is that of no other path. */
function walkedDirectory({ filename, kind }: DirectoryWalk): string {
  if (kind !== "directory") return filename.replace(/[^/]*$/, "");
  return filename.endsWith("/") ? `${canonicalizePath(filename)}/` : filename;
}
