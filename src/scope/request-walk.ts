import { parseStringExpression } from "../../grammar/expression/expression.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { type Held, setEnvironment } from "./environment.js";
import { constantOf } from "./expression-text.js";
import { conditionOf, type ExpressionContext, evaluate, holds, stringValue } from "./expression-value.js";
import { holdingIfs, type IfSection } from "./if-sections.js";
import type { Layer } from "./layer.js";
import type { Mapping } from "./mapping.js";
import { setNamedGroups } from "./named-groups.js";
import type { Group, PerDirConfig } from "./per-dir-config.js";
import type { Questions } from "./questions.js";
import type { Request } from "./request.js";
import type { Server } from "./server.js";
import { type Naming, type ServerNames, serverNamesOf } from "./server-names.js";
import { type NormalPath, withoutLeadingSlashes } from "./url.js";
import type { DirectoryWalk, Walks } from "./walk.js";

/** What a request is looked at with. */
export interface Surroundings {
  readonly project: Project;
  readonly walks: Walks;
  readonly server: Server;
  readonly questions: Questions;
}

/** A path that the server goes on with. */
export type Url = Extract<NormalPath, { readonly path: string }>;

/**
 * The sections that apply to one request, with the variables that they set. Sections by URL and If sections are gone over
 * before the URL is mapped to a file and again behind that (server/request.c `ap_process_request_internal`).
 */
export class RequestWalk {
  private locations: readonly Layer[];
  private readonly merged: MergedWalks;
  private configuration: Configuration;
  private walked: DirectoryWalk | undefined;
  private named: { readonly naming: Naming; readonly names: ServerNames } | undefined;
  private readonly ofServerAlone: PerDirConfig;
  /** Whether rewriting has made another path of it. */
  private isLed = false;

  /**
   * @param env changed as the walk goes on; names are in lower case
   * @param outer for an index file: the walk for its directory
   * @param previous for a URL that rewriting has led to behind access control: the walk before that
   */
  constructor(
    private readonly around: Surroundings,
    private request: Request,
    private url: Url,
    private readonly env: Map<string, string>,
    private readonly outer: RequestWalk | undefined,
    private readonly previous: RequestWalk | undefined = outer,
  ) {
    const { server, walks, questions } = around;
    this.ofServerAlone = walks.configOf(server);
    this.locations = walks.locations(url.path, server, questions);
    this.configuration = server.layer;
    this.merged = new MergedWalks(keepsMerged(around.project), previous?.merged);
  }

  /** Whether it came to the very configuration of the walk before it: access is not checked again then. */
  get isAsBefore(): boolean {
    return this.configuration === this.previous?.configuration;
  }

  /** Goes on with what rewriting has made of the request, before it is mapped to a file. */
  leadTo(request: Request, path: string): void {
    this.request = request;
    this.named = undefined;
    if (path === this.url.path) return;
    this.url = { path, escaped: path };
    this.isLed = true;
    this.locations = this.around.walks.locations(path, this.around.server, this.around.questions);
  }

  /** What is in force for the server itself. */
  get ofServer(): readonly Layer[] {
    return this.around.server.layers;
  }

  /** What the server's own lines are carried out with. */
  get atServer() {
    const { ofServer: layers, request } = this;
    const { path } = this.url;
    const names = this.names(this.ofServerAlone);
    return { request, path, filename: "", layers, questions: this.around.questions, names };
  }

  /** What is in force when the URL is mapped: server, Location and the If sections in them. */
  early(): PerDirConfig {
    const { walks, server, questions, project } = this.around;
    const sent = withoutLeadingSlashes(this.request.path);
    this.setVariables(this.ofServerAlone, sent, "");
    const config = this.ofServerAlone.under("location", this.locations);
    if (project.release === "2.2") return config;
    const { path, escaped } = this.url;
    const asSent = escaped === path ? this.locations : walks.locations(escaped, server, questions);
    const configAsSent = asSent === this.locations ? config : this.ofServerAlone.under("location", asSent);
    setNamedGroups(asSent, escaped, this.env, questions);
    // The first time is for modules that look at the URL as it was sent; only its traces matter.
    const held = this.holdsIn(configAsSent, escaped, "");
    this.withEarlyIfs(configAsSent, asSent, held);
    setNamedGroups(this.locations, path, this.env, questions);
    const heldAgain = asSent === this.locations ? held : this.holdsIn(config, path, "");
    return this.withEarlyIfs(config, this.locations, heldAgain);
  }

