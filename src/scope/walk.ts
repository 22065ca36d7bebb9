import type { Directive } from "../project/directive.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { fromReadable } from "../text/source.js";
import type { FileKind, FileTree } from "./files.js";
import { type Layer, layerOf, layerOfSection } from "./layer.js";
import { optionsIn } from "./options.js";
import {
  type BrokenFile,
  type FileVerdict,
  judgeFile,
  keyOf,
  type Overrides,
  overridesIn,
  type RefusalCause,
} from "./overrides.js";
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
  readonly refused?: {
    readonly file: HtaccessFile;
    readonly directive?: Directive;
    readonly why: string;
    readonly cause: RefusalCause;
  };
  /** The `.htaccess` files on the way, outermost first. */
  readonly htaccess: readonly FoundFile[];
}

/** A `.htaccess` file that the directory walk came by. */
export interface FoundFile {
  readonly file: HtaccessFile;
  readonly verdict: FileVerdict;
  /** How many layers had been laid before it. */
  readonly level: number;
}

/** The walks of one configuration: which sections apply to a request, and in what order (server/request.c). */
export class Walks {
  private readonly indexes = new Map<Server, SectionIndex>();
  private readonly htaccess: ReadonlyMap<string, HtaccessFile>;
  private readonly verdicts = new Map<HtaccessFile, Map<string, FileVerdict>>();

  constructor(
    private readonly project: Project,
    private readonly files: FileTree,
    /** `.htaccess` files that the server refuses whatever is allowed, with the reason. */
    private readonly broken: ReadonlyMap<HtaccessFile, BrokenFile | string>,
  ) {
    this.htaccess = new Map(
      project.htaccess.map((file) => [fromReadable(file.directory).replace(/\/$/, ""), file] as const),
    );
  }

  /** A server's own sections ahead of a virtual host's, as all walks have it. */
  private indexesOf(server: Server): readonly SectionIndex[] {
    const own = this.indexes.get(server) ?? new SectionIndex(server.layer.content, this.project.release);
    this.indexes.set(server, own);
    return server.main ? [...this.indexesOf(server.main), own] : [own];
  }

  /**
   * Directory sections and `.htaccess` files, level by level, then Directory sections by pattern.
   *
   * @param filename absolute; with a slash at its end where the URL has one
   * @param outer what the walk made of the directory that the server asks itself for a file of
   */
  directories(filename: string, server: Server, questions: Questions, outer?: DirectoryWalk): DirectoryWalk {
    // For a file that is there, the walk to its directory is not made anew (`ap_directory_walk`).
    if (
      outer?.kind === "directory" &&
      isIn(filename, outer.filename) &&
      this.kindOf(filename, true, questions) === "file"
    )
      return { ...outer, filename, kind: "file" };
    const indexes = this.indexesOf(server);
    const layers: Layer[] = [];
    const htaccess: FoundFile[] = [];
    const whole = canonicalPath(filename) ?? "";
    const names = whole.split("/").slice(1);
    let path = "";
    let kind: FileKind = "directory";
    let end = filename;
    for (let level = 0; level <= names.length; level++) {
      if (level > 0) {
        path = `${path}/${names[level - 1]}`;
        kind = this.kindOf(path, level === names.length && !filename.endsWith("/"), questions);
        // A slash behind a file is path info, too.
        if (kind === "missing" || (kind === "file" && (level < names.length || filename.endsWith("/")))) {
          end = path;
          break;
        }
        if (kind === "file" && !followsBlindly([server.main?.layer, server.layer, ...layers])) break;
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
    const patterns = indexes.flatMap((index) => index.directoryPatterns).sort((a, b) => a.slashes - b.slashes);
    for (const { layer, test } of patterns) if (test(end, questions)) layers.push(layer);
    return { layers, filename: end, kind, htaccess };
  }

  private verdictOf(file: HtaccessFile, overrides: Overrides): FileVerdict {
    const verdicts = this.verdicts.get(file) ?? new Map<string, FileVerdict>();
    this.verdicts.set(file, verdicts);
    const key = keyOf(overrides);
    const verdict = verdicts.get(key) ?? judgeFile(file, overrides, this.project, this.broken);
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
    const sections = this.indexesOf(server).flatMap((index) => index.files);
    for (const layer of directories) for (const section of layer.content) if (isFiles(section)) sections.push(section);
    return sections.filter((section) => fileTestOf(section)(name, questions)).map(layerOfSection);
  }

  /** Location sections, in the order of the files. */
  locations(path: string, server: Server, questions: Questions): Layer[] {
    return this.indexesOf(server).flatMap((index) => index.locationsAt(path, questions).map(({ layer }) => layer));
  }

  /** Proxy sections, which take the place of the directory walk. @param target `proxy:http://backend/path` */
  proxies(target: string, server: Server, questions: Questions): Layer[] {
    const backend = target.replace(/^proxy:/, "");
    return this.indexesOf(server).flatMap((index) =>
      index.proxies.filter(({ test }) => test(backend, questions)).map(({ layer }) => layer),
    );
  }
}

/** Whether a file lies right in a directory. */
function isIn(filename: string, directory: string): boolean {
  const slash = filename.lastIndexOf("/");
  return slash < filename.length - 1 && canonicalPath(filename.slice(0, slash + 1)) === canonicalPath(directory);
}

function isFiles({ key }: Directive): boolean {
  return key === "<files" || key === "<filesmatch";
}

/** Where links are followed without a look, an existing file is a level of its own like a directory. */
function followsBlindly(layers: readonly (Layer | undefined)[]): boolean {
  const options = optionsIn(layers.filter((layer) => layer !== undefined));
  return options.has("followsymlinks") && !options.has("symlinksifownermatch");
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
