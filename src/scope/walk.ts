import type { Directive } from "../project/directive.js";
import type { LinkFacts } from "../project/files.js";
import { DEFAULT_ACCESS_FILES } from "../project/htaccess.js";
import type { Problem } from "../project/problems.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { fromReadable, toReadable } from "../text/source.js";
import type { FileKind, FileTree } from "./files.js";
import { type Layer, layerOf, layerOfSection, settingIn } from "./layer.js";
import { followsBlindly, isFollowed } from "./links.js";
import { Once } from "./once.js";
import { optionsIn } from "./options.js";
import {
  type FileFault,
  type FileVerdict,
  ignoresFiles,
  judgeFile,
  keyOf,
  type Overrides,
  overridesIn,
} from "./overrides.js";
import { PerDirConfig } from "./per-dir-config.js";
import type { Questions } from "./questions.js";
import { canonicalPath, fileTestOf, SectionIndex } from "./section-index.js";
import type { Server } from "./server.js";
import { wordsOf } from "./words.js";

/** What the directory walk made of a file name. */
export interface DirectoryWalk {
  readonly layers: readonly Layer[];
  /** Cut behind the first component that does not exist, or behind the file where path info follows. */
  readonly filename: string;
  readonly kind: FileKind;
  /** A `.htaccess` file that answers 500. */
  readonly refused?: Extract<FileVerdict, { readonly kind: "refused" }> & { readonly file: HtaccessFile };
  /** A name that no file can have: 403. */
  readonly isTooLong?: boolean;
  /** The `.htaccess` files on the way, outermost first. */
  readonly htaccess: readonly FoundFile[];
  /** The number of the message about the link at `filename`, which is not followed. */
  readonly unfollowed?: "AH00032" | "AH00037";
}

/** A `.htaccess` file that the directory walk came by. */
export interface FoundFile {
  readonly file: HtaccessFile;
  readonly verdict: FileVerdict;
  /** How many layers had been laid before it. */
  readonly level: number;
}

/** In bytes, on all the usual file systems. */
const LONGEST_NAME = 255;

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
  readonly reached: Map<string, Reached>;
}

/** A Files section with the test of names that it applies to. */
interface FilesSection {
  readonly layer: Layer;
  readonly applies: ReturnType<typeof fileTestOf>;
}

/** What a walk came by up to some directory, which hangs on nothing that is not known. */
interface Reached {
  readonly level: number;
  readonly layers: readonly Layer[];
  readonly htaccess: readonly FoundFile[];
  readonly followsBlindly: boolean;
}

const filesSections: ReadonlySet<string> = new Set(["<files", "<filesmatch"]);

/** More combinations of sections, and more directories than these are not kept. */
const MOST_CONFIGS = 200_000;
const MOST_REACHED = 50_000;

/** The Files sections in the Directory sections and `.htaccess` files of a configuration. */
const filesWithin = new Once(({ sections }: PerDirConfig) =>
  sections.flatMap((layer) => layer.only(filesSections)).map(filesSectionOf),
);

function filesSectionOf(section: Directive): FilesSection {
  return { layer: layerOfSection(section), applies: fileTestOf(section) };
}

/** The walks of one configuration: which sections apply to a request, and in what order (server/request.c). */
export class Walks {
  private readonly sections = new Map<Server, ServerSections>();
  private readonly htaccess = new Map<string, HtaccessFile[]>();
  /** By directories what kept such files there from being read. */
  private readonly closed: ReadonlyMap<string, ClosedDirectory>;
  private readonly verdicts = new Map<HtaccessFile, Map<string, FileVerdict>>();
  private readonly configs = { made: 0 };
  private reached = 0;

  constructor(
    private readonly project: Project,
    private readonly files: FileTree,
    /** Why the server refuses `.htaccess` files whatever is allowed. */
    private readonly faultsOf: (file: HtaccessFile) => readonly FileFault[],
  ) {
    for (const file of project.htaccess) {
      const path = withoutSlash(file.directory);
      const there = this.htaccess.get(path);
      if (there) there.push(file);
      else this.htaccess.set(path, [file]);
    }
    this.closed = closedIn(project.problems);
  }

