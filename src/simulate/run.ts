import type { Answer } from "../access/answer.js";
import { decide22 } from "../access/decide-22.js";
import { decide24 } from "../access/decide-24.js";
import type { ReadRules } from "../access/merged.js";
import type { AccessState } from "../access/state.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { lateVariables } from "../scope/environment.js";
import type { FileTree } from "../scope/files.js";
import { isMalformedHost } from "../scope/host-header.js";
import { type Layer, settingIn } from "../scope/layer.js";
import { type Mapping, mapUrl, redirectedInSections } from "../scope/mapping.js";
import { optionsIn } from "../scope/options.js";
import type { Questions } from "../scope/questions.js";
import { environmentOf, innerRequest, type Request } from "../scope/request.js";
import { RequestWalk, type Url } from "../scope/request-walk.js";
import type { Server, Servers } from "../scope/servers.js";
import { normalPath, slashRulesIn } from "../scope/url.js";
import type { DirectoryWalk, Walks } from "../scope/walk.js";
import { refusalOf } from "./broken-files.js";
import { type Answerer, answererOf, cgiFault, hasHandler, servedStatus } from "./served.js";
import type { Watch } from "./watch.js";

/** What one configuration decides by; made ready once. */
export interface Setup {
  readonly project: Project;
  readonly files: FileTree;
  readonly servers: Servers;
  readonly walks: Walks;
  /** The step between merging and deciding. */
  readonly read: ReadRules;
}

/** One time that the server goes over a path: the request's own, or that of an index file which it asks itself for. */
export interface Pass {
  readonly request: Request;
  readonly path: string;
  readonly server: Server;
  readonly mapping: Mapping;
  readonly walk: RequestWalk;
  /** The redirect in a section that answers once access is granted. */
  readonly redirect: (Mapping & { readonly kind: "answered" }) | undefined;
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
  readonly answeredBy?: Answerer | undefined;
  /** What was in force when the answer was given. */
  readonly layers: readonly Layer[];
  /** Undefined where the URL itself is refused. */
  readonly pass?: Pass;
  /** The pass over what is served in the end, where access is granted. */
  readonly served?: Pass;
}