  private withEarlyIfs(config: PerDirConfig, locations: readonly Layer[], holds: Holds): PerDirConfig {
    this.configuration = this.merged.take("location", locations, this.around.server.layer).configuration;
    return this.withIfs(config, holds);
  }

  /** What is in force when access is checked. */
  late(mapping: Mapping & { readonly kind: "file" | "proxy" }, walked: DirectoryWalk | undefined) {
    const filename = mapping.kind === "proxy" ? mapping.target : walked?.filename;
    this.walked = walked;
    let config = this.bySections(mapping, walked);
    if (this.around.project.release === "2.4") {
      this.nameGroups(config, filename, walked);
      config = this.withIfs(config, this.holdsIn(config, this.url.path, filename));
    }
    this.setVariables(config, this.url.path, filename);
    return { config, filename, names: this.names(config) };
  }

  /** Without If sections. */
  private bySections(
    mapping: Mapping & { readonly kind: "file" | "proxy" },
    walked: DirectoryWalk | undefined,
  ): PerDirConfig {
    const { walks, server, questions } = this.around;
    this.configuration = server.layer;
    let config = this.ofServerAlone;
    // Each of these is laid over by itself (`proxy_walk`).
    if (mapping.kind === "proxy")
      for (const layer of walks.proxies(mapping.target, server, questions))
        config = this.laidOver(config, "proxy", [layer]);
    if (walked) {
      config = this.laidOver(config, "directory", walked.layers);
      const files = walks.filesSections(walked.filename, config, questions);
      config = this.laidOver(config, "files", files);
    }
    return this.laidOver(config, "location", this.locations);
  }

  private laidOver(config: PerDirConfig, kind: Group["kind"], layers: readonly Layer[]): PerDirConfig {
    this.configuration = this.merged.take(kind, layers, this.configuration).configuration;
    return config.under(kind, layers);
  }

  /** Sections by URL have set theirs before, unless it has become another one since, and the walk to the same directory is not made anew. */
  private nameGroups(config: PerDirConfig, filename = "", walked: DirectoryWalk | undefined): void {
    if (!config.facts.namesGroups) return;
    const isSame = walked !== undefined && walked.layers === this.previous?.walked?.layers;
    const subjects: Readonly<Partial<Record<Group["kind"], string>>> = {
      ...(isSame ? {} : { directory: filename }),
      files: filename.slice(filename.lastIndexOf("/") + 1),
      proxy: filename.replace(/^proxy:/, ""),
      ...(this.isLed ? { location: this.url.path } : {}),
    };
    for (const { kind, layers } of config.groups) {
      const subject = subjects[kind];
      if (subject !== undefined) setNamedGroups(layers, subject, this.env, this.around.questions);
    }
  }

  /** What the server calls itself. */
  names(config: PerDirConfig): ServerNames {
    const { naming } = config.facts;
    if (this.named?.naming !== naming) {
      this.named = { naming, names: serverNamesOf(naming, this.request) };
    }
    return this.named.names;
  }

  /**
   * What a string of a section comes to; undefined where it holds something that is not known.
   *
   * @param user who is authenticated by then
   */
  textOf(text: string, config: PerDirConfig, filename: string | undefined, user?: string): string | undefined {
    if (this.around.project.release === "2.2") return text;
    const parsed = parseStringExpression(text);
    if (!("expression" in parsed)) return text;
    const constant = constantOf(parsed.expression);
    if (constant !== undefined) return constant;
    this.request.looks?.untold(`what \`${text}\` comes to hangs on the request`);
    return stringValue(parsed.expression, { ...this.context(config, this.url.path, filename), user });
  }

  private context(config: PerDirConfig, path: string, filename: string | undefined): ExpressionContext {
    const { request, env } = this;
    const { questions } = this.around;
    return { request, path, env, user: undefined, filename, questions, names: this.names(config) };
  }

