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
import { negotiate, seeksVariants } from "./negotiation.js";
import {
  type AuthorizedRequest,
  applySectionRewrite,
  cleanPath,
  type MappedRequest,
  mapRequest,
  mapVariant,
  messageCodesOf,
  type RewriteInput,
  rewriteUserOf,
} from "./url-mapping.js";

/**
 * Processes a path through access control and fixups: maps the URL to a file, then checks access (server/request.c
 * `ap_process_request_internal`). The status is 200 if something is to be served.
 */
export function runPathPass(
  run: RequestContext,
  received: Request,
  url: NormalizedUrl,
  before: ParentPass = {},
): PassResult {
  const mapped = mapRequest(run, received, url, before);
  const { mapping } = mapped;
  if (mapping.kind === "answered") return answerMapped(run, mapped, mapping);
  if (mapping.kind === "proxy") {
    markUndefinedBackend(mapping, run.server, run.setup.project, run.oracle);
    return runAccessPhase(run, mapped, mapping, undefined, before);
  }
  // TRACE is answered before the directory walk, unless a backend handles it.
  if (isMethod(mapped.request, "TRACE")) return answerTrace(run, mapped);
  const { outer, previous = outer } = before;
  return runFilePass(run, mapped, mapping, before, previous?.walked);
}

function runFilePass(
  run: RequestContext,
  mapped: MappedRequest,
  mapping: UrlMapping & { readonly kind: "file" },
  before: ParentPass,
  previous: DirectoryWalk | undefined,
): PassResult {
  const walked = run.setup.walks.walkDirectories(mapping.filename, run.server, run.oracle, previous);
  markUndecidableFiles(walked.htaccess, run.setup.project, run.oracle);
  return stopWalk(run, mapped, walked) ?? runAccessPhase(run, mapped, mapping, walked, before);
}

/** The optional results of a pass over a path. */
type PassFacts = Partial<Pick<Pass, "walked" | "state" | "answer" | "user" | "isAuthorized">>;

