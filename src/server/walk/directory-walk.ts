import type { LinkFacts } from "../../config/files/file-access.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import { asksBehaviour } from "../model/behaviour.js";
import type { ConfigLayer } from "../model/config-layer.js";
import type { FileKind, FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import type { Server } from "../model/server.js";
import { unknownFact } from "../model/unknown-facts.js";
import { collapseSlashes, slashRulesOf } from "../request/url-normalization.js";
import { followsLinksUnchecked, isLinkFollowed, mergeOptions } from "../sections/options.js";
import { PerDirConfig } from "../sections/per-dir-config.js";
import { canonicalizePath } from "../sections/section-index.js";
import type { HtaccessRefusal, HtaccessVerdict } from "./htaccess-check.js";
import { HtaccessLookup, isSearched, type UnknownDirectory } from "./htaccess-lookup.js";
import { ignoresHtaccess, mergeOverrides } from "./overrides.js";
import {
  findFilesSections,
  findLocations,
  findProxySections,
  indexServerSections,
  type ServerSections,
} from "./server-sections.js";

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
  /** The directory as the walk reached it, without a trailing slash: a link is another name of it. */
  readonly directory: string;
  readonly verdict: HtaccessVerdict;
  /** Number of configurations merged before it. */
  readonly level: number;
}

/** In bytes, on all common file systems. */
const MAX_NAME_LENGTH = 255;

/** The state of a walk at a directory, if it does not depend on unknown facts. */
interface CachedWalk {
  readonly level: number;
  readonly layers: readonly ConfigLayer[];
  readonly htaccess: readonly FoundHtaccess[];
  readonly followsUnchecked: boolean;
}

/** A server's sections, with what walks have cached for it. */
interface WalkedServer extends ServerSections {
  /** The configuration of the server itself, over which sections are merged. */
  config: PerDirConfig | undefined;
  /** Directories that walks have reached, by path. */
  readonly reached: Map<string, CachedWalk>;
}

/** Limits of the cached combinations of sections, and of the cached directories. */
const MAX_CONFIGS = 200_000;
const MAX_CACHED_WALKS = 50_000;

/**
 * The walks of one configuration: they determine the sections that apply to a request, and their order
 * (server/request.c).
 */
export class DirectoryWalker {
  private readonly sections = new Map<Server, WalkedServer>();
  private readonly htaccess: HtaccessLookup;
  private readonly configs = { made: 0 };
  private reached = 0;

