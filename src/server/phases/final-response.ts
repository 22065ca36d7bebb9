import { protocolHeaders } from "../../facts/effects.js";
import { isSince } from "../../facts/release.js";
import { fromReadable } from "../../text/source.js";
import { quoteText } from "../../text/words.js";
import { asksBehaviour } from "../model/behaviour.js";
import { argumentValuesOf, findSetting, firstArgumentOf } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { mainPassesOf } from "../model/pass.js";
import { headerOf, isMethod, type Request, requestLineOf, withRewrittenUrl } from "../model/request.js";
import { type PassResult, type RequestOutcome, withStatus } from "../model/request-outcome.js";
import type { RequestContext } from "../model/simulation-setup.js";
import { unknownFact } from "../model/unknown-facts.js";
import { normalizePath, slashRulesOf } from "../request/url-normalization.js";
import { markIfUndefined } from "../sections/undecidable-lines.js";
import {
  applyErrorDocument,
  documentOf,
  errorDocumentFor,
  hasLocalDocument,
  hasUrlDocument,
  isAnsweredByRules,
  locationOfDocument,
  openDocument,
  openStatus,
  replaceLast,
  runOfDocument,
} from "./error-documents.js";
import { backendUrlOf, handlerOf } from "./handler-lookup.js";
import { runPasses } from "./passes.js";
import { findInvalidHeader, type HeaderFault } from "./response-headers.js";
import { messageCodesOf } from "./translate-name.js";

/**
 * Returns what the client gets for a response: 413 for a long body, or an error document. Access is as
 * before. Proofs are about access only.
 */
export function finalResponse(run: RequestContext, request: Request, answered: PassResult): RequestOutcome {
  if (request.tracker) return answered;
  const limited = reportUnreadBody(limitBody(run, request, applyConditions(run, request, answered)));
  // An error is reported before the body is read, so 413 itself has no error document then.
  if (limited !== answered && answered.served === undefined) return limited;
  const documented = applyErrorDocument(run, withReason(reportUnknownMethod(limited, request)));
  return isMethod(request, "TRACE") ? documented : rejectHeaders(run, documented);
}

/** Notes what refuses a request before the messages about the document of the error follow. */
function withReason<T extends RequestOutcome>(answered: T): T {
  const { status, log, reason = { code: log.at(-1) } } = answered;
  return status < 400 ? answered : { ...answered, reason };
}

/**
 * Replaces a response with an invalid header by 500, for which there may be an error document; its own headers do not
 * change the status any more. If the response is an error document itself, the status stays (modules/http/http_filters.c
 * `ap_http_header_filter`).
 */
function rejectHeaders(run: RequestContext, answered: PassResult): PassResult {
  const { status, answeredBy, documentLayers, pass } = answered;
  const isError = status >= 300 && answeredBy !== "backend" && answeredBy !== "program";
  const headed = documentLayers ? { layers: documentLayers, pass } : answered;
  const fault = findInvalidHeader(run, headed, isError && !documentLayers);
  if (fault === undefined) return answered;
  const again = findInvalidHeader(run, answered, true, false);
  const logged = addHeaderMessages(answered, [fault, again]);
  if (documentLayers) return logged;
  const reason = { code: logged.log.at(-1) };
  const failed = { ...withStatus(logged, 500, fault.by), answeredBy: undefined, reason };
  // The redirect would have the invalid header of the error, too.
  if (isError && again && hasUrlDocument(failed)) return failed;
  const documented = applyErrorDocument(run, failed);
  return documented === failed ? failed : { ...documented, hasUnknownLog: true };
}