  /** What is in force for a server itself, for sections to be laid over it. */
  configOf(server: Server): PerDirConfig {
    if (this.configs.made > MOST_CONFIGS) {
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
    const named = settingIn(server.layers, "accessfilename");
    const fileNames = (named ? wordsOf(named) : DEFAULT_ACCESS_FILES).map(toReadable);
    const made = { indexes, patterns, files, fileNames, config: undefined, reached: new Map<string, Reached>() };
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
  directories(filename: string, server: Server, questions: Questions, before?: DirectoryWalk): DirectoryWalk {
    const again = before && this.again(filename, before, [...server.layers, ...before.layers], questions);
    if (again) return again;
    const { indexes, patterns, reached } = this.sectionsOf(server);
    const whole = canonicalPath(filename) ?? "";
    const endsInSlash = filename.endsWith("/");
    const parent = whole.slice(0, Math.max(whole.lastIndexOf("/"), 0));
    const known = whole === "" ? undefined : reached.get(parent);
    const layers: Layer[] = known ? [...known.layers] : [];
    const htaccess: FoundFile[] = known ? [...known.htaccess] : [];
    let path = known ? parent : "";
    let kind: FileKind = "directory";
    let end = filename;
    let isSure = this.files.mayChange !== true;
    let around: ClosedDirectory | undefined;
    for (let level = known ? known.level + 1 : 0; level === 0 || path.length < whole.length; level++) {
      if (level > 0) {
        const above = path.length;
        const slash = whole.indexOf("/", above + 1);
        const isLast = slash < 0;
        path = isLast ? whole : whole.slice(0, slash);
        if (path.length - above - 1 > LONGEST_NAME)
          return { layers, filename: path, kind: "missing", isTooLong: true, htaccess };
        const mayBeFile = isLast && !endsInSlash;
        const found = this.files.kindOf(path, mayBeFile);
        kind = found === "unknown" ? asked(path, mayBeFile, questions) : found;
        const link = this.files.linkAt?.(path);
        if (link && !this.follows({ path, link, kind }, whole, endsInSlash, [...server.layers, ...layers], questions))
          return { layers, filename: path, kind, htaccess, unfollowed: "AH00037" };
        isSure &&= found !== "unknown" && link === undefined;
        // A slash behind a file is path info, too.
        if (kind === "missing" || (kind === "file" && !mayBeFile)) {
          end = path;
          break;
        }
        if (kind === "file" && !(known?.followsBlindly ?? followsBlindly([...server.layers, ...layers]))) break;
      }
      for (const index of indexes)
        for (const { layer } of index.directoriesAt(path, level, questions)) layers.push(layer);
      const own = this.closed.get(path);
      if (own?.searched) around = own;
      else if (around?.searched?.has(path)) around = undefined;
      const closed = [own, around].find((each) => each && !isLookedIn(path, each));
      isSure &&= closed === undefined && around === undefined;
      if (closed && kind === "directory" && !ignoresFiles(overridesIn(layers, this.project)))
        questions.leaveOpen(`what \`.htaccess\` files say, since ${closed.why}`);
      const file = kind === "directory" ? this.fileIn(path, server) : undefined;
      const inner = kind === "directory" ? this.innerFileIn(path, server, file) : undefined;
      isSure &&= inner === undefined;
      if (inner !== undefined && !ignoresFiles(overridesIn(layers, this.project)))
        questions.leaveOpen(`what \`${inner}\` sets, since AccessFileName names it by a path`);
      if (file === undefined) this.project.view?.comesBy(path);
      else {
        const verdict = this.verdictOf(file, overridesIn(layers, this.project));
        htaccess.push({ file, verdict, level: layers.length });
        if (verdict.kind === "refused")
          return { layers, filename: path, kind, refused: { file, ...verdict }, htaccess };
        if (verdict.kind === "taken") layers.push(layerOf(verdict.content, undefined));
      }
      if (isSure && path.length === parent.length && path !== whole)
        this.keep(path, { level, layers, htaccess }, server);
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
      const inner = canonicalPath(`${path}/${name}`);
      if (inner !== undefined && this.files.kindOf(inner, true) !== "missing") return inner;
    }
    return undefined;
  }

  /** Keeps what a walk came by, for others to begin there. */
  private keep(path: string, { level, layers, htaccess }: Omit<Reached, "followsBlindly">, server: Server): void {
    if (this.reached >= MOST_REACHED) {
      for (const each of this.sections.values()) each.reached.clear();
      this.reached = 0;
    }
    this.reached++;
    this.sectionsOf(server).reached.set(path, {
      ...{ level, layers: [...layers], htaccess: [...htaccess] },
      followsBlindly: followsBlindly([...server.layers, ...layers]),
    });
  }

  /**
   * What was walked to before, where a file or directory that is there lies in the same directory: no section is looked at
   * anew then (`ap_directory_walk`).
   */
  private again(
    filename: string,
    before: DirectoryWalk,
    layers: readonly Layer[],
    questions: Questions,
  ): DirectoryWalk | undefined {
    const path = canonicalPath(filename) ?? filename;
    const folder = `${path}/`;
    const parent = path.replace(/[^/]*$/, "");
    const cached = walkedTo(before);
    if (cached !== folder && cached !== parent) return undefined;
    const kind = this.kindOf(path, !filename.endsWith("/"), questions);
    if (kind === "file" ? cached !== parent || filename.endsWith("/") : kind !== "directory" || cached !== folder)
      return undefined;
    const isFollowed = this.followsBeside(path, layers, questions);
    return { ...before, filename, kind, ...(isFollowed ? {} : { unfollowed: "AH00032" as const }) };
  }

  /** Whether a link on the way is followed. Where all of the path is there, it may be without a look. */
  private follows(
    { path, link, kind }: { readonly path: string; readonly link: LinkFacts; readonly kind: FileKind },
    whole: string,
    endsInSlash: boolean,
    layers: readonly Layer[],
    questions: Questions,
  ): boolean {
    const found = this.kindOf(whole, !endsInSlash, questions);
    const isThere = found === "directory" || (found === "file" && !endsInSlash);
    return (isThere && followsBlindly(layers)) || isFollowed({ path, link, kind }, layers, questions);
  }

  /** The same for a file of a directory that was walked to before: FollowSymLinks is enough there. */
  private followsBeside(path: string, layers: readonly Layer[], questions: Questions): boolean {
    const link = this.files.linkAt?.(path);
    if (link === undefined || optionsIn(layers).has("followsymlinks")) return true;
    return isFollowed({ path, link, kind: "file" }, layers, questions);
  }

  private verdictOf(file: HtaccessFile, overrides: Overrides): FileVerdict {
    const verdicts = this.verdicts.get(file) ?? new Map<string, FileVerdict>();
    this.verdicts.set(file, verdicts);
    const key = keyOf(overrides);
    const verdict = verdicts.get(key) ?? judgeFile(file, overrides, this.project, this.faultsOf);
    verdicts.set(key, verdict);
    return verdict;
  }

  private kindOf(path: string, mayBeFile: boolean, questions: Questions): FileKind {
    const kind = this.files.kindOf(path, mayBeFile);
    return kind === "unknown" ? asked(path, mayBeFile, questions) : kind;
  }

  /** Files sections of the servers and of what the directory walk laid over them. @param config with these alone */
  filesSections(filename: string, config: PerDirConfig, questions: Questions): Layer[] {
    const name = filename.slice(filename.lastIndexOf("/") + 1);
    const found: Layer[] = [];
    for (const { layer, applies } of this.sectionsOf(config.server).files)
      if (applies(name, questions)) found.push(layer);
    for (const { layer, applies } of filesWithin.of(config)) if (applies(name, questions)) found.push(layer);
    return found;
  }

  /** Location sections, in the order of the files. */
  locations(path: string, server: Server, questions: Questions): Layer[] {
    const found: Layer[] = [];
    for (const index of this.sectionsOf(server).indexes)
      for (const { layer } of index.locationsAt(path, questions)) found.push(layer);
    return found;
  }

  /** Proxy sections, which take the place of the directory walk. @param target `proxy:http://backend/path` */
  proxies(target: string, server: Server, questions: Questions): Layer[] {
    const backend = target.replace(/^proxy:/, "");
    return this.sectionsOf(server).indexes.flatMap((index) =>
      index.proxies.filter(({ test }) => test(backend, questions)).map(({ layer }) => layer),
    );
  }
}

/** A directory of whose `.htaccess` file nobody knows. */
interface ClosedDirectory {
  readonly why: string;
  /** Where those further in are not known either: which of them were searched; undefined where they are. */
  readonly searched: ReadonlySet<string> | undefined;
}

/** Of several that are told of one directory, one that holds for those further in counts. */
function closedIn(problems: readonly Problem[]): ReadonlyMap<string, ClosedDirectory> {
  const found = new Map<string, ClosedDirectory>();
  for (const { directory, andBelow, wrong } of problems) {
    if (directory === undefined) continue;
    const path = withoutSlash(directory);
    const searched = andBelow && new Set(andBelow.map(withoutSlash));
    if (!found.get(path)?.searched) found.set(path, { why: wrong, searched });
  }
  return found;
}

/** Whether a directory was searched, or lies on the way to one that was. */
function isLookedIn(path: string, { searched }: ClosedDirectory): boolean {
  for (const each of searched ?? []) if (`${each}/`.startsWith(`${path}/`)) return true;
  return false;
}

/** A readable path as walks have it. */
function withoutSlash(path: string): string {
  return fromReadable(path).replace(/\/$/, "");
}

function asked(path: string, mayBeFile: boolean, questions: Questions): FileKind {
  if (!questions.ask(`whether \`${path}\` exists`)) return "missing";
  return mayBeFile && !questions.ask(`whether \`${path}\` is a directory`) ? "file" : "directory";
}

/** The directory that a walk keeps: one without a slash at its end is that of no other path. */
function walkedTo({ filename, kind }: DirectoryWalk): string {
  if (kind !== "directory") return filename.replace(/[^/]*$/, "");
  return filename.endsWith("/") ? `${canonicalPath(filename)}/` : filename;
}