function passOf({ server }: RequestContext, { input, mapping, rewriting }: MappedRequest, found: PassFacts = {}): Pass {
  const { request, path, walk } = input;
  const { walked, state, answer, user, isAuthorized = false } = found;
  // Spelled out for speed: it runs for every request.
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

/** Returns the response of a Redirect or a rule, which replaces the URL's target. */
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

/** Returns the server's message for an invalid path that rules passed through (server/core.c `ap_core_translate`). */
function invalidUriMessage(path: string, request: Request): string | undefined {
  return path.startsWith("/") ? undefined : `AH00126: Invalid URI in request '${path}' '${requestLineOf(request)}'`;
}

function answerTrace(run: RequestContext, mapped: MappedRequest): PassResult {
  const layers = mapped.input.walk.serverLayers;
  const off = findTraceOff(layers);
  const pass = passOf(run, mapped);
  return { status: off ? 405 : (rewriteStatusOf(pass) ?? 200), log: [], by: off ? [off] : [], layers, pass };
}

/** Returns the response if the directory walk stops at a `.htaccess` file, a name or a link that the server rejects. */
function stopWalk(run: RequestContext, mapped: MappedRequest, walked: DirectoryWalk): PassResult | undefined {
  const { setup, oracle } = run;
  const { walk } = mapped.input;
  const code = walked.isTooLong ? "AH00036" : walked.unfollowed;
  if (walked.refused === undefined && code === undefined) return undefined;
  markUndefinedVariables(walked.layers, setup.project, oracle);
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
  const { setup, oracle, recorder } = run;
  const { input, request } = mapped;
  const { project, files, path, env, walk } = input;
  const { config, filename, names } = walk.lateConfig(mapping, walked);
  const { groups, layers } = config;
  markProgramsUndecidable(layers, project, oracle);
  markUndefinedVariables(layers, project, oracle);
  const forcedHandler = mapped.rewriting?.handler;
  const base = {
    project,
    files,
    request,
    path,
    filename,
    env,
    config,
    groups,
    layers,
    oracle,
    names,
    forcedHandler,
  };
  const state: AccessState = recorder ? { ...base, remarks: [] } : base;
  // Access is not checked again if the same sections were checked for the directory or the earlier URL.
  const isChecked = previous?.isAuthorized === true && walk.isSameAsPrevious;
  const answer = isChecked ? undefined : decideAccess(setup, state);
  const log = answer?.log ?? [];
  if (answer?.status !== undefined) {
    const pass = passOf(run, mapped, { walked, state, answer });
    return { status: answer.status, log, by: answer.by, layers, pass };
  }
  const user = isChecked ? previous.user : rewriteUserOf(answer, input.request, project);
  const pass = passOf(run, mapped, { walked, state, answer, user, isAuthorized: true });
  const authorized = { status: 200, log, by: answer?.by ?? previous?.answer?.by ?? [], layers, pass };
  const ends = isEnded || mapped.rewriting?.ends === true;
  if (mapping.kind === "file" && walked && seeksVariants(state, walked)) {
    const negotiated = runNegotiation(run, mapped, { ...authorized, walked, state, isEnded: ends });
    if (negotiated) return negotiated;
  }
  return runFixups(input, authorized, { config, mapping, walked, user }, ends);
}

/** A request for a missing file, with access granted. */
interface MissingFile extends PassResult {
  readonly walked: DirectoryWalk;
  readonly state: AccessState;
  readonly isEnded: boolean;
}

/**
 * Negotiates instead of serving a missing file. The chosen file replaces it before the rules of sections apply
 * (modules/http/http_request.c `ap_internal_fast_redirect`). Returns undefined if there is nothing to choose from.
 */
function runNegotiation(
  run: RequestContext,
  mapped: MappedRequest,
  { walked, state, isEnded, ...checked }: MissingFile,
): PassResult | undefined {
  const { pass } = checked;
  const { path } = mapped.input;
  const whole = mapped.mapping.kind === "file" ? cleanPath(mapped.mapping.filename) : "";
  const pathInfo = whole.slice(walked.filename.length);
  const folder = path.slice(0, path.length - pathInfo.length).replace(/[^/]*$/, "");
  const variants = new Map<PassResult, MappedRequest>();
  const lookUp = (name: string) => {
    const own = `${folder}${name}${pathInfo}`;
    const filename = `${walked.filename.replace(/[^/]*$/, "")}${name}${pathInfo}`;
    const inner = mapVariant(run, mapped, { path: own, escaped: own }, filename, pass);
    const result = runFilePass(run, inner, inner.mapping, { outer: pass, isEnded }, walked);
    variants.set(result, inner);
    return result;
  };
  const negotiated = negotiate({ state, walked, pathInfo, lookUp });
  if (negotiated === undefined) return undefined;
  const { inner, chosen, complaints, status = 200 } = negotiated;
  const log = [...checked.log, ...inner.flatMap((each) => each.log), ...messageCodesOf(complaints)];
  const outer: Pass = { ...pass, inner: inner.map((each) => each.pass), complaints };
  const variant = chosen && variants.get(chosen);
  if (chosen === undefined || variant === undefined || variant.mapping.kind !== "file")
    return { ...checked, status, log, pass: { ...outer, redirect: undefined, isNegotiationFailed: true } };
  if (backendOf(chosen.pass))
    run.oracle.markUndecidable(`a rewrite rule that applies to the file \`${variant.mapping.filename}\``);
  const own: Pass = {
    ...{ ...chosen.pass, request: mapped.input.request, user: pass.user, redirect: undefined },
    ...{ state: chosen.pass.state && { ...chosen.pass.state, request: mapped.request } },
    ...{ rewriting: { url: pass.rewriting.url }, isAuthorized: true },
  };
  const config = chosen.pass.state?.config ?? state.config;
  const input = { ...variant.input, request: mapped.input.request };
  const authorized = { config, mapping: variant.mapping, walked: chosen.pass.walked, user: pass.user };
  const to = chosen.internalRedirect;
  const accepted = { ...checked, log, layers: chosen.layers, pass: own };
  const fixed = runFixups(input, accepted, to ? redirectedFile(authorized, to.path) : authorized, isEnded);
  const { redirect, rewriting } = fixed.pass;
  const isLed = redirect === undefined && fixed.internalRedirect === undefined && to !== undefined;
  return {
    ...fixed,
    internalRedirect: isLed ? { ...to, from: own } : fixed.internalRedirect,
    pass: { ...outer, redirect, rewriting, isEnded: fixed.pass.isEnded, variant: fixed.pass },
  };
}

/**
 * Returns the state with the name that a rule gave to the file in the subrequest: the rules apply to it again, as part
 * of the request (mod_rewrite.c `hook_fixup`).
 */
function redirectedFile(authorized: AuthorizedRequest, path: string): AuthorizedRequest {
  const filename = `redirect:${path}`;
  const { mapping, walked } = authorized;
  return {
    ...authorized,
    mapping: mapping.kind === "file" ? { ...mapping, filename } : mapping,
    walked: walked && { ...walked, filename },
  };
}

function decideAccess({ project, read }: SimulationSetup, state: AccessState): AccessResult {
  return project.release === "2.4" ? decide24(state, read) : decide22(state, read);
}

function withHandler(pass: Pass, forcedHandler: string | undefined): Pass {
  return pass.state && forcedHandler !== undefined ? { ...pass, state: { ...pass.state, forcedHandler } } : pass;
}

/**
 * Applies the rules and Redirects of sections to an allowed request (the `fixups` hooks). They answer it, redirect it
 * internally, or leave it to be served.
 *
 * @param isEnded whether rewriting has ended
 */
function runFixups(
  way: RewriteInput,
  checked: PassResult,
  authorized: AuthorizedRequest,
  isEnded: boolean,
): PassResult {
  const { log } = checked;
  const sections = isEnded ? undefined : applySectionRewrite(way, authorized);
  const to = sections?.to;
  const isLast = isEnded || sections?.ends === true;
  const { url } = checked.pass.rewriting;
  const letThrough = withHandler(checked.pass, sections?.handler);
  const pass = sections || isLast ? { ...letThrough, rewriting: { url, sections }, isEnded: isLast } : letThrough;
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
  const user = authorized.user === "unknown" ? undefined : authorized.user;
  const textOf = (text: string) => way.walk.textOf(text, authorized.config, authorized.walked?.filename, user);
  const redirect = findSectionRedirect(authorized.config, way.path, way.oracle, textOf);
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
