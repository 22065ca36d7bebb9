import type { Answer } from "../access/answer.js";
import { decide22 } from "../access/decide-22.js";
import { decide24 } from "../access/decide-24.js";
import type { ReadRules } from "../access/merged.js";
import type { AccessState } from "../access/state.js";
import type { Directive } from "../project/directive.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { setEnvironment, setsEarly } from "../scope/environment.js";
import { conditionOf, holds } from "../scope/expression-value.js";
import type { FileTree } from "../scope/files.js";
import { type Layer, settingIn } from "../scope/layer.js";
import { type Mapping, mapUrl } from "../scope/mapping.js";
import { optionsIn } from "../scope/options.js";
import type { Questions } from "../scope/questions.js";
import { environmentOf, type Request } from "../scope/request.js";
import type { Server, Servers } from "../scope/servers.js";
import { normalPath } from "../scope/url.js";
import { type DirectoryWalk, type Group, holdingIfs, type Walks } from "../scope/walk.js";
import { type Broken, refusalOf } from "./broken-files.js";
import { isProgram, servedStatus } from "./served.js";
import type { Watch } from "./watch.js";

/** What one configuration decides by; made ready once. */
export interface Setup {
  readonly project: Project;
  readonly files: FileTree;
  readonly servers: Servers;
  readonly walks: Walks;
  /** The step between merging and deciding. */
  readonly read: ReadRules;
  /** `.htaccess` files that the server refuses whatever is allowed in them. */
  readonly broken: ReadonlyMap<HtaccessFile, Broken>;
}

/** One time that the server goes over a path: the request's own, or that of an index file which it asks itself for. */
export interface Pass {
  readonly request: Request;
  readonly path: string;
  readonly server: Server;
  readonly mapping: Mapping;
  /** Undefined where a Redirect or a backend takes the place of a file. */
  readonly walked: DirectoryWalk | undefined;
  /** Undefined where the answer is given before access is checked. */
  readonly state: AccessState | undefined;
  readonly answer: Answer | undefined;
  /** The DirectoryIndex lines by which the server asked for index files; undefined where it asked for none. */
  readonly index: readonly Directive[] | undefined;
  /** The index files asked for. */
  readonly inner: readonly Pass[];
}

/** What the server answers in one run, with the questions answered in one way. */
export interface Outcome {
  readonly status: number;
  readonly log: readonly string[];
  readonly by: readonly Directive[];
  /** Undefined where the URL itself is refused. */
  readonly pass?: Pass;
}

/** Answers a request as the server does, from the URL to the status (server/request.c `ap_process_request_internal`). */
export function run(setup: Setup, request: Request, questions: Questions, watch?: Watch): Outcome {
  const normal = normalPath(request.path, setup.project.release);
  if ("status" in normal) return { status: normal.status, log: [], by: [] };
  return new Run(setup, setup.servers.serverOf(request, questions), questions, watch).whole(request, normal.path);
}

interface Checked extends Outcome {
  readonly pass: Pass;
}

class Run {
  constructor(
    private readonly setup: Setup,
    private readonly server: Server,
    private readonly questions: Questions,
    private readonly watch: Watch | undefined,
  ) {}

  whole(request: Request, path: string): Checked {
    const checked = this.over(request, path, undefined);
    const { walked, state, answer } = checked.pass;
    if (state === undefined || answer?.status !== undefined || walked?.kind !== "directory") return checked;
    return this.directory(request, state, checked);
  }

  /** What mod_dir makes of a directory: a redirect to the path with a slash, else its index file. */
  private directory(request: Request, state: AccessState, checked: Checked): Checked {
    if (!state.project.modules.has("dir_module")) return this.listing(request, state, checked);
    if (state.path.endsWith("/")) return this.index(request, state, checked);
    const slash = settingIn(state.layers, "directoryslash")?.arguments[0]?.value.toLowerCase();
    return slash === "off" ? this.listing(request, state, checked) : { ...checked, status: 301 };
  }

  /** @param outer the pass over the directory, for an index file of it */
  private over(request: Request, path: string, outer: Pass | undefined): Checked {
    const { setup, server, questions } = this;
    const mapping = mapUrl(path, server, setup.project, questions);
    const walked = mapping.kind === "file" ? setup.walks.directories(mapping.filename, server, questions) : undefined;
    const passOf = (state: AccessState | undefined, answer: Answer | undefined): Pass => {
      return { request, path, server, mapping, walked, state, answer, index: undefined, inner: [] };
    };
    if (mapping.kind === "answered")
      return { status: mapping.status, log: [], by: [mapping.by], pass: passOf(undefined, undefined) };
    if (walked?.refused) {
      const { directive } = refusalOf(walked.refused, walked.layers, setup);
      return { status: 500, log: [], by: directive ? [directive] : [], pass: passOf(undefined, undefined) };
    }
    const state = this.stateOf(request, path, mapping, walked, outer?.state?.env);
    // Whoever has passed the same sections for the directory is not checked anew.
    const isChecked = outer?.answer !== undefined && sameGroups(outer.state?.groups, state.groups);
    const answer = isChecked ? undefined : this.decide(state);
    const status = answer?.status ?? servedStatus(state, mapping, walked);
    const by = answer?.by ?? outer?.answer?.by ?? [];
    return { status, log: answer?.log ?? [], by, pass: passOf(state, answer) };
  }

  private decide(state: AccessState): Answer {
    const { project, read } = this.setup;
    return project.release === "2.4" ? decide24(state, read) : decide22(state, read);
  }

