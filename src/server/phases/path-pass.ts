import { isOnDrive } from "../../config/files/paths.js";
import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import type { AccessState } from "../access/access-state.js";
import { authTypeOf } from "../access/authentication.js";
import { mayNameUser } from "../access/client-certificates.js";
import { decide22 } from "../access/decide-22.js";
import { decide24 } from "../access/decide-24.js";
import { locationOfRedirect, redirectNames } from "../mapping/redirects.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import { findSetting, firstArgumentOf } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { type ParentPass, type Pass, rewriteStatusOf } from "../model/pass.js";
import { isMethod, type Request, requestLineOf } from "../model/request.js";
import { type PassResult, withStatus } from "../model/request-outcome.js";
import type { RequestContext } from "../model/simulation-setup.js";
import { unknownFact } from "../model/unknown-facts.js";
import {
  markProgramsUndecidable,
  markUndefinedBackend,
  markUndefinedVariables,
} from "../sections/undecidable-lines.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import type { NormalizedUrl } from "../walk/request-walk.js";
import { runFixups } from "./fixups.js";
import { findTraceOff } from "./handler.js";
import { negotiateMissingFile, type VariantLookup } from "./negotiated-file.js";
import { negotiatesVariants } from "./negotiation.js";
import { markUndecidableFiles } from "./refused-lines.js";
import { type MappedRequest, mapRequest, messageCodesOf, rewriteUserOf } from "./translate-name.js";

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

/** @param file the name to walk to; that of a variant is without the path info (`ap_sub_req_lookup_dirent`) */
function runFilePass(
  run: RequestContext,
  mapped: MappedRequest,
  mapping: UrlMapping & { readonly kind: "file" },
  before: ParentPass,
  previous: DirectoryWalk | undefined,
  file = mapping.filename,
): PassResult {
  if (mapping.isRefused) return refusePath(run, mapped, mapping);
  markOtherName(file, run.oracle);
  const walked = run.setup.walks.walkDirectories(file, run.server, run.oracle, previous);
  markUndecidableFiles(walked.htaccess, run.setup.project, run.oracle, mapped.request.tracker !== undefined);
  return stopWalk(run, mapped, walked) ?? runAccessPhase(run, mapped, mapping, walked, before);
}

/** A name that ends in a dot or a space, or that looks like a short name: `PROGRA~1`. */
const otherName = /[. ](?:\/|$)|~\d/;

/**
 * Marks a name on a drive that may be another one of a file: APR drops dots and spaces at the end of a name, and replaces a
 * short name by that on the disk (file_io/win32/filepath.c `apr_filepath_merge`).
 */
function markOtherName(file: string, oracle: Oracle): void {
  if (isOnDrive(file) && otherName.test(file)) oracle.markUndecidable(unknownFact("name-on-windows", file));
}

/** The optional results of a pass over a path. */
type PassParts = Partial<Pick<Pass, "walked" | "state" | "answer" | "user" | "isAuthorized">>;

function passOf({ server }: RequestContext, { input, mapping, rewriting }: MappedRequest, found: PassParts = {}): Pass {
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
  mapping: UrlMapping & { readonly kind: "answered" },
): PassResult {
  const { status, by } = mapping;
  const { input, early, rewriting } = mapped;
  const to = rewriting?.to;
  const errorMessage =
    to?.kind === "passed" && isSince(input.project.release, "2.4")
      ? invalidUriMessage(to.path, input.request)
      : undefined;
  const errorMessages = errorMessage ? [errorMessage] : [];
  const log = messageCodesOf([...(to?.kind === "answered" ? to.log : []), ...errorMessages]);
  const pass = { ...passOf(run, mapped), errorMessages };
  const location = locationOfAnswer(mapped, mapping);
  return { status, log, by: [by], layers: early.layers, pass, ...(location === undefined ? {} : { location }) };
}