  /** Whether conditions hold under some configuration; each is looked at once. */
  private holdsIn(config: PerDirConfig, path: string, filename: string | undefined): Holds {
    let context: ExpressionContext | undefined;
    let known: Map<IfSection, boolean> | undefined;
    return (section) => {
      const { condition } = section;
      const before = known?.get(section);
      if (before !== undefined) return before;
      context ??= this.context(config, path, filename);
      const isHeld = condition !== undefined && holds(condition, context);
      known ??= new Map();
      known.set(section, isHeld);
      return isHeld;
    };
  }

  /**
   * Carries out the lines of sections that set variables, or those of a server alone. An index file has those of its
   * directory.
   */
  private setVariables(config: PerDirConfig, path: string, filename: string | undefined): void {
    const { setters } = config.facts;
    if (this.outer || setters.length === 0) return;
    const { questions } = this.around;
    const context = this.context(config, path, filename);
    const holds = (line: Directive) => heldIn(context, line);
    for (const lines of setters)
      setEnvironment(lines, this.request, path, this.env, questions, holds, context.names.looksUpNames);
  }

  /**
   * Lays the groups of If sections over it: those in the sections so far, then those in them, and so on. Where the server
   * finds that it has merged the same before, it does not look further in (`ap_if_walk_sub`).
   */
  private withIfs(base: PerDirConfig, holds: Holds): PerDirConfig {
    let config = base;
    for (let { ifs } = base.facts; ifs.length > 0; ifs = config.facts.lastIfs) {
      const held = holdingIfs(ifs, holds);
      const { isKnown, configuration } = this.merged.take("if", held, this.configuration);
      this.configuration = configuration;
      if (held.length > 0) config = config.under("if", held);
      if (isKnown || held.length === 0) return config;
    }
    return config;
  }
}

/** Whether the condition of a section holds. */
type Holds = (section: IfSection) => boolean;

/** Stands for what the server has merged: two are the same only where it took one for the other. */
type Configuration = object;

interface Merged {
  readonly kind: Group["kind"];
  readonly layers: readonly Layer[];
  readonly base: Configuration;
  readonly configuration: Configuration;
  /** Whether it was taken from what was merged before. */
  readonly isKnown: boolean;
}

/** What walks of each kind have merged, one after the other, in the order in which the server keeps them (`prep_walk_cache`). */
class MergedWalks {
  private readonly walks: Merged[] = [];

  /** @param previous those of the request before: each walk is compared with the one in the same place there */
  constructor(
    private readonly keeps: boolean,
    private readonly previous: MergedWalks | undefined,
  ) {}

  /** Lays some layers over a configuration, or takes what was merged of the same. */
  take(kind: Group["kind"], layers: readonly Layer[], base: Configuration): Merged {
    let place = 0;
    let own: Merged | undefined;
    for (const each of this.walks) {
      if (each.kind !== kind) continue;
      place++;
      own = each;
    }
    const before = this.previous?.at(kind, place) ?? own;
    // The walk to a file's directory is taken whole.
    const isWhole = kind === "directory" && before?.layers === layers;
    const isKnown =
      kind !== "proxy" && before?.base === base && (isWhole || (this.keeps && isSame(before.layers, layers)));
    const configuration = isKnown ? before.configuration : layers.length === 0 ? base : {};
    const merged = { kind, layers, base, configuration, isKnown };
    this.walks.push(merged);
    return merged;
  }

  private at(kind: Group["kind"], place: number): Merged | undefined {
    return this.walks.filter((each) => each.kind === kind)[place];
  }
}

function isSame(some: readonly Layer[], others: readonly Layer[]): boolean {
  return some.length === others.length && some.every((layer, index) => layer === others[index]);
}

function heldIn(context: ExpressionContext, directive: Directive): Held {
  const condition = conditionOf(directive);
  return condition === undefined ? { holds: false } : evaluate(condition, context);
}

/** A module with a check of its own keeps the server from taking what it merged before (`auth_internal_per_conf`). */
function keepsMerged({ modules, release }: Project): boolean {
  return (
    release === "2.2" || !["allowmethods_module", "auth_form_module", "lua_module"].some((each) => modules.has(each))
  );
}
