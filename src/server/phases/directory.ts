import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isSince, type Release } from "../../facts/release.js";
import { encodeUrlPath } from "../../text/escaping.js";
import type { AccessState } from "../access/access-state.js";
import { isMapped } from "../mapping/url-mapping.js";
import {
  argumentValuesOf,
  type ConfigLayer,
  findSetting,
  firstArgumentOf,
  keywordArgumentOf,
} from "../model/config-layer.js";
import { predicateOfVariable } from "../model/dependency-tracker.js";
import { fileOf, type Pass } from "../model/pass.js";
import { createInnerRequest, depthOf, isMethod, type Request, requestLineOf } from "../model/request.js";
import type { PassResult } from "../model/request-outcome.js";
import type { RequestContext } from "../model/simulation-setup.js";
import { unknownFact } from "../model/unknown-facts.js";
import { applyLateHeaders } from "../request/early-headers.js";
import { constructUrl } from "../request/server-names.js";
import { collectLateVariables, REDIRECT_CAREFULLY } from "../request/setenvif.js";
import { listMessagesOfInvalidPath, normalizePath, slashRulesOf } from "../request/url-normalization.js";
import { mergeOptions } from "../sections/options.js";
import type { NormalizedUrl } from "../walk/request-walk.js";
import { isHandledByDav, isSetByDav } from "./dav.js";
import { addMessages, hasAnyHandler, hasHandler, invokeHandler, isNegotiated, isServedByBackend } from "./handler.js";
import { handlerOfLines } from "./handler-lookup.js";
import { runPathPass } from "./path-pass.js";
import { type RecursionLimit, recursionLimitOf } from "./recursion-limit.js";
import { correctSpelling, correctsBeforeFallback } from "./spelling.js";
import { messageCodesOf } from "./translate-name.js";

/**
 * Returns mod_dir's response for a directory: a redirect to the path with a slash, or the index file.
 *
 * @param redirects number of earlier rewrite redirects
 */
export function answerDirectory(run: RequestContext, checked: PassResult, redirects: number): PassResult {
  const { pass, internalRedirect } = checked;
  const { state, request } = pass;
  if (state === undefined) return checked;
  const hasDir = run.setup.project.modules.has("dir_module");
  const slashed = hasDir ? redirectToSlash(checked) : checked;
  if (slashed !== checked) return slashed;
  // mod_dir declines if a rewrite has led to another URL.
  if (internalRedirect) return checked;
  if (pass.isRedirectReplaced) return invokeHandler(request, checked, pass);
  if (!hasDir || !state.path.endsWith("/")) return answerListing(checked, state);
  if (isLeftToHandler(pass)) return invokeHandler(request, checked, pass);
  const { result: answered, file, isMissing } = searchIndex(run, checked, state, redirects);
  if (isMissing) return answerListing(answered, state);
  return file && !answered.internalRedirect ? invokeHandler(request, answered, file) : answered;
}

/**
 * Returns the response for an allowed path that is not a directory. A missing file may be answered by its
 * FallbackResource.
 */
export function answerFile(run: RequestContext, checked: PassResult, redirects: number): PassResult {
  const { request, variant } = checked.pass;
  if (variant) return answerVariant(checked, variant);
  const { state } = checked.pass;
  const corrected = state && correctsBeforeFallback(state) ? correctSpelling(checked) : undefined;
  if (corrected) return corrected;
  const {
    result: answered,
    file,
    isMissing,
  } = searchFallback(run, checked, redirects) ?? { result: checked, isMissing: true };
  if (isMissing) return correctSpelling(answered) ?? invokeHandler(request, answered, answered.pass);
  return file && !answered.internalRedirect ? invokeHandler(request, answered, file) : answered;
}

/** Answers with the file that mod_negotiation chose, which a type map may name although it does not exist. */
function answerVariant(checked: PassResult, variant: Pass): PassResult {
  const corrected = correctSpelling({ ...checked, pass: variant });
  return corrected ? { ...corrected, pass: checked.pass } : invokeHandler(checked.pass.request, checked, variant);
}