  constructor(
    private readonly project: Project,
    private readonly files: FileTree,
    /** Returns the errors of `.htaccess` files that do not depend on the overrides. */
    faultsOf: (file: HtaccessFile) => readonly HtaccessRefusal[],
  ) {
    this.htaccess = new HtaccessLookup(project, faultsOf);
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

  private sectionsOf(server: Server): WalkedServer {
    const known = this.sections.get(server);
    if (known) return known;
    const main = server.main && this.sectionsOf(server.main);
    const sections = indexServerSections(server, this.project, main);
    const made = { ...sections, config: undefined, reached: new Map<string, CachedWalk>() };
    this.sections.set(server, made);
    return made;
  }

  /**
   * Walks Directory sections and `.htaccess` files, level by level, followed by Directory sections by pattern.
   *
   * @param filename absolute; with a trailing slash if the URL has one
   * @param before the walk for the directory of a subrequest, or for the URL before rewriting
   */
  walkDirectories(filename: string, server: Server, oracle: Oracle, before?: DirectoryWalk): DirectoryWalk {
    const reused = before && this.reuseWalk(filename, before, [...server.layers, ...before.layers], oracle);
    if (reused) return reused;
    const { indexes, patterns, fileNames, reached } = this.sectionsOf(server);
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
    let unsearched: UnknownDirectory | undefined;
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
        kind = found === "unknown" ? askKind(path, mayBeFile, oracle) : found;
        const link = this.files.linkAt?.(path);
        if (link && !this.followsLink({ path, link, kind }, whole, endsInSlash, [...server.layers, ...layers], oracle))
          return { layers, filename: path, kind, htaccess, unfollowed: "AH00037" };
        isSure &&= found !== "unknown" && link === undefined;
        // A slash after a file is also path info.
        if (kind === "missing" || (kind === "file" && !mayBeFile)) {
          end = path;
          break;
        }
        if (
          kind === "file" &&
          !(known?.followsUnchecked ?? followsLinksUnchecked([...server.layers, ...layers], this.project))
        )
          break;
      }
      const asked = oracle.answered.size;
      for (const index of indexes) for (const { layer } of index.directoriesAt(path, level, oracle)) layers.push(layer);
      isSure &&= oracle.answered.size === asked;
      const first = this.htaccess.firstNameOf(path);
      const own = this.htaccess.unknownAt(first);
      if (own?.searched) unsearched = own;
      else if (unsearched?.searched?.has(first)) unsearched = undefined;
      const closed = [own, unsearched].find((each) => each && !isSearched(first, each));
      isSure &&= closed === undefined && unsearched === undefined;
      if (closed && kind === "directory" && !ignoresHtaccess(mergeOverrides(layers, this.project)))
        oracle.markUndecidable(unknownFact("unread-htaccess", closed.why));
      const file = kind === "directory" ? this.htaccess.fileIn(first, fileNames) : undefined;
      const inner = kind === "directory" ? this.htaccess.innerFileIn(path, fileNames, file, this.files) : undefined;
      isSure &&= inner === undefined;
      if (inner !== undefined && !ignoresHtaccess(mergeOverrides(layers, this.project)))
        oracle.markUndecidable(unknownFact("htaccess-by-path", inner));
      if (file === undefined) this.project.view?.onVisit(first);
      else {
        const verdict = this.htaccess.verdictOf(file, mergeOverrides(layers, this.project));
        htaccess.push({ file, directory: path, verdict, level: layers.length });
        if (verdict.kind === "refused")
          return { layers, filename: path, kind, refused: { file, ...verdict }, htaccess };
        if (verdict.kind === "taken") layers.push(this.htaccess.layerAt(path, verdict.content));
      }
      if (isSure && path.length === parent.length && path !== whole)
        this.cacheWalk(path, { level, layers, htaccess }, server);
    }
    for (const { layer, test } of patterns) if (test(end, oracle)) layers.push(layer);
    return { layers, filename: end, kind, htaccess };
  }

  /** Caches the state of a walk, as a start for others. */
  private cacheWalk(
    path: string,
    { level, layers, htaccess }: Omit<CachedWalk, "followsUnchecked">,
    server: Server,
  ): void {
    if (this.reached >= MAX_CACHED_WALKS) {
      for (const each of this.sections.values()) each.reached.clear();
      this.reached = 0;
    }
    this.reached++;
    this.sectionsOf(server).reached.set(path, {
      ...{ level, layers: [...layers], htaccess: [...htaccess] },
      followsUnchecked: followsLinksUnchecked([...server.layers, ...layers], this.project),
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
    oracle: Oracle,
  ): DirectoryWalk | undefined {
    const path = canonicalizePath(filename) ?? filename;
    const folder = `${path}/`;
    const parent = path.replace(/[^/]*$/, "");
    const cached = walkedDirectory(before);
    if (cached !== folder && cached !== parent) return undefined;
    const kind = this.kindOf(path, !filename.endsWith("/"), oracle);
    if (kind === "file" ? cached !== parent || filename.endsWith("/") : kind !== "directory" || cached !== folder)
      return undefined;
    const isFollowed = this.followsSiblingLink(path, layers, oracle);
    return { ...before, filename, kind, ...(isFollowed ? {} : { unfollowed: "AH00032" as const }) };
  }

  /** Reports whether a link on the way is followed. If the whole path exists, that may need no check. */
  private followsLink(
    { path, link, kind }: { readonly path: string; readonly link: LinkFacts; readonly kind: FileKind },
    whole: string,
    endsInSlash: boolean,
    layers: readonly ConfigLayer[],
    oracle: Oracle,
  ): boolean {
    const found = this.kindOf(whole, !endsInSlash, oracle);
    const exists = found === "directory" || (found === "file" && !endsInSlash);
    return (
      (exists && followsLinksUnchecked(layers, this.project)) ||
      isLinkFollowed({ path, link, kind }, layers, this.project, oracle)
    );
  }

  /**
   * Reports whether a link is followed for a file in a directory of an earlier walk: FollowSymLinks is sufficient
   * there.
   */
  private followsSiblingLink(path: string, layers: readonly ConfigLayer[], oracle: Oracle): boolean {
    const link = this.files.linkAt?.(path);
    if (link === undefined || mergeOptions(layers, this.project).has("followsymlinks")) return true;
    return isLinkFollowed({ path, link, kind: "file" }, layers, this.project, oracle);
  }

  private kindOf(path: string, mayBeFile: boolean, oracle: Oracle): FileKind {
    const kind = this.files.kindOf(path, mayBeFile);
    return kind === "unknown" ? askKind(path, mayBeFile, oracle) : kind;
  }

  /** Returns the Files sections of the servers and of the directory walk. @param config with only these */
  filesSections(filename: string, config: PerDirConfig, oracle: Oracle): ConfigLayer[] {
    return findFilesSections(this.sectionsOf(config.server), filename, config, oracle);
  }

  /**
   * Returns the Location sections, in file order. If httpd merges slashes of URLs, it compares the path as it is: a rule may
   * give it doubled ones (server/request.c `ap_location_walk`).
   */
  locations(path: string, server: Server, oracle: Oracle): ConfigLayer[] {
    const isMerged =
      path.includes("//") &&
      slashRulesOf(server.layers).merges &&
      asksBehaviour(this.project.release, "slashes-merged", oracle);
    return findLocations(this.sectionsOf(server), path, isMerged ? path : collapseSlashes(path), oracle);
  }

  /** Returns the Proxy sections, which replace the directory walk. @param target `proxy:http://backend/path` */
  proxies(target: string, server: Server, oracle: Oracle): ConfigLayer[] {
    return findProxySections(this.sectionsOf(server), target, oracle);
  }
}

function askKind(path: string, mayBeFile: boolean, oracle: Oracle): FileKind {
  if (!oracle.ask(unknownFact("exists", path))) return "missing";
  return mayBeFile && !oracle.ask(unknownFact("is-directory", path)) ? "file" : "directory";
}

/** Returns the directory that a walk caches; one without a trailing slash is not the directory of any other path. */
function walkedDirectory({ filename, kind }: DirectoryWalk): string {
  if (kind !== "directory") return filename.replace(/[^/]*$/, "");
  return filename.endsWith("/") ? `${canonicalizePath(filename)}/` : filename;
}
