import type { Directive } from "../../config/model/directive.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { type AccessState, findEffectiveSetting } from "../access/access-state.js";
import { argumentValuesOf, keywordArgumentOf } from "../model/config-layer.js";
import { type Request, withRewrittenUrl } from "../model/request.js";
import {
  type InternalRedirect,
  type ParentPass,
  type PassResult,
  type RecursionLimit,
  type RequestContext,
  recursionLimitOf,
  rewriteStatusOf,
} from "../model/request-context.js";
import { formatInvalidPath, normalizePath, slashRulesOf } from "../request/url-normalization.js";
import type { NormalizedUrl } from "../walk/request-walk.js";
import { isAnsweredByDav, isHandledByDav, markAnswerUnknown } from "./dav.js";
import { answerDirectory, answerFile } from "./directory.js";
import { isServedByBackend } from "./handler.js";
import { addedHandlerOf, handlerOf, hasMediaType, isPageMethod, virtualPageHandlers } from "./handler-lookup.js";
import { runPathPass } from "./path-pass.js";
import { messageCodesOf } from "./translate-name.js";
import { applyTypeMap } from "./type-map-handler.js";

/**
 * Processes a path and all internal redirects, up to what is served.
 *
 * @param redirects number of earlier rewrite redirects
 */
export function answerRequest(
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
  const checked = runRedirect(run, found, redirect, redirects);
  const left = rewriteStatusOf(redirect.from);
  if (left === undefined || checked.answeredBy === "backend") return checked;
  const { status, loggedStatus = status } = checked;
  return { ...checked, status: left, loggedStatus: status === 200 ? left : loggedStatus };
}

/** Requests the URL of an internal redirect. */
export function runRedirect(
  run: RequestContext,
  found: PassResult,
  { path, query, by, isEnded, from, errorStatus }: InternalRedirect,
  redirects: number,
): PassResult {
  const { pass, log } = found;
  const { serverLayers } = pass.walk;
  // The URL is parsed like a client's: escapes are decoded once more.
  const [, bare = "", rest] = /^([^?#]*)(?:\?([^#]*))?/.exec(query === undefined ? path : `${path}?${query}`) ?? [];
  const url = normalizePath(bare, run.setup.project.release, slashRulesOf(serverLayers));
  if ("status" in url) {
    const isLogged = url.status === 400 && run.setup.project.release === "2.4";
    const errorMessages = isLogged ? [formatInvalidPath(rest === undefined ? bare : `${bare}?${rest}`)] : [];
    const refusal = { status: url.status, by: [by], layers: serverLayers };
    return {
      ...refusal,
      log: [...log, ...messageCodesOf(errorMessages)],
      pass: { ...pass, errorMessages, isRefusedUrl: true },
    };
  }
  const request = withRewrittenUrl(pass.request, bare, rest);
  const last = answerRequest(run, request, url, { previous: from, isEnded, errorStatus }, redirects + 1);
  return { ...last, log: [...log, ...last.log], pass: { ...pass, next: { by, pass: last.pass } } };
}

/** Stops an endless chain of internal redirects. */
function giveUp(
  run: RequestContext,
  { pass, log, layers }: PassResult,
  { by }: InternalRedirect,
  limit: RecursionLimit,
): PassResult {
  const answer = { status: 500, by: [by], layers };
  if (run.setup.project.release === "2.2") return { ...answer, log, pass };
  return { ...answer, log: [...log, limit.code], pass: { ...pass, errorMessages: [limit.errorMessage] } };
}

/**
 * Passes a request on to the program of Action or Script. Its URL, followed by the path, is requested like any other
 * (modules/mappers/mod_actions.c `action_handler`).
 *
 * @param redirects number of URLs that the server has already been redirected to
 */
function applyAction(answered: PassResult, redirects: number): PassResult {
  const { served } = answered;
  const { state, walked, mapping } = served ?? {};
  if (!served || !state || !walked || !mapping || answered.internalRedirect || isServedByBackend(served))
    return answered;
  if (isAnsweredByDav(served)) return answered;
  if (!state.config.has("action") && !state.config.has("script")) return answered;
  const handler = handlerOf(state, mapping, walked) ?? addedHandlerOf(state, walked.filename);
  // These handlers run first; those of pages decline other methods.
  if (handler === "cgi-script") return answered;
  if (handler !== undefined && virtualPageHandlers.has(handler)) {
    if (isPageMethod(handler, answered.pass.request, state.project)) return answered;
  }
  // A directory has a type of its own.
  const isUntyped = walked.kind === "directory" && handler === undefined;
  const action = isUntyped ? undefined : actionFor(state, handler, walked.filename);
  if (action && walked.kind === "missing" && argumentValuesOf(action)[2]?.toLowerCase() !== "virtual")
    return { ...answered, status: 404, by: [action], answeredBy: undefined };
  // Script is not applied again after repeated redirects.
  const by = action ?? (redirects < 2 ? scriptFor(state, answered.pass.request) : undefined);
  const [, target] = by ? argumentValuesOf(by) : [];
  if (by === undefined || target === undefined) return answered;
  const redirect: InternalRedirect = {
    ...{ path: target + encodeUrlPath(served.path), query: state.request.query, by },
    ...{ isEnded: served.isEnded, from: served },
  };
  return { ...answered, answeredBy: undefined, internalRedirect: redirect };
}

/** Returns the Action for a handler, or for the type of the file if it does not have a handler. */
function actionFor(state: AccessState, handler: string | undefined, filename: string): Directive | undefined {
  const lines = findLinesByName(state, "action");
  if (handler !== undefined && handler !== "none") return lines.findLast((line) => keywordArgumentOf(line) === handler);
  return lines.findLast((line) => {
    const name = keywordArgumentOf(line) ?? "";
    return name.includes("/") && hasMediaType(state, filename, name);
  });
}

/** Returns the Script for the method of a request, even to an index file; GET has one only with a query. */
function scriptFor(state: AccessState, { method, query }: Request): Directive | undefined {
  if (findEffectiveSetting(state, "script") === undefined) return undefined;
  const scriptMethod = method === "HEAD" ? "GET" : method;
  if (scriptMethod === "GET" && query === undefined) return undefined;
  return findLinesByName(state, "script").findLast((line) => argumentValuesOf(line)[0] === scriptMethod);
}

function findLinesByName({ layers }: AccessState, name: string): readonly Directive[] {
  return layers.flatMap((layer) => layer.directives.filter(({ key }) => key === name));
}