/** Redirects a directory requested without a slash to the path with one. */
function redirectToSlash(checked: PassResult): PassResult {
  const { pass } = checked;
  if (pass.state === undefined || !leadsToSlash(pass)) return checked;
  return { ...checked, status: 301, location: locationWithSlash(pass, pass.state), internalRedirect: undefined };
}

/** Reports whether mod_dir, if it is loaded, redirects a directory requested without a slash (mod_dir.c `fixup_dir`). */
export function leadsToSlash({ walked, state, isAuthorized, redirect }: Pass): boolean {
  if (walked?.kind !== "directory" || !state || !isAuthorized || redirect || state.path.endsWith("/")) return false;
  const slash = keywordArgumentOf(state.config.setting("directoryslash"));
  return slash !== "off" && !skipsSlashRedirect(state);
}

/** Returns the Location header of that redirect, for a concrete request (mod_dir.c `fixup_dir`). */
function locationWithSlash({ request, rewriting }: Pass, { path, names }: AccessState): string | undefined {
  if (request.tracker) return undefined;
  const { query } = rewriting.sections ?? request;
  return constructUrl(`${encodeUrlPath(path)}/${query === undefined ? "" : `?${query}`}`, names);
}

/**
 * Returns whether the redirect is skipped: with `redirect-carefully`, only GET is redirected (mod_dir.c `fixup_dir`;
 * test/live/directory-slash.live.test.ts).
 */
function skipsSlashRedirect({ env, layers, request }: AccessState): boolean {
  const isSet = env.has(REDIRECT_CAREFULLY);
  const predicate = predicateOfVariable(env, REDIRECT_CAREFULLY);
  // Clients do not send this variable.
  if (predicate.kind === "env") return false;
  const isSetLate = collectLateVariables(layers).has(REDIRECT_CAREFULLY);
  if (!isSetLate) {
    if (predicate.kind === "constant" && !predicate.value) return false;
    request.tracker?.recordPredicate(predicate, isSet);
  }
  return (isSet || isSetLate) && !isMethod(request, "GET", "HEAD");
}

/** The handler that mod_rewrite sets for its own redirects; mod_dir leaves such requests to it. */
const REWRITE_HANDLER = "redirect-handler";

/**
 * Returns whether index files are not searched: the directory has a handler, and DirectoryCheckHandler is on, as always in 2.2;
 * or the handler is that of a rewrite (mod_dir.c `fixup_dir`). A handler that a rule names is set after that
 * (test/live/directory-handlers.live.test.ts).
 */
function isLeftToHandler(pass: Pass): boolean {
  const { state, mapping, walked } = pass;
  if (state === undefined || walked === undefined) return false;
  const handler = handlerOfLines(state, mapping, walked);
  const isOld = !isSince(state.project.release, "2.4");
  const isChecked = isOld || keywordArgumentOf(state.config.setting("directorycheckhandler")) === "on";
  if (!isChecked) return handler === REWRITE_HANDLER;
  return (handler !== undefined && handler !== "none") || isSetByDav(pass);
}

/** The result of a search for index files. */
interface IndexSearch {
  readonly result: PassResult;
  /** The pass over the file that answers. */
  readonly file?: Pass;
  /** Whether no file exists and no error occurred. */
  readonly isMissing?: boolean;
}

/** Answers a directory with its index file. */
function searchIndex(
  run: RequestContext,
  checked: PassResult,
  { layers, project }: AccessState,
  redirects: number,
): IndexSearch {
  return searchNames(
    run,
    checked,
    { ...directoryIndexOf(layers, project.release), redirectStatus: indexRedirect(layers) },
    redirects,
  );
}

/**
 * Answers with FallbackResource if the file is missing and has no handler, also instead of an index file. If the
 * fallback itself is missing, it has no effect (mod_dir.c `fixup_dflt`). Returns undefined if it does not apply.
 */
