import type { Answer } from "../access/answer.js";
import { decide22 } from "../access/decide-22.js";
import { decide24 } from "../access/decide-24.js";
import type { ReadRules } from "../access/merged.js";
import type { AccessState } from "../access/state.js";
import type { Directive } from "../project/directive.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { lateVariables } from "../scope/environment.js";
import type { FileTree } from "../scope/files.js";
import { type Layer, settingIn } from "../scope/layer.js";
import { type Mapping, mapUrl, redirectedInSections } from "../scope/mapping.js";
import { optionsIn } from "../scope/options.js";
import type { Questions } from "../scope/questions.js";
import { environmentOf, innerRequest, type Request, rewrittenRequest } from "../scope/request.js";
import { RequestWalk, type Url } from "../scope/request-walk.js";
import type { Rewriting } from "../scope/rewriting/rewriting.js";
import type { Server, Servers } from "../scope/servers.js";
import { normalPath, slashRulesIn } from "../scope/url.js";
import type { DirectoryWalk, Walks } from "../scope/walk.js";
import { type Broken, refusalOf } from "./broken-files.js";
import { type OnItsWay, rewrittenInSections, rewrittenUrl, userOf } from "./rewriting.js";
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

/**
 * One time that the server goes over a path: the request's own, that of an index file which it asks itself for, or that of
 * a URL which rewriting led to behind access control.
 */
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
  /** What the server's own rules made of the URL, and what those of sections made of the file. */
  readonly rewriting: { readonly url?: Rewriting | undefined; readonly sections?: Rewriting | undefined };
  /** Whether access was let pass, and who came in by then. */
  readonly isLetIn: boolean;
  readonly user: ReturnType<typeof userOf>;
  /** The pass over the URL that rewriting led to, and the line that did. */
  readonly next?: { readonly by: Directive; readonly pass: Pass };
  /** What the server writes into its error log where it gives up. */
  readonly complaint?: string;
}

/** A pass and all that come out of it, in their order. */
export function passesOf(pass: Pass): readonly Pass[] {
  return [pass, ...pass.inner, ...(pass.next ? passesOf(pass.next.pass) : [])];
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
  const server = setup.servers.serverOf(request, questions);
  const levels = server.main ? [server.main.layer, server.layer] : [server.layer];
  const normal = normalPath(request.path, setup.project.release, slashRulesIn(levels));
  if ("status" in normal) return { status: normal.status, log: [], by: [] };
  return new Run(setup, server, questions, watch).whole(request, normal);
}

interface Checked extends Outcome {
  readonly pass: Pass;
  /** Another URL that is asked for in place of what was found. */
  readonly onward?: Onward | undefined;
}

interface Onward {
  readonly path: string;
  readonly query: string | undefined;
  readonly by: Directive;
  readonly isEnded: boolean;
  /** What comes before it. */
  readonly from: Pass;
}

/** What a pass comes after: that over the directory of an index file, or that over the URL that was rewritten. */
interface Before {
  readonly outer?: Pass;
  readonly previous?: Pass;
  /** No rule of rewriting is looked at any more. */
  readonly isEnded?: boolean;
}

class Run {
  constructor(
    private readonly setup: Setup,
    private readonly server: Server,
    private readonly questions: Questions,
    private readonly watch: Watch | undefined,
  ) {}

  whole(request: Request, url: Url): Checked {
    return this.settled(this.over(request, url), 0);
  }

  /** @param redirects how many URLs rewriting has led to before */
  private settled(checked: Checked, redirects: number): Checked {
    const { walked, state, redirect, isLetIn, request } = checked.pass;
    if (state === undefined || !isLetIn || redirect) return checked;
    const found = walked?.kind === "directory" ? this.directory(request, state, checked) : checked;
    return found.onward ? this.led(found, found.onward, redirects) : found;
  }

  /** Goes over the URL that rules behind access control led to (modules/http/http_request.c `ap_internal_redirect`). */
  private led(found: Checked, onward: Onward, redirects: number): Checked {
    const checked = this.asked(found, onward, redirects);
    return { ...checked, status: leftStatus(onward.from) ?? checked.status };
  }