/** Answers a request as the server does, from the URL to the status (server/request.c `ap_process_request_internal`). */
export function run(setup: Setup, request: Request, questions: Questions, watch?: Watch): Outcome {
  const { release } = setup.project;
  const isMalformed = release === "2.4" && isMalformedHost(request.host);
  const { host: _, ...unnamed } = request;
  const server = setup.servers.serverOf(isMalformed ? unnamed : request, questions);
  const levels = server.main ? [server.main.layer, server.layer] : [server.layer];
  if (isMalformed) return { status: 400, log: [], by: [], layers: levels };
  const normal = normalPath(request.path, release, slashRulesIn(levels));
  if ("status" in normal) return { status: normal.status, log: [], by: [], layers: levels };
  return new Run(setup, server, questions, watch).whole(request, normal);
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

  whole(request: Request, url: Url): Checked {
    const checked = this.over(request, url, undefined);
    const { walked, state, answer, redirect } = checked.pass;
    if (state === undefined || answer?.status !== undefined || redirect) return checked;
    return walked?.kind === "directory"
      ? this.directory(request, state, checked)
      : serve(request, checked, checked.pass);
  }

  /** What mod_dir makes of a directory: a redirect to the path with a slash, else its index file. */
  private directory(request: Request, state: AccessState, checked: Checked): Checked {
    if (!state.project.modules.has("dir_module")) return this.listing(request, state, checked);
    if (state.path.endsWith("/"))
      return isLeftToHandler(checked.pass)
        ? serve(request, checked, checked.pass)
        : this.index(request, state, checked);
    const slashed = this.slashed(checked);
    return slashed === checked ? this.listing(request, state, checked) : slashed;
  }

  /** A directory asked for without a slash is redirected to the path with one. */
  private slashed(checked: Checked): Checked {
    const { walked, state, answer, redirect } = checked.pass;
    if (walked?.kind !== "directory" || !state || answer?.status !== undefined || redirect || state.path.endsWith("/"))
      return checked;
    const slash = settingIn(state.layers, "directoryslash")?.arguments[0]?.value.toLowerCase();
    return slash === "off" ? checked : { ...checked, status: 301 };
  }

  /** @param outer the pass over the directory, for an index file of it */
  private over(asked: Request, url: Url, outer: Pass | undefined): Checked {
    const { setup, server, questions, watch } = this;
    const { project, files, walks } = setup;
    const { path } = url;
    const request = watch?.request(asked, outer === undefined) ?? asked;
    const given = outer?.state
      ? new Map([...lateVariables(outer.state.layers), ...outer.state.env])
      : environmentOf(request);
    const env = watch?.environment(given) ?? given;
    const walk = new RequestWalk({ project, walks, server, questions }, request, url, env, outer?.walk);
    const levels = server.main ? [server.main.layer, server.layer] : [server.layer];
    const early = walk.early();
    const mapping = mapUrl(path, server, project, questions, early);
    const isTraced = request.method === "TRACE" && mapping.kind === "file";
    const walked =
      mapping.kind === "file" && !isTraced
        ? walks.directories(mapping.filename, server, questions, outer?.walked)
        : undefined;
    const passOf = (state?: AccessState, answer?: Answer, redirect?: Pass["redirect"]): Pass => {
      const more = { state, answer, redirect, index: undefined, inner: [] };
      return { request: asked, path, server, mapping, walk, walked, ...more };
    };
    if (mapping.kind === "answered")
      return { status: mapping.status, log: [], by: [mapping.by], layers: [...levels, ...early], pass: passOf() };
    // A request to be traced back is answered before any directory is looked at, unless a backend does so.
    if (isTraced) {
      const off = traceOff(server);
      return { status: off ? 405 : 200, log: [], by: off ? [off] : [], layers: levels, pass: passOf() };
    }
    if (walked?.refused) {
      const { directive } = refusalOf(walked.refused, walked.layers, setup);
      return { status: 500, log: [], by: directive ? [directive] : [], layers: levels, pass: passOf() };
    }
    if (walked?.isTooLong) return { status: 403, log: ["AH00036"], by: [], layers: levels, pass: passOf() };
    const { groups, layers, filename, names } = walk.late(mapping, walked);
    const base = { project, files, request, path, filename, env, groups, layers, questions, ...names };
    const state: AccessState = watch ? { ...base, remarks: [] } : base;
    // Whoever has passed the same sections for the directory is not checked anew.
    const isChecked = outer?.answer !== undefined && walk.isAsOutside;
    const answer = isChecked ? undefined : this.decide(state);
    const log = answer?.log ?? [];
    const by = answer?.by ?? outer?.answer?.by ?? [];
    if (answer?.status !== undefined) return { status: answer.status, log, by, layers, pass: passOf(state, answer) };
    const sections = groups.flatMap((group) => (group.kind === "server" ? [] : group.layers));
    const redirect = redirectedInSections(sections, path, questions);
    if (redirect)
      return { status: redirect.status, log, by: [redirect.by], layers, pass: passOf(state, answer, redirect) };
    return { status: 200, log, by, layers, pass: passOf(state, answer) };
  }

  private decide(state: AccessState): Answer {
    const { project, read } = this.setup;
    return project.release === "2.4" ? decide24(state, read) : decide22(state, read);
  }

  /** A directory is answered by its index file, which is asked for like a request of its own. */
  private index(request: Request, state: AccessState, checked: Checked): Checked {
    const { names, lines } = indexNamesIn(state.layers);
    const inner: Pass[] = [];
    const pass: Pass = { ...checked.pass, inner, index: lines };
    const log = [...checked.log];
    let refused: Checked | undefined;
    const leads = indexRedirect(state.layers);
    for (const name of names) {
      const path = name.startsWith("/") ? name : pass.path + name;
      const asked = this.slashed(this.over(innerRequest(request), { path, escaped: path }, pass));
      inner.push(asked.pass);
      log.push(...asked.log);
      const { mapping, walked } = asked.pass;
      const isThere = asked.status === 200 && (mapping.kind === "proxy" || walked?.kind === "file");
      if (asked.status >= 300 && asked.status < 400) return { ...asked, log, pass };
      if (isThere && leads !== undefined) return { ...checked, status: leads, log, pass };
      if (isThere) return serve(request, { ...asked, log, pass }, asked.pass);
      if (asked.status >= 300 && asked.status !== 404) refused = asked;
    }
    return refused ? { ...refused, log, pass } : this.listing(request, state, { ...checked, log, pass });
  }

  /** A directory without an index file: a listing where Options has Indexes, else refused (mod_autoindex). */
  private listing(request: Request, state: AccessState, checked: Checked): Checked {
    const { mapping, walked } = checked.pass;
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isElse = walked === undefined || hasHandler(state, mapping, walked);
    if (isElse || !isRead || !this.setup.project.modules.has("autoindex_module"))
      return serve(request, checked, checked.pass);
    if (optionsIn(state.layers).has("indexes")) return { ...checked, answeredBy: "listing" };
    const options = settingIn(state.layers, "options");
    return { ...checked, status: 403, log: [...checked.log, "AH01276"], by: options ? [options] : [] };
  }
}

/** The line that switches TRACE off, if one does. */
function traceOff({ main, layer }: Server): Directive | undefined {
  const line = settingIn(main ? [main.layer, layer] : [layer], "traceenable");
  return line?.arguments[0]?.value.toLowerCase() === "off" ? line : undefined;
}

/** DirectoryCheckHandler: a directory with a handler is not asked for index files. */
function isLeftToHandler({ state, mapping, walked }: Pass): boolean {
  const word = settingIn(state?.layers ?? [], "directorycheckhandler")?.arguments[0]?.value.toLowerCase();
  return word === "on" && state !== undefined && walked !== undefined && hasHandler(state, mapping, walked);
}

/** The status by which DirectoryIndexRedirect leads to an index file instead of answering with it. */
function indexRedirect(layers: readonly Layer[]): number | undefined {
  const word = settingIn(layers, "directoryindexredirect")?.arguments[0]?.value.toLowerCase() ?? "off";
  if (word === "off") return undefined;
  if (/^\d/.test(word)) return Number.parseInt(word, 10);
  return word === "permanent" ? 301 : word === "seeother" ? 303 : 302;
}

/** What comes of it once access is granted. @param request whose method is answered, be it by an index file */
function serve(request: Request, checked: Checked, served: Pass): Checked {
  const { mapping, walked } = served;
  if (served.state === undefined) return checked;
  const state = { ...served.state, request };
  const off = mapping.kind === "proxy" && request.method === "TRACE" ? traceOff(served.server) : undefined;
  if (off) return { ...checked, status: 405, log: [...checked.log, "AH01139"], by: [off], served };
  const fault = cgiFault(state, mapping, walked);
  if (fault) return { ...checked, status: fault.status, log: [...checked.log, fault.code], served };
  const answeredBy = answererOf(state, mapping, walked);
  return { ...checked, status: servedStatus(state, mapping, walked), answeredBy, served };
}

/** The index files in force: several lines of one section add up, and `disabled` alone takes back those before it. */
export function indexNamesIn(layers: readonly Layer[]): {
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
