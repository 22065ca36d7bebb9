import { decide22 } from "../../access/decide/decide-22.js";
import { decide24 } from "../../access/decide/decide-24.js";
import type { AccessResult, AccessState } from "../../access/model/access-state.js";
import { findSectionRedirect } from "../../httpd/mapping/redirects.js";
import type { UrlMapping } from "../../httpd/mapping/url-mapping.js";
import { findSetting } from "../../httpd/model/config-layer.js";
import { isMethod, type Request, requestLineOf } from "../../httpd/model/request.js";
import {
  markProgramsUndecidable,
  markUndefinedBackend,
  markUndefinedVariables,
} from "../../httpd/sections/undecidable-lines.js";
import type { DirectoryWalk } from "../../httpd/walk/directory-walk.js";
import type { NormalizedUrl } from "../../httpd/walk/request-walk.js";
import { explainHtaccessRefusal, markUndecidableFiles } from "../inputs/refused-lines.js";
import {
  type ParentPass,
  type Pass,
  type PassResult,
  type RequestContext,
  rewriteStatusOf,
  type SimulationSetup,
} from "../model/request-context.js";
import { backendOf, checkBackendUrl, findTraceOff, refuseBackend } from "./handler.js";
import {
  type AuthorizedRequest,
  applySectionRewrite,
  type MappedRequest,
  mapRequest,
  messageCodesOf,
  type RewriteInput,
  rewriteUserOf,
} from "./url-mapping.js";

/**
 * Goes over a path as far as access control and what comes right behind it: from the URL to a file, and from there to who
 * may have it (server/request.c `ap_process_request_internal`). The status is 200 where something is to be served.
 */
export function runPathPass(
  run: RequestContext,
  asked: Request,
  url: NormalizedUrl,
  before: ParentPass = {},
): PassResult {
  const mapped = mapRequest(run, asked, url, before);
  const { mapping } = mapped;
  if (mapping.kind === "answered") return answerMapped(run, mapped, mapping);
  if (mapping.kind === "proxy") {
    markUndefinedBackend(mapping, run.server, run.setup.project, run.questions);
    return runAccessPhase(run, mapped, mapping, undefined, before);
  }
  // A request to be traced back is answered before any directory is looked at, unless a backend does so.
  if (isMethod(mapped.request, "TRACE")) return answerTrace(run, mapped);
  const { outer, previous = outer } = before;
  const walked = run.setup.walks.walkDirectories(mapping.filename, run.server, run.questions, previous?.walked);
  markUndecidableFiles(walked.htaccess, run.setup.project, run.questions);
  return stopWalk(run, mapped, walked) ?? runAccessPhase(run, mapped, mapping, walked, before);
}

/** What a pass over a path may have come to. */
type PassFacts = Partial<Pick<Pass, "walked" | "state" | "answer" | "user" | "isAuthorized">>;

function passOf({ server }: RequestContext, { input, mapping, rewriting }: MappedRequest, found: PassFacts = {}): Pass {
  const { request, path, walk } = input;
  const { walked, state, answer, user, isAuthorized = false } = found;
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
    isAuthorized,
    redirect: undefined,
    index: undefined,
    inner: [],
  };
}

/** A Redirect or a rule answers in place of what the URL would lead to. */
function answerMapped(
  run: RequestContext,
  mapped: MappedRequest,
  { status, by }: UrlMapping & { readonly kind: "answered" },
): PassResult {
  const { input, early, rewriting } = mapped;
  const to = rewriting?.to;
  const complaint =
    to?.kind === "passed" && input.project.release === "2.4" ? invalidUriMessage(to.path, input.request) : undefined;
  const complaints = complaint ? [complaint] : [];
  const log = messageCodesOf([...(to?.kind === "answered" ? to.log : []), ...complaints]);
  const pass = { ...passOf(run, mapped), complaints };
  return { status, log, by: [by], layers: early.layers, pass };
}

/** What the server says of a path that rules passed on and that is none (server/core.c `ap_core_translate`). */
function invalidUriMessage(path: string, request: Request): string | undefined {
  return path.startsWith("/") ? undefined : `AH00126: Invalid URI in request '${path}' '${requestLineOf(request)}'`;
}

function answerTrace(run: RequestContext, mapped: MappedRequest): PassResult {
  const layers = mapped.input.walk.serverLayers;
  const off = findTraceOff(layers);
  const pass = passOf(run, mapped);
  return { status: off ? 405 : (rewriteStatusOf(pass) ?? 200), log: [], by: off ? [off] : [], layers, pass };
}