function searchFallback(run: RequestContext, checked: PassResult, redirects: number): IndexSearch | undefined {
  const { pass } = checked;
  const { walked, state, isAuthorized, redirect } = pass;
  if (!run.setup.project.modules.has("dir_module") || !state) return undefined;
  const line = state.config.setting("fallbackresource");
  const name = firstArgumentOf(line);
  if (!line || name === undefined || name.toLowerCase() === "disabled") return undefined;
  pass.request.tracker?.recordFileExistence();
  if (walked?.kind !== "missing") return undefined;
  if (!isAuthorized || redirect || checked.internalRedirect || hasAnyHandler(pass) || isNegotiated(pass))
    return undefined;
  if (isHandledByDav(pass)) return undefined;
  return searchNames(run, checked, { names: [name], lines: [line], redirectStatus: undefined }, redirects);
}

/** The names for which the server makes subrequests. */
interface SearchedNames {
  readonly names: readonly string[];
  readonly lines: readonly Directive[];
  /** Redirect status for a file that is found. */
  readonly redirectStatus: number | undefined;
}

/** Makes a subrequest for each name in turn. */
function searchNames(
  run: RequestContext,
  checked: PassResult,
  { names, lines, redirectStatus }: SearchedNames,
  redirects: number,
): IndexSearch {
  const inner: Pass[] = [];
  const pass: Pass = { ...checked.pass, inner, index: lines };
  const limit = recursionLimitOf(run, "subrequests");
  if (depthOf(pass.request) >= limit.max) return { result: exceedLimit({ ...checked, pass }, limit, 1) };
  // The limit for redirects applies here, too, and is reported for each name.
  const ofRedirects = recursionLimitOf(run, "redirects");
  if (redirects >= ofRedirects.max && names.length > 0)
    return { result: exceedLimit({ ...checked, pass }, ofRedirects, names.length) };
  const log = [...checked.log];
  const messages: string[] = [];
  let refused: PassResult | undefined;
  for (const name of names) {
    const resolved = resolveIndex(run, name, pass);
    if ("status" in resolved) {
      const { status, errorMessages } = resolved;
      messages.push(...errorMessages);
      log.push(...messageCodesOf(errorMessages));
      if (status !== 404) refused = { ...checked, status, by: lines };
      continue;
    }
    // The server reports exceeded nesting for each name; one report is enough.
    const search = requestIndex(run, resolved, pass, log.includes(limit.code) ? limit : undefined, redirects);
    const { result: subrequest, file } = withOuterEnd(search, pass);
    inner.push(subrequest.pass);
    log.push(...subrequest.log);
    // A status set by rules is enough: their target is then not requested.
    if (subrequest.status >= 300 && subrequest.status < 400)
      return { result: { ...subrequest, layers: checked.layers, log, pass, internalRedirect: undefined } };
    if (file && subrequest.status === 200)
      return redirectStatus === undefined
        ? { result: { ...subrequest, status: checked.status, log, pass }, file }
        : { result: { ...checked, status: redirectStatus, location: locationOfIndex(file), log, pass } };
    if (subrequest.status >= 300 && subrequest.status !== 404) refused = subrequest;
  }
  const searched = messages.length > 0 ? { ...pass, errorMessages: messages } : pass;
  if (refused === undefined) return { result: { ...checked, log, pass: searched }, isMissing: true };
  // The server looks for the error document of the directory.
  return { result: { ...refused, layers: checked.layers, log, pass: searched } };
}

/**
 * Restores the `END` state of the outer request: the target of a rule is requested for the outer request, so an end
 * reached in the inner one does not count.
 */
function withOuterEnd({ result, ...search }: IndexSearch, { isEnded }: Pass): IndexSearch {
  const { internalRedirect } = result;
  return {
    ...search,
    result: internalRedirect ? { ...result, internalRedirect: { ...internalRedirect, isEnded } } : result,
  };
}

