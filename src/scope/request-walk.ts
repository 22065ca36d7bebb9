import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { earlySetters, setEnvironment } from "./environment.js";
import { conditionOf, type ExpressionContext, evaluate } from "./expression-value.js";
import { type Layer, settingIn } from "./layer.js";
import type { Mapping } from "./mapping.js";
import { namesGroups, setNamedGroups } from "./named-groups.js";
import type { Questions } from "./questions.js";
import type { Request } from "./request.js";
import { type Server, serverNameOf, serverPortOf } from "./servers.js";
import { type NormalPath, withoutLeadingSlashes } from "./url.js";
import { type DirectoryWalk, type Group, holdingIfs, type Walks } from "./walk.js";
import { keywordOf } from "./words.js";

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
  private usualNames: Names | undefined;
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
    this.usualNames = undefined;
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
    return { request, path, filename: "", layers, questions: this.around.questions, ...this.names(layers) };
  }

  /** What is in force when the URL is mapped: server, Location and the If sections in them. */
  early(): readonly Layer[] {
    const { walks, server, questions, project } = this.around;
    const sent = withoutLeadingSlashes(this.request.path);
    this.setVariables(this.ofServer, this.ofServer, { path: sent, filename: "" });
    if (project.release === "2.2") return this.locations;
    const { path, escaped } = this.url;
    const asSent = escaped === path ? this.locations : walks.locations(escaped, server, questions);
    setNamedGroups(asSent, escaped, this.env, questions);
    // The first time is for modules that look at the URL as it was sent; only its traces matter.
    const held = this.earlyHeld(asSent, escaped);
    this.earlyGroups(asSent, held);
    setNamedGroups(this.locations, path, this.env, questions);
    const heldAgain = asSent === this.locations ? held : this.earlyHeld(this.locations, path);
    return layersOf(this.earlyGroups(this.locations, heldAgain).slice(1));
  }

  private earlyHeld(locations: readonly Layer[], path: string): Holds {
    return this.holdsIn([...this.ofServer, ...locations], { path, filename: "" });
  }

  private earlyGroups(locations: readonly Layer[], holds: Holds): Group[] {
    const groups: Group[] = [
      { kind: "server", layers: this.ofServer },
      { kind: "location", layers: locations },
    ];
    this.configuration = this.merged.take("location", locations, this.around.server.layer).configuration;
    this.addIfs(groups, [...this.ofServer, ...locations], holds);
    return groups;
  }

  /** What is in force when access is checked. */
  late(mapping: Mapping & { readonly kind: "file" | "proxy" }, walked: DirectoryWalk | undefined) {
    const { project } = this.around;
    const filename = mapping.kind === "proxy" ? mapping.target : walked?.filename;
    this.walked = walked;
    const groups = this.groupsOf(mapping, walked);
    this.configuration = this.around.server.layer;
    for (const { kind, layers } of groups)
      if (kind !== "server") this.configuration = this.merged.take(kind, layers, this.configuration).configuration;
    if (project.release === "2.4") {
      this.nameGroups(groups, filename, walked);
      const sections = layersOf(groups);
      this.addIfs(groups, sections, this.holdsIn(sections, { filename }));
    }
    const layers = layersOf(groups);
    this.setVariables(layers.slice(this.ofServer.length), layers, { filename });
    return { groups, layers, filename, names: this.names(layers) };
  }

  private groupsOf(mapping: Mapping & { readonly kind: "file" | "proxy" }, walked: DirectoryWalk | undefined): Group[] {
    const { walks, server, questions } = this.around;
    const groups: Group[] = [{ kind: "server", layers: this.ofServer }];
    // Each of these is laid over by itself (`proxy_walk`).
    if (mapping.kind === "proxy")
      for (const layer of walks.proxies(mapping.target, server, questions))
        groups.push({ kind: "proxy", layers: [layer] });
    if (walked) {
      groups.push({ kind: "directory", layers: walked.layers });
      groups.push({ kind: "files", layers: walks.filesSections(walked.filename, server, walked.layers, questions) });
    }
    groups.push({ kind: "location", layers: this.locations });
    return groups;
  }

  /** Sections by URL have set theirs before, unless it has become another one since, and the walk to the same directory is not made anew. */
  private nameGroups(groups: readonly Group[], filename = "", walked: DirectoryWalk | undefined): void {
    if (!groups.some(({ layers }) => layers.some(namesGroups))) return;
    const isSame = walked !== undefined && walked.layers === this.previous?.walked?.layers;
    const subjects: Readonly<Partial<Record<Group["kind"], string>>> = {
      ...(isSame ? {} : { directory: filename }),
      files: filename.slice(filename.lastIndexOf("/") + 1),
      proxy: filename.replace(/^proxy:/, ""),
      ...(this.isLed ? { location: this.url.path } : {}),
    };
    for (const { kind, layers } of groups) {
      const subject = subjects[kind];
      if (subject !== undefined) setNamedGroups(layers, subject, this.env, this.around.questions);
    }
  }

  /** What the server calls itself under some layers. */
  names(layers: readonly Layer[]): Names {
    if (layers.some(saysNames)) return this.namesIn(layers);
    // Most layers have no say in it.
    this.usualNames ??= this.namesIn(this.ofServer);
    return this.usualNames;
  }

  private namesIn(layers: readonly Layer[]): Names {
    const { server } = this.around;
    return {
      serverName: serverNameOf(server, this.request, layers),
      serverPort: serverPortOf(server, this.request, layers),
      looksUpNames: looksUpNames(layers),
    };
  }

  private context(
    layers: readonly Layer[],
    own: Pick<Partial<ExpressionContext>, "path" | "filename">,
  ): ExpressionContext {
    const { request, env } = this;
    const { questions } = this.around;
    const { path = this.url.path, filename } = own;
    const { serverName, serverPort, looksUpNames } = this.names(layers);
    return { request, path, env, user: undefined, filename, questions, serverName, serverPort, looksUpNames };
  }

  /** Whether conditions hold under some layers; each is looked at once. */
  private holdsIn(layers: readonly Layer[], own: Pick<Partial<ExpressionContext>, "path" | "filename">): Holds {
    let held: ReturnType<typeof heldIn> | undefined;
    const known = new Map<Directive, boolean>();
    return (section) => {
      const before = known.get(section);
      if (before !== undefined) return before;
      held ??= heldIn(this.context(layers, own));
      const { holds } = held(section);
      known.set(section, holds);
      return holds;
    };
  }

  /**
   * Carries out the lines that set variables. An index file has those of its directory.
   *
   * @param inForce all layers that are in force by then
   */
  private setVariables(
    layers: readonly Layer[],
    inForce: readonly Layer[],
    own: Pick<Partial<ExpressionContext>, "path" | "filename">,
  ): void {
    const setting = this.outer
      ? []
      : layers.map((layer) => layer.only(earlySetters)).filter(({ length }) => length > 0);
    if (setting.length === 0) return;
    const context = this.context(inForce, own);
    const { path, questions, looksUpNames } = context;
    for (const lines of setting)
      setEnvironment(lines, this.request, path, this.env, questions, heldIn(context), looksUpNames);
  }

  /**
   * Adds the groups of If sections: those in the sections so far, then those in them, and so on. Where the server finds that
   * it has merged the same before, it does not look further in (`ap_if_walk_sub`).
   */
  private addIfs(groups: Group[], before: readonly Layer[], holds: Holds): void {
    for (let layers = before; layers.some(hasConditions); ) {
      layers = holdingIfs(layers, holds);
      if (layers.length > 0) groups.push({ kind: "if", layers });
      const { isKnown, configuration } = this.merged.take("if", layers, this.configuration);
      this.configuration = configuration;
      if (isKnown) return;
    }
  }
}