/** What ends the walk to a file: a `.htaccess` file, a name, or a link that the server does not take. */
function stopWalk(run: RequestContext, mapped: MappedRequest, walked: DirectoryWalk): PassResult | undefined {
  const { setup, questions } = run;
  const { walk } = mapped.input;
  const code = walked.isTooLong ? "AH00036" : walked.unfollowed;
  if (walked.refused === undefined && code === undefined) return undefined;
  markUndefinedVariables(walked.layers, setup.project, questions);
  const ending = { layers: walk.serverLayers, pass: passOf(run, mapped, { walked }) };
  if (walked.refused) {
    const { directive } = explainHtaccessRefusal(walked.refused, setup);
    return { status: 500, log: [], by: directive ? [directive] : [], ...ending };
  }
  const options = walked.unfollowed && findSetting([...walk.serverLayers, ...walked.layers], "options");
  const log = setup.project.release === "2.4" && code !== undefined ? [code] : [];
  return { status: 403, log, by: options ? [options] : [], ...ending };
}

function runAccessPhase(
  run: RequestContext,
  mapped: MappedRequest,
  mapping: UrlMapping & { readonly kind: "file" | "proxy" },
  walked: DirectoryWalk | undefined,
  { outer, previous = outer, isEnded = false }: ParentPass,
): PassResult {
  const { setup, questions, recorder } = run;
  const { input, request } = mapped;
  const { project, files, path, env, walk } = input;
  const { config, filename, names } = walk.lateConfig(mapping, walked);
  const { groups, layers } = config;
  markProgramsUndecidable(layers, project, questions);
  markUndefinedVariables(layers, project, questions);
  const base = { project, files, request, path, filename, env, config, groups, layers, questions, names };
  const state: AccessState = recorder ? { ...base, remarks: [] } : base;
  // Whoever has passed the same sections for the directory or the URL before is not checked anew.
  const isChecked = previous?.isAuthorized === true && walk.isSameAsPrevious;
  const answer = isChecked ? undefined : decideAccess(setup, state);
  const log = answer?.log ?? [];
  if (answer?.status !== undefined) {
    const pass = passOf(run, mapped, { walked, state, answer });
    return { status: answer.status, log, by: answer.by, layers, pass };
  }
  const user = isChecked ? previous.user : rewriteUserOf(answer, input.request, project);
  const pass = passOf(run, mapped, { walked, state, answer, user, isAuthorized: true });
  const letIn = { status: 200, log, by: answer?.by ?? previous?.answer?.by ?? [], layers, pass };
  const ends = isEnded || mapped.rewriting?.ends === true;
  return runFixups(input, letIn, { config, mapping, walked, user }, ends);
}

function decideAccess({ project, read }: SimulationSetup, state: AccessState): AccessResult {
  return project.release === "2.4" ? decide24(state, read) : decide22(state, read);
}

/**
 * What the rules and Redirects of sections make of a request that was let in (the `fixups` hooks): they answer it, lead it to
 * another URL, or leave it to be served.
 *
 * @param isEnded whether no rule of rewriting is looked at any more
 */
function runFixups(way: RewriteInput, checked: PassResult, letIn: AuthorizedRequest, isEnded: boolean): PassResult {
  const { log } = checked;
  const sections = isEnded ? undefined : applySectionRewrite(way, letIn);
  const to = sections?.to;
  const isLast = isEnded || sections?.ends === true;
  const { url } = checked.pass.rewriting;
  const pass = sections || isLast ? { ...checked.pass, rewriting: { url, sections }, isEnded: isLast } : checked.pass;
  if (to?.kind === "answered") {
    const redirect = { kind: "answered", status: to.status, by: to.by } as const;
    const answered = { status: to.status, log: [...log, ...messageCodesOf(to.log)], by: [to.by] };
    return { ...checked, ...answered, pass: { ...pass, redirect } };
  }
  const backend = backendOf(pass);
  const fault = backend && checkBackendUrl(backend, way.project, way.walk.serverLayers);
  if (backend && fault) {
    const redirect = { kind: "answered", status: fault.status, by: backend.by } as const;
    return refuseBackend({ ...checked, pass: { ...pass, redirect } }, fault, backend.by);
  }
  const user = letIn.user === "unknown" ? undefined : letIn.user;
  const textOf = (text: string) => way.walk.textOf(text, letIn.config, letIn.walked?.filename, user);
  const redirect = findSectionRedirect(letIn.config, way.path, way.questions, textOf);
  if (redirect) return { ...checked, status: redirect.status, by: [redirect.by], pass: { ...pass, redirect } };
  const onward =
    to?.kind === "redirected"
      ? { path: to.path, query: sections?.query, by: to.by, isEnded: isLast, from: pass }
      : undefined;
  const left = rewriteStatusOf(pass);
  return sections || left !== undefined
    ? { ...checked, status: left ?? checked.status, pass, internalRedirect: onward }
    : checked;
}