/** A URL to make a subrequest for. */
interface IndexUrl {
  readonly url: NormalizedUrl;
  readonly request: Request;
}

/**
 * Returns what a name stands for: a URL relative to the request, which httpd parses like that of a client, with escapes and
 * dots (server/request.c `ap_sub_req_lookup_uri`). Returns the status and the messages if it rejects the URL.
 */
function resolveIndex(
  run: RequestContext,
  named: string,
  outer: Pass,
): IndexUrl | { readonly status: 400 | 404; readonly errorMessages: readonly string[] } {
  const { release } = run.setup.project;
  const [target = "", fragment] = named.split(/#(.*)/s);
  const [name = "", query] = target.split(/\?(.*)/s);
  const sent = requestForIndex(run, outer);
  // The query of the request is appended to the name, so a fragment includes it.
  const base = fragment === undefined ? sent : withoutQuery(sent);
  const request = query === undefined ? base : withQuery(base, query);
  const folder = name.startsWith("/") ? "" : encodeUrlPath(outer.path.replace(/[^/]*$/, ""));
  const url = normalizePath(folder + name, release, slashRulesOf(outer.walk.serverLayers), run.oracle);
  if (!("status" in url)) return { url, request };
  const whole = folder + named + (sent.query === undefined ? "" : `?${sent.query}`);
  const errorMessages =
    url.status === 400 ? listMessagesOfInvalidPath(whole, requestLineOf(outer.request), release) : [];
  return { status: url.status, errorMessages };
}

/** Makes one subrequest; a directory that results from rewriting has index files, too. */
function requestIndex(
  run: RequestContext,
  { url, request }: IndexUrl,
  outer: Pass,
  limit: RecursionLimit | undefined,
  redirects: number,
): IndexSearch {
  const checked = redirectToSlash(runPathPass(run, createInnerRequest(request), url, { outer }));
  const { pass, internalRedirect } = checked;
  if (pass.variant && !isServedByBackend(pass)) return { result: checked, file: pass.variant };
  if (pass.isNegotiationFailed) return { result: checked };
  if (isServedByBackend(pass) || pass.walked?.kind === "file") return { result: checked, file: pass };
  if (pass.walked?.kind === "missing" && pass.isAuthorized && isNegotiated(pass))
    return { result: checked, file: pass };
  const fallback = limit ? undefined : searchFallback(run, checked, redirects);
  if (fallback) return fallback;
  const isDirectory = pass.walked?.kind === "directory" && pass.path.endsWith("/");
  if (!isDirectory || !pass.isAuthorized || pass.redirect || internalRedirect || !pass.state || isLeftToHandler(pass))
    return { result: checked };
  return limit ? { result: { ...checked, status: 500 } } : searchIndex(run, checked, pass.state, redirects);
}

/**
 * Returns the request for which mod_dir looks up an index file. The fixups of mod_headers run before that if it is loaded
 * first (test/live/differing-pairs.live.test.ts).
 */
function requestForIndex({ setup: { project }, oracle }: RequestContext, { request, state }: Pass): Request {
  if (state === undefined) return request;
  const loaded = project.modules.listIdentifiers();
  if (project.modulesAreKnown && loaded.indexOf("headers_module") > loaded.indexOf("dir_module")) return request;
  const changed = applyLateHeaders(request, state.layers, project, oracle);
  if (!project.modulesAreKnown && changed !== request) oracle.markUndecidable(unknownFact("order-of-modules"));
  return changed;
}

function withoutQuery({ query: _, ...request }: Request): Request {
  return request;
}

/** Prepends the query of the name to that of the request. */
function withQuery(request: Request, query: string): Request {
  return { ...request, query: request.query === undefined ? query : `${query}?${request.query}` };
}

function exceedLimit({ pass, log, ...checked }: PassResult, limit: RecursionLimit, times: number): PassResult {
  if (pass.state && !isSince(pass.state.project.release, "2.4"))
    return { ...checked, status: 500, log, reason: { code: limit.code }, pass };
  const errorMessages = Array.from({ length: times }, () => limit.errorMessage);
  return {
    ...checked,
    status: 500,
    log: [...log, ...errorMessages.map(() => limit.code)],
    pass: { ...pass, errorMessages },
  };
}

/** Returns the Location header for an index file, for a concrete request: its path is not escaped (mod_dir.c `fixup_dir`). */
function locationOfIndex({ path, state }: Pass): string | undefined {
  return state && !state.request.tracker ? constructUrl(path, state.names) : undefined;
}

/** Returns the status with which DirectoryIndexRedirect redirects to an index file. */
function indexRedirect(layers: readonly ConfigLayer[]): number | undefined {
  const word = keywordArgumentOf(findSetting(layers, "directoryindexredirect")) ?? "off";
  if (word === "off") return undefined;
  if (/^\d/.test(word)) return Number.parseInt(word, 10);
  return word === "permanent" ? 301 : word === "seeother" ? 303 : 302;
}

/** Answers a directory without an index file: with a listing if Options has Indexes, else with 403 (mod_autoindex). */
function answerListing(checked: PassResult, { layers, project }: AccessState): PassResult {
  const { pass } = checked;
  const isListed = !hasHandler(pass) && listsDirectories(project, pass);
  if (!isListed || !isMethod(pass.request, "GET", "HEAD")) return invokeHandler(pass.request, checked, pass);
  if (mergeOptions(layers, project).has("indexes")) return { ...checked, answeredBy: "listing" };
  const options = findSetting(layers, "options");
  return {
    ...addMessages(checked, [noListingMessage(pass, { layers, project })]),
    status: 403,
    by: options ? [options] : [],
  };
}

/**
 * Reports whether mod_autoindex is loaded. The usual main files load it, which is why it is assumed around a part of a server that
 * maps the URL. That only the rest of the server decides what a directory shows is stated in any case.
 */
function listsDirectories({ modules, isPart }: Project, { mapping }: Pass): boolean {
  return modules.has("autoindex_module") || (isPart && isMapped(mapping) && modules.mayHave("autoindex_module"));
}

/** Returns the message of mod_autoindex for a directory without an index file that may not be listed. */
function noListingMessage(pass: Pass, { layers, project }: Pick<AccessState, "layers" | "project">): string {
  const { names } = directoryIndexOf(layers, project.release);
  const searched = pass.index === undefined ? "none" : names.join(",");
  return `AH01276: Cannot serve directory ${fileOf(pass)}: No matching DirectoryIndex (${searched}) found, and server-generated directory index forbidden by Options directive`;
}

const directoryIndex: ReadonlySet<string> = new Set(["directoryindex"]);

/**
 * Returns the index files that apply. Several lines of one section add up; an empty name ends a line. Since 2.4, a lone
 * `disabled` removes those before it; 2.2 takes it for the name of a file (mod_dir.c `add_index`).
 */
function directoryIndexOf(
  layers: readonly ConfigLayer[],
  release: Release,
): {
  readonly names: readonly string[];
  readonly lines: readonly Directive[];
} {
  const layer = layers.findLast((each) => each.has("directoryindex"));
  if (layer === undefined) return { names: ["index.html"], lines: [] };
  const lines = layer.pick(directoryIndex);
  const words = lines.map(indexNamesOf);
  const isKeyword = isSince(release, "2.4");
  const disabled = words.findLastIndex(
    ([word, ...more]) => isKeyword && more.length === 0 && word?.toLowerCase() === "disabled",
  );
  return { names: words.slice(disabled + 1).flat(), lines };
}

/** Returns the names of a DirectoryIndex line: httpd stops reading at an empty one (mod_dir.c `add_index`). */
export function indexNamesOf(line: Directive): readonly string[] {
  const names = argumentValuesOf(line);
  const end = names.indexOf("");
  return end < 0 ? names : names.slice(0, end);
}