  private asked(found: Checked, { path, query, by, isEnded, from }: Onward, redirects: number): Checked {
    const { server, setup } = this;
    const { pass, log } = found;
    const levels = server.main ? [server.main.layer, server.layer] : [server.layer];
    const limit = Number.parseInt(settingIn(levels, "limitinternalrecursion")?.arguments[0]?.value ?? "10", 10);
    if (redirects >= (limit || MOST_REDIRECTS)) {
      if (setup.project.release === "2.2") return { status: 500, log, by: [by], pass };
      const complaint = `AH00124: Request exceeded the limit of ${limit} internal redirects due to probable configuration error. Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.`;
      return { status: 500, log: [...log, "AH00124"], by: [by], pass: { ...pass, complaint } };
    }
    // It is read like one that a client sends: escapes are resolved once more.
    const [, bare = "", rest] = /^([^?#]*)(?:\?([^#]*))?/.exec(query === undefined ? path : `${path}?${query}`) ?? [];
    const url = normalPath(bare, setup.project.release, slashRulesIn(levels));
    if ("status" in url) return { status: url.status, log, by: [by], pass };
    const request = rewrittenRequest(pass.request, bare, rest);
    const last = this.settled(this.over(request, url, { previous: from, isEnded }), redirects + 1);
    return { ...last, log: [...log, ...last.log], pass: { ...pass, next: { by, pass: last.pass } } };
  }

  /** What mod_dir makes of a directory: a redirect to the path with a slash, else its index file. */
  private directory(request: Request, state: AccessState, checked: Checked): Checked {
    const rest = () => (checked.onward ? checked : this.listing(request, state, checked));
    if (!state.project.modules.has("dir_module")) return rest();
    if (state.path.endsWith("/")) return checked.onward ? checked : this.index(request, state, checked);
    const slashed = this.slashed(checked);
    return slashed === checked ? rest() : slashed;
  }

  /** A directory asked for without a slash is redirected to the path with one. */
  private slashed(checked: Checked): Checked {
    const { walked, state, isLetIn, redirect } = checked.pass;
    if (walked?.kind !== "directory" || !state || !isLetIn || redirect || state.path.endsWith("/")) return checked;
    const slash = settingIn(state.layers, "directoryslash")?.arguments[0]?.value.toLowerCase();
    return slash === "off" ? checked : { ...checked, status: 301, onward: undefined };
  }

  private over(asked: Request, url: Url, before: Before = {}): Checked {
    const { setup, server, questions, watch } = this;
    const { project, files, walks } = setup;
    const { outer, previous } = before;
    const prior = outer ?? previous;
    const watched = (each: Request) => watch?.request(each) ?? each;
    const given = environmentBehind(asked, before);
    const env = watch?.environment(given) ?? given;
    const around = { project, walks, server, questions };
    const walk = new RequestWalk(around, watched(asked), url, env, outer?.walk, prior?.walk);
    const early = walk.early();
    const way = { project, files, questions, server, env, walk };
    const ofUrl = before.isEnded ? undefined : rewrittenUrl({ ...way, request: asked, path: url.path }, early);
    const to = ofUrl?.to;
    const path = to?.kind === "passed" ? to.path : url.path;
    const own =
      ofUrl && (ofUrl.query !== asked.query || to?.kind === "passed")
        ? rewrittenRequest(asked, asked.path, ofUrl.query)
        : asked;
    const request = watched(own);
    if (own !== asked) walk.leadTo(request, path);
    const mapping = mappedBy(to) ?? mapUrl(path, server, project, questions, early);
    const isTraced = request.method === "TRACE" && mapping.kind === "file";
    const walked =
      mapping.kind === "file" && !isTraced
        ? walks.directories(mapping.filename, server, questions, prior?.walked)
        : undefined;
    const passOf = (more: Partial<Pass> = {}): Pass => ({
      ...{
        request: own,
        path,
        server,
        mapping,
        walk,
        walked,
        redirect: undefined,
        state: undefined,
        answer: undefined,
      },
      ...{ index: undefined, inner: [], rewriting: { url: ofUrl }, isLetIn: false, user: undefined, ...more },
    });
    if (mapping.kind === "answered")
      return {
        status: mapping.status,
        log: to?.kind === "answered" ? codesOf(to.log) : [],
        by: [mapping.by],
        pass: passOf(),
      };
    // A request to be traced back is answered before any directory is looked at, unless a backend does so.
    if (isTraced) return { status: 200, log: [], by: [], pass: passOf() };
    if (walked?.refused) {
      const { directive } = refusalOf(walked.refused, walked.layers, setup);
      return { status: 500, log: [], by: directive ? [directive] : [], pass: passOf() };
    }
    if (walked?.unfollowed) {
      const options = settingIn([...walk.ofServer, ...walked.layers], "options");
      const log = project.release === "2.4" ? [walked.unfollowed] : [];
      return { status: 403, log, by: options ? [options] : [], pass: passOf() };
    }
    const { groups, layers, filename, names } = walk.late(mapping, walked);
    const base = { project, files, request, path, filename, env, groups, layers, questions, ...names };
    const state: AccessState = watch ? { ...base, remarks: [] } : base;
    // Whoever has passed the same sections for the directory or the URL before is not checked anew.
    const isChecked = prior?.isLetIn === true && walk.isAsBefore;
    const answer = isChecked ? undefined : this.decide(state);
    const log = answer?.log ?? [];
    if (answer?.status !== undefined)
      return { status: answer.status, log, by: answer.by, pass: passOf({ state, answer }) };
    const by = answer?.by ?? prior?.answer?.by ?? [];
    const user = isChecked ? prior.user : userOf(answer, own, project);
    const isEnded = before.isEnded === true || ofUrl?.ends === true;
    const letIn = { state, answer, user, isLetIn: true };
    return this.fixedUp({ ...way, request: own, path }, passOf(letIn), { log, by, isEnded });
  }

  /** What comes behind access control: rules and redirects in sections, else what is served. */
  private fixedUp(
    way: OnItsWay,
    pass: Pass,
    {
      log,
      by,
      isEnded,
    }: { readonly log: readonly string[]; readonly by: readonly Directive[]; readonly isEnded: boolean },
  ): Checked {
    const { state, mapping, walked, user, path } = pass;
    if (state === undefined || mapping.kind === "answered") return { status: 200, log, by, pass };
    const { groups, layers, questions } = state;
    const inSections = isEnded ? undefined : rewrittenInSections(way, { groups, layers, mapping, walked, user });
    const rewriting = { ...pass.rewriting, sections: inSections };
    const to = inSections?.to;
    if (to?.kind === "answered") {
      const redirect = { kind: "answered", status: to.status, by: to.by } as const;
      return {
        status: to.status,
        log: [...log, ...codesOf(to.log)],
        by: [to.by],
        pass: { ...pass, rewriting, redirect },
      };
    }
    const sections = groups.flatMap((group) => (group.kind === "server" ? [] : group.layers));
    const redirect = redirectedInSections(sections, path, questions);
    if (redirect) return { status: redirect.status, log, by: [redirect.by], pass: { ...pass, rewriting, redirect } };
    const behind = { ...pass, rewriting };
    const onward =
      to?.kind === "redirected"
        ? {
            path: to.path,
            query: inSections?.query,
            by: to.by,
            isEnded: isEnded || inSections?.ends === true,
            from: behind,
          }
        : undefined;
    const status = to ? 200 : servedStatus(state, mapping, walked);
    return { status: status === 200 ? (leftStatus(behind) ?? 200) : status, log, by, pass: behind, onward };
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
    for (const name of names) {
      const path = name.startsWith("/") ? name : pass.path + name;
      const asked = this.slashed(this.over(innerRequest(request), { path, escaped: path }, { outer: pass }));
      inner.push(asked.pass);
      log.push(...asked.log);
      const { mapping, walked, rewriting } = asked.pass;
      const isHandedOn = mapping.kind === "proxy" || rewriting.sections?.to?.kind === "mapped";
      const isThere = asked.status === 200 && (isHandedOn || walked?.kind === "file");
      if (asked.status >= 300 && asked.status < 400) return { ...asked, log, pass };
      // The answer is that of the method which was asked for.
      if (isThere && asked.pass.state) {
        const status = isHandedOn ? 200 : servedStatus({ ...asked.pass.state, request }, mapping, walked);
        return { ...asked, status, log, pass };
      }
      if (asked.status >= 300 && asked.status !== 404) refused = asked;
    }
    return refused ? { ...refused, log, pass } : this.listing(request, state, { ...checked, log, pass });
  }

  /** A directory without an index file: a listing where Options has Indexes, else refused (mod_autoindex). */
  private listing({ method }: Request, state: AccessState, checked: Checked): Checked {
    const { project } = this.setup;
    const { mapping, walked, rewriting } = checked.pass;
    if (walked === undefined || rewriting.sections?.to || isProgram(state, mapping, walked)) return checked;
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && method !== "POST") return checked;
    if (!isRead || !project.modules.has("autoindex_module")) return { ...checked, status: 404 };
    if (optionsIn(state.layers).has("indexes")) return checked;
    const options = settingIn(state.layers, "options");
    return { ...checked, status: 403, log: [...checked.log, "AH01276"], by: options ? [options] : [] };
  }
}

/** The status that stays where all goes well; and of what comes behind an internal redirect whatever it is. */
function leftStatus({ rewriting: { url, sections } }: Pass): number | undefined {
  return sections?.leftStatus ?? url?.leftStatus;
}

/** Where LimitInternalRecursion sets no limit, the server goes on until something breaks. */
const MOST_REDIRECTS = 100;

/** The numbers of some messages; some have none. */
function codesOf(messages: readonly string[]): readonly string[] {
  return messages.flatMap((message) => /^AH\d{5}/.exec(message)?.[0] ?? []);
}

function mappedBy(to: Rewriting["to"]): Mapping | undefined {
  if (to?.kind === "mapped") return to.mapping;
  if (to?.kind === "answered") return { kind: "answered", status: to.status, by: to.by };
  return to?.kind === "passed" && !to.path.startsWith("/") ? { kind: "answered", status: 400, by: to.by } : undefined;
}

/**
 * The variables that a pass starts with: an index file has those of its directory; for a URL that rewriting led to, those
 * from before are called `REDIRECT_…` (`rename_original_env`).
 */
function environmentBehind(request: Request, { outer, previous }: Before): Map<string, string> {
  if (outer?.state) return new Map([...lateVariables(outer.state.layers), ...outer.state.env]);
  const env = environmentOf(request);
  if (previous?.state === undefined) return env;
  for (const [name, value] of [...lateVariables(previous.state.layers), ...previous.state.env])
    env.set(`redirect_${name}`, value);
  return env.set("redirect_status", "200");
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
