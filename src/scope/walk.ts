import type { Directive } from "../project/directive.js";
import type { LinkFacts } from "../project/files.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { fromReadable } from "../text/source.js";
import type { FileKind, FileTree } from "./files.js";
import { type Layer, layerOf, layerOfSection } from "./layer.js";
import { followsBlindly, isFollowed } from "./links.js";
import { optionsIn } from "./options.js";
import { type FileFault, type FileVerdict, judgeFile, keyOf, type Overrides, overridesIn } from "./overrides.js";
import type { Questions } from "./questions.js";
import { canonicalPath, fileTestOf, SectionIndex } from "./section-index.js";
import type { Server } from "./servers.js";

/** Layers that the server merges among themselves before it lays the result over the earlier groups. */
export interface Group {
  readonly kind: "server" | "directory" | "proxy" | "files" | "location" | "if";
  readonly layers: readonly Layer[];
}

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
  readonly files: readonly Directive[];
}

const filesSections: ReadonlySet<string> = new Set(["<files", "<filesmatch"]);

/** The walks of one configuration: which sections apply to a request, and in what order (server/request.c). */
export class Walks {
  private readonly sections = new Map<Server, ServerSections>();
  private readonly htaccess: ReadonlyMap<string, HtaccessFile>;
  private readonly verdicts = new Map<HtaccessFile, Map<string, FileVerdict>>();

  constructor(
    private readonly project: Project,
    private readonly files: FileTree,
    /** Why the server refuses `.htaccess` files whatever is allowed. */
    private readonly faultsOf: (file: HtaccessFile) => readonly FileFault[],
  ) {
    this.htaccess = new Map(
      project.htaccess.map((file) => [fromReadable(file.directory).replace(/\/$/, ""), file] as const),
    );
  }

  private sectionsOf(server: Server): ServerSections {
    const known = this.sections.get(server);
    if (known) return known;
    const own = new SectionIndex(server.layer.content, this.project.release);
    const indexes = server.main ? [...this.sectionsOf(server.main).indexes, own] : [own];
    const patterns = indexes.flatMap((index) => index.directoryPatterns).sort((a, b) => a.slashes - b.slashes);
    const made = { indexes, patterns, files: indexes.flatMap((index) => index.files) };
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
    const { indexes, patterns } = this.sectionsOf(server);
    const layers: Layer[] = [];
    const htaccess: FoundFile[] = [];
    const whole = canonicalPath(filename) ?? "";
    const names = whole.split("/").slice(1);
    let path = "";
    let kind: FileKind = "directory";
    let end = filename;
    for (let level = 0; level <= names.length; level++) {
      if (level > 0) {
        const name = names[level - 1] ?? "";
        path = `${path}/${name}`;
        if (name.length > LONGEST_NAME) return { layers, filename: path, kind: "missing", isTooLong: true, htaccess };
        kind = this.kindOf(path, level === names.length && !filename.endsWith("/"), questions);
        const link = this.files.linkAt?.(path);
        if (
          link &&
          !this.follows({ path, link, kind }, whole, filename.endsWith("/"), [...server.layers, ...layers], questions)
        )
          return { layers, filename: path, kind, htaccess, unfollowed: "AH00037" };
        // A slash behind a file is path info, too.
        if (kind === "missing" || (kind === "file" && (level < names.length || filename.endsWith("/")))) {
          end = path;
          break;
        }
        if (kind === "file" && !followsBlindly([...server.layers, ...layers])) break;
      }
      for (const index of indexes)
        for (const { layer } of index.directoriesAt(path, level, questions)) layers.push(layer);
      const file = kind === "directory" ? this.htaccess.get(path) : undefined;
      if (file === undefined) continue;
      const verdict = this.verdictOf(file, overridesIn(layers, this.project));
      htaccess.push({ file, verdict, level: layers.length });
      if (verdict.kind === "refused") return { layers, filename: path, kind, refused: { file, ...verdict }, htaccess };
      if (verdict.kind === "taken") layers.push(layerOf(verdict.content, undefined));
    }
    for (const { layer, test } of patterns) if (test(end, questions)) layers.push(layer);
    return { layers, filename: end, kind, htaccess };
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
    if (kind !== "unknown") return kind;
    if (!questions.ask(`whether \`${path}\` exists`)) return "missing";
    return mayBeFile && !questions.ask(`whether \`${path}\` is a directory`) ? "file" : "directory";
  }

  /** Files sections of the servers and of what the directory walk laid over them. */
  filesSections(filename: string, server: Server, directories: readonly Layer[], questions: Questions): Layer[] {
    const name = filename.slice(filename.lastIndexOf("/") + 1);
    const found: Layer[] = [];
    const look = (section: Directive) => {
      if (fileTestOf(section)(name, questions)) found.push(layerOfSection(section));
    };
    this.sectionsOf(server).files.forEach(look);
    for (const layer of directories) layer.only(filesSections).forEach(look);
    return found;
  }

  /** Location sections, in the order of the files. */
  locations(path: string, server: Server, questions: Questions): Layer[] {
    return this.sectionsOf(server).indexes.flatMap((index) =>
      index.locationsAt(path, questions).map(({ layer }) => layer),
    );
  }

  /** Proxy sections, which take the place of the directory walk. @param target `proxy:http://backend/path` */
  proxies(target: string, server: Server, questions: Questions): Layer[] {
    const backend = target.replace(/^proxy:/, "");
    return this.sectionsOf(server).indexes.flatMap((index) =>
      index.proxies.filter(({ test }) => test(backend, questions)).map(({ layer }) => layer),
    );
  }
}

/** The directory that a walk keeps: one without a slash at its end is that of no other path. */
function walkedTo({ filename, kind }: DirectoryWalk): string {
  if (kind !== "directory") return filename.replace(/[^/]*$/, "");
  return filename.endsWith("/") ? `${canonicalPath(filename)}/` : filename;
}

const conditions: ReadonlySet<string> = new Set(["<if", "<elseif", "<else"]);

/**
 * The If sections of some layers whose conditions hold: an ElseIf or Else counts where nothing ahead of it in its chain did.
 *
 * @param holds whether the condition of an If or ElseIf holds
 */
export function holdingIfs(layers: readonly Layer[], holds: (section: Directive) => boolean): Layer[] {
  const found: Layer[] = [];
  for (const layer of layers) {
    let isDone = false;
    for (const section of layer.only(conditions)) {
      if (section.key === "<if") isDone = false;
      else if (isDone) continue;
      if (section.key !== "<else" && !holds(section)) continue;
      isDone = true;
      found.push(layerOfSection(section));
    }
  }
  return found;
}