/** Adds the messages about invalid headers: of a response, and of that about the error. */
function addHeaderMessages(answered: PassResult, faults: readonly (HeaderFault | undefined)[]): PassResult {
  const { pass, log } = answered;
  const errorMessages = faults.flatMap((each) => each?.errorMessage ?? []);
  const [last = pass] = mainPassesOf(pass);
  return {
    ...answered,
    log: [...log, ...messageCodesOf(errorMessages)],
    pass: replaceLast(pass, { ...last, errorMessages: [...(last.errorMessages ?? []), ...errorMessages] }),
    ...(faults.some(hasUnknownMessage) ? { hasUnknownLog: true } : {}),
  };
}

function hasUnknownMessage(fault: HeaderFault | undefined): boolean {
  return fault !== undefined && fault.errorMessage === undefined;
}

/** Adds the message about a method without a number (server/core.c `default_handler`). Those of 2.2 have no numbers. */
function reportUnknownMethod(answered: PassResult, request: Request): PassResult {
  const [last] = mainPassesOf(answered.pass);
  const release = last?.state?.project.release;
  if (answered.status !== 501 || answered.served === undefined || !last || !release || !isSince(release, "2.4"))
    return answered;
  const errorMessages = [...(last.errorMessages ?? []), `AH00135: Invalid method in request ${requestLineOf(request)}`];
  return { ...answered, pass: replaceLast(answered.pass, { ...last, errorMessages }) };
}

/** Adds the message of mod_dav about a file that it could not receive (modules/dav/main/mod_dav.c `dav_method_put`). */
function reportUnreadBody(answered: PassResult): PassResult {
  const { status, accessStatus } = answered;
  if (status !== 413 || (accessStatus !== 201 && accessStatus !== 204)) return answered;
  const [last] = mainPassesOf(answered.pass);
  if (last?.state === undefined || last.request.method !== "PUT") return answered;
  const unread = `An error occurred while reading the request body (URI: ${fromReadable(last.state.path)})  [-102, #0]`;
  return {
    ...answered,
    pass: replaceLast(answered.pass, { ...last, errorMessages: [...(last.errorMessages ?? []), unread] }),
  };
}

/** Conditions on the version of a file, with the status if they do not hold (modules/http/http_protocol.c `ap_meets_conditions`). */
const conditions: Readonly<Record<string, number>> = {
  "If-Match": 412,
  "If-Unmodified-Since": 412,
  "If-None-Match": 304,
  "If-Modified-Since": 304,
};

/**
 * Leaves the status open if it depends on the version or the length of a file, which are unknown. Access is as without the
 * headers.
 */
function applyConditions(run: RequestContext, request: Request, answered: PassResult): PassResult {
  markChangedConditions(run, answered);
  if (answered.status !== 200 || answered.answeredBy || answered.served?.walked?.kind !== "file") return answered;
  const status = conditionalStatus(request, run.oracle);
  return status === undefined ? answered : { ...answered, status, accessStatus: answered.accessStatus ?? 200 };
}

/** Marks the answer as unknown if a line may give the request a header that the server itself reads. */
function markChangedConditions({ oracle, setup }: RequestContext, { layers, status }: PassResult): void {
  if (status !== 200 || !setup.project.modules.has("headers_module")) return;
  for (const line of layers.flatMap((layer) => layer.pick(requestHeaderLines))) {
    const [action = "", header = ""] = argumentValuesOf(line);
    const isRead = protocolHeaders.has(`header:${header.toLowerCase().replace(/:$/, "")}`);
    if (isRead && !/^unset$/i.test(action)) oracle.markUndecidable(unknownFact("status-by-header", header), line);
  }
}

const requestHeaderLines: ReadonlySet<string> = new Set(["requestheader"]);

function conditionalStatus(request: Request, oracle: Oracle): number | undefined {
  for (const [header, status] of Object.entries(conditions))
    if (headerOf(request, header) !== undefined && oracle.ask(unknownFact("status-by-header", header)))
      return status === 304 && !isMethod(request, "GET", "HEAD") ? 412 : status;
  if (headerOf(request, "Range") === undefined || !oracle.ask(unknownFact("status-by-header", "Range")))
    return undefined;
  return oracle.ask(unknownFact("range-in-file")) ? 206 : 416;
}

