import { isSince } from "../../facts/release.js";
import { type InternalRedirect, type ParentPass, type Pass, rewriteStatusOf } from "../model/pass.js";
import { type Request, requestLineOf, withRewrittenUrl } from "../model/request.js";
import type { PassResult } from "../model/request-outcome.js";
import type { RequestContext } from "../model/simulation-setup.js";
import { applyLateHeaders } from "../request/early-headers.js";
import { listMessagesOfInvalidPath, normalizePath, slashRulesOf } from "../request/url-normalization.js";
import type { NormalizedUrl } from "../walk/request-walk.js";
import { applyAction } from "./actions.js";
import { isHandledByDav, markAnswerUnknown } from "./dav.js";
import { answerDirectory, answerFile } from "./directory.js";
import { isServedByBackend } from "./handler.js";
import { runPathPass } from "./path-pass.js";
import { type RecursionLimit, recursionLimitOf } from "./recursion-limit.js";
import { messageCodesOf } from "./translate-name.js";
import { applyTypeMap } from "./type-map-handler.js";

/**
 * Processes a path and all internal redirects, up to what is served.
 *
 * @param redirects number of earlier rewrite redirects
 */
export function runPasses(
  run: RequestContext,
  request: Request,
  url: NormalizedUrl,
  before: ParentPass = {},
  redirects = 0,
): PassResult {
  const found = findServed(run, runPathPass(run, request, url, before), redirects);
  return found.internalRedirect ? redirectInternally(run, found, found.internalRedirect, redirects) : found;
}

/** Returns what is served, or the next URL to request. */
function findServed(run: RequestContext, checked: PassResult, redirects: number): PassResult {
  const { walked, redirect, isAuthorized } = checked.pass;
  if (!isAuthorized || redirect || checked.pass.isNegotiationFailed || run.setup.accessCheck) return checked;
  // mod_dav takes the request after rules of a section have given the file another name (`dav_fixups`).
  if ((checked.internalRedirect || isServedByBackend(checked.pass)) && isHandledByDav(checked.pass))
    markAnswerUnknown(checked.pass);
  if (walked?.kind === "directory")
    return applyAction(applyTypeMap(answerDirectory(run, checked, redirects)), redirects);
  return checked.internalRedirect ? checked : applyAction(applyTypeMap(answerFile(run, checked, redirects)), redirects);
}

/**
 * Processes the URL that rules redirect to after access control (modules/http/http_request.c `ap_internal_redirect`).
 * The client gets the status that the rules set, unless a backend responds. On an error the client still gets that
 * status, and the access log shows the error (`ap_die_r`).
 */
function redirectInternally(
  run: RequestContext,
  found: PassResult,
  redirect: InternalRedirect,
  redirects: number,
): PassResult {
  const limit = recursionLimitOf(run, "redirects");
  if (redirects >= limit.max) return giveUp(run, found, redirect, limit);
  const checked = runRedirect(run, found, redirect, redirects, requestAfterFixups(run, found.pass));
  const left = rewriteStatusOf(redirect.from);
  if (left === undefined || checked.answeredBy === "backend") return checked;
  const { status, loggedStatus = status } = checked;
  return { ...checked, status: left, loggedStatus: status === 200 ? left : loggedStatus };
}

/** Requests the URL of an internal redirect. @param sent the request as the phases before have changed it */
export function runRedirect(
  run: RequestContext,
  found: PassResult,
  { path, query, by, isEnded, from, errorStatus }: InternalRedirect,
  redirects: number,
  sent: Request,
): PassResult {
  const { pass, log } = found;
  const { serverLayers } = pass.walk;
  // The URL is parsed like a client's: escapes are decoded once more.
  const [, bare = "", rest] = /^([^?#]*)(?:\?([^#]*))?/.exec(query === undefined ? path : `${path}?${query}`) ?? [];
  const url = normalizePath(bare, run.setup.project.release, slashRulesOf(serverLayers), run.oracle);
  if ("status" in url) {
    const target = rest === undefined ? bare : `${bare}?${rest}`;
    const errorMessages =
      url.status === 400 ? listMessagesOfInvalidPath(target, requestLineOf(sent), run.setup.project.release) : [];
    const refusal = { status: url.status, by: [by], layers: serverLayers };
    return {
      ...refusal,
      log: [...log, ...messageCodesOf(errorMessages)],
      pass: { ...pass, errorMessages, isRefusedUrl: true },
    };
  }
  const request = withRewrittenUrl(sent, bare, rest);
  const last = runPasses(run, request, url, { previous: from, isEnded, errorStatus }, redirects + 1);
  return { ...last, log: [...log, ...last.log], pass: { ...pass, next: { by, pass: last.pass } } };
}

/** Returns a request as it is once its fixups have run: they do not after an answer by rules or a Redirect of sections. */
export function requestAfterFixups(
  { setup, oracle }: RequestContext,
  { request, state, isAuthorized, redirect }: Pass,
): Request {
  if (!isAuthorized || state === undefined || redirect) return request;
  return applyLateHeaders(request, state.layers, setup.project, oracle);
}

/** Stops an endless chain of internal redirects. */
function giveUp(
  run: RequestContext,
  { pass, log, layers }: PassResult,
  { by }: InternalRedirect,
  limit: RecursionLimit,
): PassResult {
  const answer = { status: 500, by: [by], layers };
  if (!isSince(run.setup.project.release, "2.4")) return { ...answer, log, reason: { code: limit.code }, pass };
  return { ...answer, log: [...log, limit.code], pass: { ...pass, errorMessages: [limit.errorMessage] } };
}