  /** @param inherited the variables of the pass over the directory; lines that set some are not carried out again */
  private stateOf(
    asked: Request,
    path: string,
    mapping: Mapping & { readonly kind: "file" | "proxy" },
    walked: DirectoryWalk | undefined,
    inherited: ReadonlyMap<string, string> | undefined,
  ): AccessState {
    const { setup, questions, watch } = this;
    const { project, files } = setup;
    const request = watch?.request(asked) ?? asked;
    const given = inherited ? new Map(inherited) : environmentOf(request);
    const env = watch?.environment(given) ?? given;
    const groups = this.groupsOf(path, mapping, walked);
    const filename = walked?.filename;
    const serverName = settingIn(groups[0]?.layers ?? [], "servername")?.arguments[0]?.value;
    const context = { request, path, env, user: undefined, filename, serverName, questions };
    const holdsFor = (directive: Directive) => {
      const condition = conditionOf(directive);
      return condition !== undefined && holds(condition, context);
    };
    const setEnv = ({ layers }: Group) => {
      if (inherited) return;
      for (const { directives } of layers) {
        if (directives.some(({ key }) => setsEarly(key)))
          setEnvironment(directives, request, path, env, questions, holdsFor);
      }
    };
    groups.slice(0, 1).forEach(setEnv);
    if (project.release === "2.4") addIfs(groups, holdsFor);
    groups.slice(1).forEach(setEnv);
    const layers = groups.flatMap((group) => group.layers);
    const state = { project, files, request, path, filename, serverName, env, groups, layers, questions };
    return watch ? { ...state, remarks: [] } : state;
  }

  private groupsOf(
    path: string,
    mapping: Mapping & { readonly kind: "file" | "proxy" },
    walked: DirectoryWalk | undefined,
  ): Group[] {
    const { server, questions } = this;
    const { walks } = this.setup;
    const groups: Group[] = [
      { kind: "server", layers: server.main ? [server.main.layer, server.layer] : [server.layer] },
    ];
    if (mapping.kind === "proxy")
      groups.push({ kind: "proxy", layers: walks.proxies(mapping.target, server, questions) });
    if (walked) {
      groups.push({ kind: "directory", layers: walked.layers });
      groups.push({ kind: "files", layers: walks.filesSections(walked.filename, server, walked.layers, questions) });
    }
    groups.push({ kind: "location", layers: walks.locations(path, server, questions) });
    return groups;
  }

  /** A directory is answered by its index file, which is asked for like a request of its own. */
  private index(request: Request, state: AccessState, checked: Checked): Checked {
    const { names, lines } = indexNamesIn(state.layers);
    const inner: Pass[] = [];
    const pass: Pass = { ...checked.pass, inner, index: lines };
    const log = [...checked.log];
    let refused: Checked | undefined;
    for (const name of names) {
      const path = name.startsWith("/") ? name : pass.path + name;
      const asked = this.over({ ...request, method: "GET" }, path, pass);
      inner.push(asked.pass);
      log.push(...asked.log);
      const { mapping, walked } = asked.pass;
      const isThere = asked.status === 200 && (mapping.kind === "proxy" || walked?.kind === "file");
      if (mapping.kind === "answered") return { ...asked, log, pass };
      // The answer is that of the method which was asked for.
      if (isThere && asked.pass.state)
        return { ...asked, status: servedStatus({ ...asked.pass.state, request }, mapping, walked), log, pass };
      if (asked.status >= 300 && asked.status !== 404) refused = asked;
    }
    return refused ? { ...refused, log, pass } : this.listing(request, state, { ...checked, log, pass });
  }

  /** A directory without an index file: a listing where Options has Indexes, else refused (mod_autoindex). */
  private listing({ method }: Request, state: AccessState, checked: Checked): Checked {
    const { project } = this.setup;
    const { mapping, walked } = checked.pass;
    if (walked === undefined || isProgram(state, mapping, walked)) return checked;
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && method !== "POST") return checked;
    if (!isRead || !project.modules.has("autoindex_module")) return { ...checked, status: 404 };
    if (optionsIn(state.layers).has("indexes")) return checked;
    const options = settingIn(state.layers, "options");
    return { ...checked, status: 403, log: [...checked.log, "AH01276"], by: options ? [options] : [] };
  }
}

/** The groups of If sections: those in the sections so far, then those in them, and so on. */
function addIfs(groups: Group[], holdsFor: (section: Directive) => boolean): void {
  for (let layers = groups.flatMap((group) => group.layers); ; ) {
    const inner = holdingIfs(layers, holdsFor);
    if (inner.length === 0) return;
    groups.push({ kind: "if", layers: inner });
    layers = inner;
  }
}

/** The index files in force: several lines of one section add up, and `disabled` alone takes back those before it. */
function indexNamesIn(layers: readonly Layer[]): {
  readonly names: readonly string[];
  readonly lines: readonly Directive[];
} {
  const layer = layers.findLast((each) => each.has("directoryindex"));
  if (layer === undefined) return { names: ["index.html"], lines: [] };
  const lines = layer.directives.filter(({ key }) => key === "directoryindex");
  const words = lines.map((line) => line.arguments.map((word) => word.value));
  const disabled = words.findLastIndex((each) => each.length === 1 && each[0]?.toLowerCase() === "disabled");
  return { names: words.slice(disabled + 1).flat(), lines };
}

function sameGroups(some: readonly Group[] | undefined, others: readonly Group[]): boolean {
  return (
    some?.length === others.length &&
    some.every(
      ({ layers }, index) =>
        layers.length === others[index]?.layers.length &&
        layers.every((layer, at) => layer === others[index]?.layers[at]),
    )
  );
}
