import type { Answer } from "../access/answer.js";
import { decide22 } from "../access/decide-22.js";
import { decide24 } from "../access/decide-24.js";
import type { AccessState } from "../access/state.js";
import { leaveToPrograms } from "../scope/deciding-programs.js";
import { settingIn } from "../scope/layer.js";
import type { Mapping } from "../scope/mapping.js";
import { isMethod, type Request, requestLineOf } from "../scope/request.js";
import type { Url } from "../scope/request-walk.js";
import { leaveBackend, leaveToEnvironment } from "../scope/unset-words.js";
import type { DirectoryWalk } from "../scope/walk.js";
import { leaveToFiles, refusalOf } from "./broken-files.js";
import { fixUp } from "./fixups.js";
import { type Before, type Checked, leftStatus, type Pass, type Run, type Setup } from "./pass.js";
import { codesOf, userOf } from "./rewriting.js";
import { traceOff } from "./served.js";
import { type Mapped, mapRequest } from "./url-mapping.js";

/**
 * Goes over a path as far as access control and what comes right behind it: from the URL to a file, and from there to who
 * may have it (server/request.c `ap_process_request_internal`). The status is 200 where something is to be served.
 */
export function overPath(run: Run, asked: Request, url: Url, before: Before = {}): Checked {
  const mapped = mapRequest(run, asked, url, before);
  const { mapping } = mapped;
  if (mapping.kind === "answered") return answered(run, mapped, mapping);
  if (mapping.kind === "proxy") {
    leaveBackend(mapping, run.server, run.setup.project, run.questions);
    return overAccess(run, mapped, mapping, undefined, before);
  }
  // A request to be traced back is answered before any directory is looked at, unless a backend does so.
  if (isMethod(mapped.request, "TRACE")) return tracedBack(run, mapped);
  const { outer, previous = outer } = before;
  const walked = run.setup.walks.directories(mapping.filename, run.server, run.questions, previous?.walked);
  leaveToFiles(walked.htaccess, run.setup.project, run.questions);
  return stopped(run, mapped, walked) ?? overAccess(run, mapped, mapping, walked, before);
}

/** What a pass over a path may have come to. */
type Findings = Partial<Pick<Pass, "walked" | "state" | "answer" | "user" | "isLetIn">>;

function passOf({ server }: Run, { way, mapping, rewriting }: Mapped, found: Findings = {}): Pass {
  const { request, path, walk } = way;
  const { walked, state, answer, user, isLetIn = false } = found;
  // Written out, for it is made for every request.
  return {
    request,
    path,
    server,
    mapping,
    walk,
    rewriting: { url: rewriting },
    isEnded: false,
    walked,
    state,
    answer,
    user,
    isLetIn,
    redirect: undefined,
    index: undefined,
    inner: [],
  };
}

/** A Redirect or a rule answers in place of what the URL would lead to. */
function answered(run: Run, mapped: Mapped, { status, by }: Mapping & { readonly kind: "answered" }): Checked {
  const { way, early, rewriting } = mapped;
  const to = rewriting?.to;
  const complaint =
    to?.kind === "passed" && way.project.release === "2.4" ? invalidUri(to.path, way.request) : undefined;
  const complaints = complaint ? [complaint] : [];
  const log = codesOf([...(to?.kind === "answered" ? to.log : []), ...complaints]);
  const pass = { ...passOf(run, mapped), complaints };
  return { status, log, by: [by], layers: early.layers, pass };
}

/** What the server says of a path that rules passed on and that is none (server/core.c `ap_core_translate`). */
function invalidUri(path: string, request: Request): string | undefined {
  return path.startsWith("/") ? undefined : `AH00126: Invalid URI in request '${path}' '${requestLineOf(request)}'`;
}

function tracedBack(run: Run, mapped: Mapped): Checked {
  const layers = mapped.way.walk.ofServer;
  const off = traceOff(layers);
  const pass = passOf(run, mapped);
  return { status: off ? 405 : (leftStatus(pass) ?? 200), log: [], by: off ? [off] : [], layers, pass };
}

/** What ends the walk to a file: a `.htaccess` file, a name, or a link that the server does not take. */
function stopped(run: Run, mapped: Mapped, walked: DirectoryWalk): Checked | undefined {
  const { setup, questions } = run;
  const { walk } = mapped.way;
  const code = walked.isTooLong ? "AH00036" : walked.unfollowed;
  if (walked.refused === undefined && code === undefined) return undefined;
  leaveToEnvironment(walked.layers, setup.project, questions);
  const ending = { layers: walk.ofServer, pass: passOf(run, mapped, { walked }) };
  if (walked.refused) {
    const { directive } = refusalOf(walked.refused, setup);
    return { status: 500, log: [], by: directive ? [directive] : [], ...ending };
  }
  const options = walked.unfollowed && settingIn([...walk.ofServer, ...walked.layers], "options");
  const log = setup.project.release === "2.4" && code !== undefined ? [code] : [];
  return { status: 403, log, by: options ? [options] : [], ...ending };
}

function overAccess(
  run: Run,
  mapped: Mapped,
  mapping: Mapping & { readonly kind: "file" | "proxy" },
  walked: DirectoryWalk | undefined,
  { outer, previous = outer, isEnded = false }: Before,
): Checked {
  const { setup, questions, watch } = run;
  const { way, request } = mapped;
  const { project, files, path, env, walk } = way;
  const { config, filename, names } = walk.late(mapping, walked);
  const { groups, layers } = config;
  leaveToPrograms(layers, project, questions);
  leaveToEnvironment(layers, project, questions);
  const base = { project, files, request, path, filename, env, config, groups, layers, questions, names };
  const state: AccessState = watch ? { ...base, remarks: [] } : base;
  // Whoever has passed the same sections for the directory or the URL before is not checked anew.
  const isChecked = previous?.isLetIn === true && walk.isAsBefore;
  const answer = isChecked ? undefined : decide(setup, state);
  const log = answer?.log ?? [];
  if (answer?.status !== undefined) {
    const pass = passOf(run, mapped, { walked, state, answer });
    return { status: answer.status, log, by: answer.by, layers, pass };
  }
  const user = isChecked ? previous.user : userOf(answer, way.request, project);
  const pass = passOf(run, mapped, { walked, state, answer, user, isLetIn: true });
  const letIn = { status: 200, log, by: answer?.by ?? previous?.answer?.by ?? [], layers, pass };
  const ends = isEnded || mapped.rewriting?.ends === true;
  return fixUp(way, letIn, { config, mapping, walked, user }, ends);
}

function decide({ project, read }: Setup, state: AccessState): Answer {
  return project.release === "2.4" ? decide24(state, read) : decide22(state, read);
}