/** Returns the Location header of a response by rules or a Redirect, for a concrete request. */
function locationOfAnswer(
  { input: { request, path, walk, oracle }, early, rewriting }: MappedRequest,
  { by, location, status }: UrlMapping & { readonly kind: "answered" },
): string | undefined {
  if (request.tracker || status === 500) return undefined;
  if (rewriting?.to?.kind === "answered") return rewriting.to.location;
  if (location !== undefined || !redirectNames.has(by.key)) return location;
  const textOf = (text: string) => walk.textOf(text, early, "");
  const { query } = request;
  return locationOfRedirect(by, {
    ...{ path, query, names: walk.names(early), config: early, oracle, textOf, isWithin: false },
  });
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

/**
 * Returns the response to a URL whose file name is too long, or that rules lead above the DocumentRoot (server/core.c
 * `ap_core_translate`).
 */
function refusePath(run: RequestContext, mapped: MappedRequest, mapping: UrlMapping): PassResult {
  const { input, early, rewriting } = mapped;
  const by = rewriting?.to?.kind === "passed" ? rewriting.to.by : mapping.by;
  const errorMessage = `AH00127: Cannot map ${requestLineOf(input.request)} to file`;
  const errorMessages = isSince(input.project.release, "2.4") ? [errorMessage] : [];
  const pass = { ...passOf(run, mapped), errorMessages };
  return { status: 403, ...logOf("AH00127", input.project), by: by ? [by] : [], layers: early.layers, pass };
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
    const { directive } = walked.refused.refusal;
    return { status: 500, log: [], by: directive ? [directive] : [], ...ending };
  }
  const options = walked.unfollowed && findSetting([...walk.serverLayers, ...walked.layers], "options");
  return { status: 403, ...logOf(code, setup.project), by: options ? [options] : [], ...ending };
}

/** Returns the log with the number of a message about a refusal, which 2.2 logs without it. */
function logOf(code: string | undefined, { release }: Project): Pick<PassResult, "log" | "reason"> {
  return isSince(release, "2.4") ? { log: code === undefined ? [] : [code] } : { log: [], reason: { code } };
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
  const { config, filename, names, target } = walk.lateConfig(mapping, walked);
  const { groups, layers } = config;
  markProgramsUndecidable(layers, project, oracle);
  markUndefinedVariables(layers, project, oracle);
  const { handler: forcedHandler, type: forcedType } = mapped.rewriting ?? {};
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
    target,
    forcedHandler,
    forcedType,
  };
  const state: AccessState = recorder ? { ...base, remarks: [] } : base;
  // Access is not checked again if the same sections were checked for the directory or the earlier URL.
  const isChecked = previous?.isAuthorized === true && walk.isSameAsPrevious;
  const decide = isSince(project.release, "2.4") ? decide24 : decide22;
  const answer = isChecked ? undefined : decide(state, setup.transform);
  const log = answer?.log ?? [];
  const logged = answer && mayNameUser(state) ? { hasUnknownLog: true } : {};
  if (answer?.status !== undefined) {
    const pass = { ...passOf(run, mapped, { walked, state, answer }), ...logged };
    return applyLoginForm({ status: answer.status, log, by: answer.by, layers, pass });
  }
  const user = isChecked ? previous.user : rewriteUserOf(answer, input.request, project);
  const pass = { ...passOf(run, mapped, { walked, state, answer, user, isAuthorized: true }), ...logged };
  const authorized = { status: 200, log, by: answer?.by ?? previous?.answer?.by ?? [], layers, pass };
  if (setup.accessCheck) return authorized;
  const ends = isEnded || mapped.rewriting?.ends === true;
  if (mapping.kind === "file" && walked && negotiatesVariants(state, walked)) {
    const lookUp: VariantLookup = (inner, file, given) => runFilePass(run, inner, inner.mapping, given, walked, file);
    const negotiated = negotiateMissingFile(run, mapped, { ...authorized, walked, state, isEnded: ends }, lookUp);
    if (negotiated) return negotiated;
  }
  return runFixups(input, authorized, { config, mapping, walked, user }, ends);
}

/**
 * Applies mod_auth_form to a request that it denies for lack of a login (`authenticate_form_authn`): it redirects to
 * AuthFormLoginRequiredLocation. For a POST request, it looks for a login in the body, and asks for the URL again in order to
 * read that; the messages of the second request are not known. Proofs are about access only.
 */
function applyLoginForm(denied: PassResult): PassResult {
  const { pass } = denied;
  const { state, request } = pass;
  if (denied.status !== 401 || state === undefined || request.tracker || denied.log.includes("AH01631")) return denied;
  if (authTypeOf(state) !== "form") return denied;
  const readsBody = isMethod(request, "POST") && request.outer === undefined && request.sent === undefined;
  const answered = readsBody ? { ...denied, pass: { ...denied.pass, hasUnknownLog: true } } : denied;
  const line = state.config.setting("authformloginrequiredlocation");
  if (line === undefined) return answered;
  const location = pass.walk.textOf(firstArgumentOf(line) ?? "", state.config, state.filename);
  return withStatus(answered, 302, line, location);
}