/** Methods whose requests have no body, unless a header says so. */
const bodilessMethods = new Set([
  ...["GET", "HEAD", "OPTIONS", "TRACE", "DELETE", "CONNECT", "COPY", "MOVE", "UNLOCK"],
]);

/** The default of LimitRequestBody. */
const DEFAULT_BODY_LIMIT = 2 ** 30;

/** Statuses after which the server closes the connection without reading the body (`ap_status_drops_connection`). */
const droppingStatuses = new Set([400, 408, 411, 413, 414, 500, 501, 503]);

/** Applies LimitRequestBody (modules/http/http_filters.c `ap_http_filter`). */
function limitBody<T extends RequestOutcome>(run: RequestContext, request: Request, answered: T): T {
  const line = findSetting(answered.layers, "limitrequestbody");
  if (request.method === "TRACE") return answered;
  if (line === undefined) return limitByDefault(run, request, answered);
  const limit = Number(firstArgumentOf(line) ?? 0);
  if (limit <= 0) return answered;
  if (isForBackend(answered)) return answered;
  if (readsBodyNever(answered)) return answered;
  const sent = headerOf(request, "Content-Length");
  if (sent === undefined && bodilessMethods.has(request.method) && !headerOf(request, "Transfer-Encoding"))
    return answered;
  markIfUndefined(line, run.oracle);
  const isLong = /^\d+$/.test(sent ?? "")
    ? Number(sent) > limit
    : run.oracle.ask(unknownFact("long-body", String(limit)));
  if (!isLong || !isBodyRead(run, answered, limit)) return answered;
  return withStatus(answered, 413, line);
}

/**
 * Applies the default of LimitRequestBody to a body whose length the request names (server/core.c
 * `AP_DEFAULT_LIMIT_REQ_BODY`). Other bodies are assumed to be shorter.
 */
function limitByDefault<T extends RequestOutcome>(run: RequestContext, request: Request, answered: T): T {
  const sent = headerOf(request, "Content-Length");
  if (sent === undefined || !/^\d+$/.test(sent) || Number(sent) <= DEFAULT_BODY_LIMIT) return answered;
  if (isForBackend(answered) || readsBodyNever(answered)) return answered;
  if (!asksBehaviour(run.setup.project.release, "body-limit", run.oracle)) return answered;
  if (!isBodyRead(run, answered, DEFAULT_BODY_LIMIT)) return answered;
  const { status, accessStatus = status } = answered;
  return { ...answered, status: 413, by: [], accessStatus, loggedStatus: undefined, location: undefined };
}

/** Reports whether the server closes the connection instead. The handler that rejects a method has read the body before. */
function readsBodyNever({ status, pass }: RequestOutcome): boolean {
  return droppingStatuses.has(status) && !(status === 501 && pass?.isAuthorized);
}

/**
 * Reports whether httpd reads a body that is too long, and so returns 413. mod_cgi and mod_cgid read it to its end, whether the program
 * does or not (mod_cgi.c `cgi_handler`); other programs usually read it themselves, and so may the handler of an error document.
 */
function isBodyRead({ oracle, setup }: RequestContext, answered: RequestOutcome, limit: number): boolean {
  if (answered.answeredBy === "program") {
    const isCgi = handlerOfServed(answered) === "cgi-script" && isSince(setup.project.release, "2.4");
    return isCgi || !oracle.ask(unknownFact("unread-long-body", String(limit)));
  }
  if (answered.answeredBy || hasLocalDocument(answered))
    oracle.markUndecidable(unknownFact("answer-to-long-body", String(limit)));
  return true;
}

function handlerOfServed({ pass, served = pass }: RequestOutcome): string | undefined {
  const { state, mapping, walked } = served ?? {};
  return state && mapping && walked && handlerOf(state, mapping, walked);
}

