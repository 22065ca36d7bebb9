import { parseStringExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import { constantOf } from "../expression/constant-folding.js";
import { conditionOf, evaluateCondition, evaluateString, isConditionMet } from "../expression/evaluate.js";
import type { ExpressionContext, UrlTarget } from "../expression/variables.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import { createUrlTarget } from "../mapping/url-target.js";
import type { ConfigLayer } from "../model/config-layer.js";
import type { Environment } from "../model/environment.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import type { Request } from "../model/request.js";
import type { Server } from "../model/server.js";
import { unknownFact } from "../model/unknown-facts.js";
import { type NamingConfig, type ServerNames, serverNamesOf } from "../request/server-names.js";
import { applySetEnvIf, type ConditionResult } from "../request/setenvif.js";
import { collapseLeadingSlashes, type NormalizedPath } from "../request/url-normalization.js";
import { type IfSection, selectIfSections } from "../sections/if-sections.js";
import { mergeGroups } from "../sections/merge-order.js";
import type { MergeGroup, PerDirConfig } from "../sections/per-dir-config.js";
import { setNamedGroups } from "../sections/section-index.js";
import type { DirectoryWalk, DirectoryWalker } from "./directory-walk.js";
import { type Configuration, MergeCache, reusesMergedConfig } from "./merge-cache.js";

/** The context that a request is processed in. */
export interface WalkContext {
  readonly project: Project;
  readonly files: FileTree;
  readonly walks: DirectoryWalker;
  readonly server: Server;
  readonly oracle: Oracle;
}

/** A normalized path. */
export type NormalizedUrl = Extract<NormalizedPath, { readonly path: string }>;

/**
 * The sections that apply to one request, with the variables that they set. Sections by URL and If sections are
 * processed before the URL is mapped to a file and again afterwards (server/request.c `ap_process_request_internal`).
 */
export class RequestWalk {
  private locations: readonly ConfigLayer[];
  private readonly merged: MergeCache;
  private configuration: Configuration;
  private walked: DirectoryWalk | undefined;
  private target: UrlTarget;
  private named: { readonly naming: NamingConfig; readonly names: ServerNames } | undefined;
  private readonly serverConfig: PerDirConfig;
  /** Whether rewriting has changed the path. */
  private isRewritten = false;

  /**
   * @param env changed during the walk; names are in lower case
   * @param outer for an index file: the walk for its directory
   * @param previous for a URL rewritten after access control: the walk before that
   */
  constructor(
    private readonly walkContext: WalkContext,
    private request: Request,
    private url: NormalizedUrl,
    private readonly env: Environment,
    private readonly outer: RequestWalk | undefined,
    private readonly previous: RequestWalk | undefined = outer,
  ) {
    const { server, walks, oracle, project } = walkContext;
    this.target = createUrlTarget(undefined, undefined, server, project);
    this.serverConfig = walks.configOf(server);
    this.locations = walks.locations(url.path, server, oracle);
    this.configuration = server.layer;
    this.merged = new MergeCache(reusesMergedConfig(walkContext.project), previous?.merged);
  }

  /**
   * Whether it resulted in the identical configuration as the previous walk: access is not checked again then. 2.2 merges
   * Location sections again for each URL (server/request.c `ap_location_walk`).
   */
  get isSameAsPrevious(): boolean {
    const mergesAgain = this.locations.length > 0 && !isSince(this.walkContext.project.release, "2.4");
    return !mergesAgain && this.configuration === this.previous?.configuration;
  }

  /** Continues with the rewritten request, before it is mapped to a file. */
  continueWith(request: Request, path: string): void {
    this.request = request;
    this.named = undefined;
    if (path === this.url.path) return;
    this.url = { path, escaped: path };
    this.isRewritten = true;
    this.locations = this.walkContext.walks.locations(path, this.walkContext.server, this.walkContext.oracle);
  }

  /** The configurations that apply to the server itself. */
  get serverLayers(): readonly ConfigLayer[] {
    return this.walkContext.server.layers;
  }

  /** The context for executing the server's own directives. */
  get atServer() {
    const { serverLayers: layers, request } = this;
    const { path } = this.url;
    const names = this.names(this.serverConfig);
    const { oracle, files } = this.walkContext;
    return { request, path, filename: "", layers, oracle, files, target: this.target, names };
  }

  /** Returns the configuration for URL mapping: server, Location and the If sections in them. */
  earlyConfig(): PerDirConfig {
    const { walks, server, oracle, project } = this.walkContext;
    // For a forward proxy, it is the whole URL (mod_proxy.c `proxy_detect`).
    const isOfProxy = !this.url.path.startsWith("/");
    const sent = isOfProxy ? this.url.path : collapseLeadingSlashes(this.request.path);
    this.setVariables(this.serverConfig, sent, "", this.previous === undefined);
    const config = this.serverConfig.extend("location", this.locations);
    if (!isSince(project.release, "2.4")) return config;
    const { path, escaped } = this.url;
    const asSent = escaped === path ? this.locations : walks.locations(escaped, server, oracle);
    const configAsSent = asSent === this.locations ? config : this.serverConfig.extend("location", asSent);
    setNamedGroups(asSent, escaped, this.env, oracle);
    // The first pass is for modules that read the URL as sent; only its side effects matter.
    const holds = this.holdsIn(configAsSent, escaped, "");
    this.mergeEarlyIfs(configAsSent, asSent, holds);
    setNamedGroups(this.locations, path, this.env, oracle);
    const holdsDecoded = asSent === this.locations ? holds : this.holdsIn(config, path, "");
    return this.mergeEarlyIfs(config, this.locations, holdsDecoded);
  }

  private mergeEarlyIfs(config: PerDirConfig, locations: readonly ConfigLayer[], holds: IfSectionTest): PerDirConfig {
    this.configuration = this.merged.take("location", locations, this.walkContext.server.layer).configuration;
    return this.mergeIfs(config, holds);
  }

  /** Returns the configuration for the access check. */
  lateConfig(mapping: UrlMapping & { readonly kind: "file" | "proxy" }, walked: DirectoryWalk | undefined) {
    const filename = mapping.kind === "proxy" ? mapping.target : walked?.filename;
    this.walked = walked;
    this.target = createUrlTarget(mapping, walked, this.walkContext.server, this.walkContext.project);
    let config = this.mergeSections(mapping, walked);
    if (isSince(this.walkContext.project.release, "2.4")) {
      this.setGroupVariables(config, filename, walked);
      config = this.mergeIfs(config, this.holdsIn(config, this.url.path, filename));
    }
    this.setVariables(config, this.url.path, filename);
    return { config, filename, names: this.names(config), target: this.target };
  }

  /** Returns the configuration without If sections. */
  private mergeSections(
    mapping: UrlMapping & { readonly kind: "file" | "proxy" },
    walked: DirectoryWalk | undefined,
  ): PerDirConfig {
    const { walks, server, oracle } = this.walkContext;
    this.configuration = server.layer;
    const ofFile = walked && {
      directory: () => walked.layers,
      files: (config: PerDirConfig) => walks.filesSections(walked.filename, config, oracle),
    };
    const ofBackend = mapping.kind === "proxy" && { proxy: () => walks.proxies(mapping.target, server, oracle) };
    return mergeGroups(
      this.serverConfig,
      { ...ofBackend, ...ofFile, location: () => this.locations },
      (config, group, layers) => {
        if (group !== "proxy") return this.overlay(config, group, layers);
        // Each of these is merged separately (`proxy_walk`).
        return layers.reduce((before, layer) => this.overlay(before, group, [layer]), config);
      },
    );
  }

  private overlay(config: PerDirConfig, kind: MergeGroup["kind"], layers: readonly ConfigLayer[]): PerDirConfig {
    const isSameName = kind === "files" && this.isFileOfSameName;
    this.configuration = this.merged.take(kind, layers, this.configuration, isSameName).configuration;
    return config.extend(kind, layers);
  }

  /** Whether 2.2 reuses the merged Files sections of the previous request (server/request.c `ap_file_walk`). */
  private get isFileOfSameName(): boolean {
    if (isSince(this.walkContext.project.release, "2.4")) return false;
    const [name, previous] = [this.walked, this.previous?.walked].map((each) => each?.filename.split("/").at(-1));
    return name !== undefined && name === previous;
  }

  /**
   * Sets the variables of named groups. Sections by URL have set theirs already, unless the URL has changed since, and
   * the walk to the same directory is not repeated.
   */
  private setGroupVariables(config: PerDirConfig, filename = "", walked: DirectoryWalk | undefined): void {
    if (!config.facts.namesGroups) return;
    const isSame = walked !== undefined && walked.layers === this.previous?.walked?.layers;
    const subjects: Readonly<Partial<Record<MergeGroup["kind"], string>>> = {
      ...(isSame ? {} : { directory: filename }),
      files: filename.slice(filename.lastIndexOf("/") + 1),
      proxy: filename.replace(/^proxy:/, ""),
      ...(this.isRewritten ? { location: this.url.path } : {}),
    };
    for (const { kind, layers } of config.groups) {
      const subject = subjects[kind];
      if (subject !== undefined) setNamedGroups(layers, subject, this.env, this.walkContext.oracle);
    }
  }

  /** Returns the names of the server. */
  names(config: PerDirConfig): ServerNames {
    const { naming } = config.facts;
    if (this.named?.naming !== naming) {
      this.named = { naming, names: serverNamesOf(naming, this.request) };
    }
    return this.named.names;
  }

  /**
   * Evaluates a string of a section; undefined if it contains an unknown part.
   *
   * @param user the user authenticated by then
   */
  textOf(text: string, config: PerDirConfig, filename: string | undefined, user?: string): string | undefined {
    if (!isSince(this.walkContext.project.release, "2.4")) return text;
    const parsed = parseStringExpression(text);
    if (!parsed.ok) return text;
    const constant = constantOf(parsed.value.expression);
    if (constant !== undefined) return constant;
    this.request.tracker?.markUnknown(unknownFact("value-of-request", text));
    return evaluateString(parsed.value.expression, { ...this.context(config, this.url.path, filename), user });
  }

  private context(config: PerDirConfig, path: string, filename: string | undefined): ExpressionContext {
    const { request, env, target } = this;
    const { oracle, files } = this.walkContext;
    return { request, path, env, user: undefined, filename, oracle, files, target, names: this.names(config) };
  }

  /** Returns a predicate for conditions under a configuration; each is evaluated once. */
  private holdsIn(config: PerDirConfig, path: string, filename: string | undefined): IfSectionTest {
    let context: ExpressionContext | undefined;
    let known: Map<IfSection, boolean> | undefined;
    return (section) => {
      const { condition } = section;
      const before = known?.get(section);
      if (before !== undefined) return before;
      context ??= this.context(config, path, filename);
      const isHeld = condition !== undefined && isConditionMet(condition, context);
      known ??= new Map();
      known.set(section, isHeld);
      return isHeld;
    };
  }

  /**
   * Executes the directives of sections that set variables, or those of only a server. An index file keeps those of its
   * directory.
   *
   * @param isPathSent whether the path is as sent by the client
   */
  private setVariables(config: PerDirConfig, path: string, filename: string | undefined, isPathSent = false): void {
    const { setters } = config.facts;
    if (this.outer || setters.length === 0) return;
    const { oracle } = this.walkContext;
    const context = { ...this.context(config, path, filename), isPathSent };
    const holds = (line: Directive) => evaluateSetterCondition(context, line);
    for (const lines of setters)
      applySetEnvIf(lines, this.request, path, this.env, oracle, holds, context.names.looksUpNames, isPathSent);
  }

  /**
   * Merges the groups of If sections: those in the current sections, then those in these, and so on. If the server
   * finds an identical earlier merge, it does not continue further in (`ap_if_walk_sub`).
   */
  private mergeIfs(base: PerDirConfig, holds: IfSectionTest): PerDirConfig {
    let config = base;
    for (let { ifs } = base.facts; ifs.length > 0; ifs = config.facts.lastIfs) {
      const applied = selectIfSections(ifs, holds);
      const { isKnown, configuration } = this.merged.take("if", applied, this.configuration);
      this.configuration = configuration;
      if (applied.length > 0) config = config.extend("if", applied);
      if (isKnown || applied.length === 0) return config;
    }
    return config;
  }
}

/** Reports whether the condition of a section holds. */
type IfSectionTest = (section: IfSection) => boolean;

function evaluateSetterCondition(context: ExpressionContext, directive: Directive): ConditionResult {
  const condition = conditionOf(directive);
  return condition === undefined ? { holds: false } : evaluateCondition(condition, context);
}