/** What the server calls itself, and whether it looks up what clients are called. */
interface Names {
  readonly serverName: string | undefined;
  readonly serverPort: number;
  readonly looksUpNames: boolean;
}

const sayingNames: ReadonlySet<string> = new Set(["usecanonicalname", "usecanonicalphysicalport", "hostnamelookups"]);

function saysNames(layer: Layer): boolean {
  return layer.only(sayingNames).length > 0;
}

/** Whether the condition of a section holds. */
type Holds = (section: Directive) => boolean;

function hasConditions(layer: Layer): boolean {
  return layer.has("<if");
}

/** Stands for what the server has merged: two are the same only where it took one for the other. */
type Configuration = object;

interface Merged {
  readonly layers: readonly Layer[];
  readonly base: Configuration;
  readonly configuration: Configuration;
}

/** What walks of each kind have merged, one after the other, in the order in which the server keeps them (`prep_walk_cache`). */
class MergedWalks {
  private readonly walks = new Map<Group["kind"], Merged[]>();

  /** @param previous those of the request before: each walk is compared with the one in the same place there */
  constructor(
    private readonly keeps: boolean,
    private readonly previous: MergedWalks | undefined,
  ) {}

  /** Lays some layers over a configuration, or takes what was merged of the same. */
  take(kind: Group["kind"], layers: readonly Layer[], base: Configuration) {
    const own = this.walks.get(kind) ?? [];
    this.walks.set(kind, own);
    const before = this.previous?.walks.get(kind)?.[own.length] ?? own.at(-1);
    // The walk to a file's directory is taken whole.
    const isWhole = kind === "directory" && before?.layers === layers;
    const isKnown =
      kind !== "proxy" && before?.base === base && (isWhole || (this.keeps && isSame(before.layers, layers)));
    const configuration = isKnown ? before.configuration : layers.length === 0 ? base : {};
    own.push({ layers, base, configuration });
    return { isKnown, configuration };
  }
}

function isSame(some: readonly Layer[], others: readonly Layer[]): boolean {
  return some.length === others.length && some.every((layer, index) => layer === others[index]);
}

/** Whether the server looks up the names of its clients, be it for a rule or not. @param layers those in force */
export function looksUpNames(layers: readonly Layer[]): boolean {
  return (keywordOf(settingIn(layers, "hostnamelookups")) ?? "off") !== "off";
}

function layersOf(groups: readonly Group[]): Layer[] {
  return groups.flatMap((group) => group.layers);
}

function heldIn(context: ExpressionContext) {
  return (directive: Directive) => {
    const condition = conditionOf(directive);
    return condition === undefined ? { holds: false } : evaluate(condition, context);
  };
}

/** A module with a check of its own keeps the server from taking what it merged before (`auth_internal_per_conf`). */
function keepsMerged({ modules, release }: Project): boolean {
  return (
    release === "2.2" || !["allowmethods_module", "auth_form_module", "lua_module"].some((each) => modules.has(each))
  );
}