/**
 * Reports whether mod_proxy has taken the request: its bodies have no limit, even if access is denied, and those for a backend that
 * SetHandler names neither (modules/http/http_filters.c `ap_http_filter`, mod_proxy.c `proxy_handler`).
 */
function isForBackend(answered: RequestOutcome): boolean {
  if (answered.answeredBy === "backend") return true;
  if (answered.answeredBy === "program" && backendUrlOf(handlerOfServed(answered) ?? "") !== undefined) return true;
  const [last] = answered.pass ? mainPassesOf(answered.pass) : [];
  return last?.mapping.kind === "proxy" && !hasLocalDocument(answered);
}

/**
 * Returns what the client gets if the Host header or the path is rejected: only the document of that error can change
 * it (server/protocol.c `ap_read_request`, server/request.c `ap_process_request_internal`).
 *
 * @param hasEarlyHeaders whether mod_headers has run its early lines: not if the host is rejected
 */
export function respondEarly(
  run: RequestContext,
  request: Request,
  rejected: RequestOutcome,
  hasEarlyHeaders = false,
): RequestOutcome {
  const answered = withReason({ ...rejected, isRejectedEarly: true } as const);
  if (request.tracker) return answered;
  const limited = limitBody(run, request, answered);
  if (limited !== answered) return limited;
  const line = errorDocumentFor(answered.layers, answered.status);
  const document = line && documentOf(line, run.oracle);
  if (line === undefined || document === undefined) return rejectEarlyHeaders(run, answered, hasEarlyHeaders);
  const { status, log, replacedBy = [] } = answered;
  const replaced = { ...answered, accessStatus: status, replacedBy: [...replacedBy, line] };
  if (document.kind === "url") {
    const location = locationOfDocument(document, undefined);
    return rejectEarlyHeaders(run, { ...replaced, status: 302, location }, hasEarlyHeaders);
  }
  const url = normalizePath(document.path, run.setup.project.release, slashRulesOf(answered.layers), run.oracle);
  if ("status" in url) return { ...answered, hasUnknownLog: true };
  const inner = { ...withRewrittenUrl(request, document.path, undefined), method: "GET" };
  const documentRun = runOfDocument(run);
  const found = runPasses(documentRun, inner, url, { errorStatus: status });
  if (documentRun.oracle.undecidable !== undefined)
    return openStatus(run, { ...answered, hasUnknownLog: true }, line, "the document");
  const { pass, answeredBy } = found;
  const known = { pass, log: [...log, ...found.log], hasUnknownLog: answeredBy !== undefined };
  return isAnsweredByRules(found)
    ? { ...replaced, ...known, status: found.status, location: found.location }
    : openDocument(run, { ...answered, ...known }, line, found);
}

/** Replaces such a response by 500 if it has an invalid header. */
function rejectEarlyHeaders(run: RequestContext, answered: RequestOutcome, hasEarlyHeaders: boolean): RequestOutcome {
  const fault = findInvalidHeader(run, answered, true, hasEarlyHeaders);
  if (fault === undefined) return answered;
  const again = findInvalidHeader(run, answered, true, false);
  const document = errorDocumentFor(answered.layers, 500);
  const isDropped = again && hasUrlDocument({ layers: answered.layers, status: 500 });
  if (document && documentOf(document) && !isDropped)
    run.oracle.markUndecidable(
      unknownFact("document-result", quoteText(`${document.name} ${document.argumentText}`)),
      document,
    );
  const faults = [fault, again];
  const errorMessages = faults.flatMap((each) => each?.errorMessage ?? []);
  return {
    ...withStatus(answered, 500, fault.by),
    log: [...answered.log, ...messageCodesOf(errorMessages)],
    errorMessages: [...(answered.errorMessages ?? []), ...errorMessages],
    ...(faults.some(hasUnknownMessage) ? { hasUnknownLog: true } : {}),
  };
}
