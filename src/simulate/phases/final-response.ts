import { authTypeOf } from "../../access/decide/authentication.js";
import { type ConfigLayer, findSetting, firstArgumentOf } from "../../httpd/model/config-layer.js";
import type { Oracle } from "../../httpd/model/oracle.js";
import { headerOf, isMethod, type Request, requestLineOf, withRewrittenUrl } from "../../httpd/model/request.js";
import { normalizePath, slashRulesOf } from "../../httpd/request/url-normalization.js";
import type { Directive } from "../../project/model/directive.js";
import { fromReadable } from "../../text/source.js";
import {
  type InternalRedirect,
  mainPassesOf,
  type Pass,
  type PassResult,
  passesOf,
  type RequestContext,
  type RequestOutcome,
  recursionLimitOf,
  withStatus,
} from "../model/request-context.js";
import { answerRequest, runRedirect } from "./internal-redirect.js";

/**
 * Returns what the client gets for a response: 413 for a long body, or an error document. Access is as
 * before. Proofs are about access only.
 */
export function finalResponse(run: RequestContext, request: Request, answered: PassResult): RequestOutcome {
  if (request.tracker) return answered;
  const limited = reportUnreadBody(limitBody(run, request, applyConditions(run, request, answered)));
  // An error is reported before the body is read, so 413 itself has no error document then.
  if (limited !== answered && answered.served === undefined) return limited;
  return applyErrorDocument(run, reportUnknownMethod(limited, request));
}

/** Adds the message about a method without a number (server/core.c `default_handler`). Those of 2.2 have no numbers. */
function reportUnknownMethod(answered: PassResult, request: Request): PassResult {
  const [last] = mainPassesOf(answered.pass);
  if (answered.status !== 501 || answered.served === undefined || last?.state?.project.release !== "2.4")
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
  if (answered.status !== 200 || answered.answeredBy || answered.served?.walked?.kind !== "file") return answered;
  const status = conditionalStatus(request, run.oracle);
  return status === undefined ? answered : { ...answered, status, accessStatus: answered.accessStatus ?? 200 };
}

function conditionalStatus(request: Request, oracle: Oracle): number | undefined {
  for (const [header, status] of Object.entries(conditions))
    if (headerOf(request, header) !== undefined && oracle.ask(`whether the header \`${header}\` changes the status`))
      return status === 304 && !isMethod(request, "GET", "HEAD") ? 412 : status;
  if (headerOf(request, "Range") === undefined || !oracle.ask("whether the header `Range` changes the status"))
    return undefined;
  return oracle.ask("whether the range is in the file") ? 206 : 416;
}

/** Methods whose requests have no body, unless a header says so. */
const bodilessMethods = new Set([
  ...["GET", "HEAD", "OPTIONS", "TRACE", "DELETE", "CONNECT", "COPY", "MOVE", "UNLOCK"],
]);

/** Statuses after which the server closes the connection without reading the body (`ap_status_drops_connection`). */
const droppingStatuses = new Set([400, 408, 411, 413, 414, 500, 501, 503]);

/** Applies LimitRequestBody (modules/http/http_filters.c `ap_http_filter`). */
function limitBody<T extends RequestOutcome>(run: RequestContext, request: Request, answered: T): T {
  const line = findSetting(answered.layers, "limitrequestbody");
  const limit = Number(firstArgumentOf(line) ?? 0);
  if (line === undefined || !(limit > 0) || request.method === "TRACE") return answered;
  if (isForBackend(answered)) return answered;
  // The handler that rejects a method has read the body before.
  if (droppingStatuses.has(answered.status) && !(answered.status === 501 && answered.pass?.isAuthorized))
    return answered;
  const sent = headerOf(request, "Content-Length");
  if (sent === undefined && bodilessMethods.has(request.method) && !headerOf(request, "Transfer-Encoding"))
    return answered;
  const isLong = /^\d+$/.test(sent ?? "")
    ? Number(sent) > limit
    : run.oracle.ask(`whether the body of the request is longer than ${limit} bytes`);
  if (!isLong) return answered;
  // Programs read the body themselves, and so may the handler of an error document.
  if (answered.answeredBy || hasLocalDocument(answered))
    run.oracle.markUndecidable(`what is returned for a body longer than ${limit} bytes`);
  return withStatus(answered, 413, line);
}

/** Reports whether mod_proxy has taken the request: its bodies have no limit, even if access is denied. */
function isForBackend(answered: RequestOutcome): boolean {
  if (answered.answeredBy === "backend") return true;
  const [last] = answered.pass ? mainPassesOf(answered.pass) : [];
  return last?.mapping.kind === "proxy" && !hasLocalDocument(answered);
}

function hasLocalDocument({ layers, status }: RequestOutcome): boolean {
  const line = status < 300 ? undefined : errorDocumentFor(layers, status);
  return line !== undefined && documentOf(line)?.kind === "path";
}

type Document = { readonly kind: "url" } | { readonly kind: "path"; readonly path: string };

/** Returns the document of an ErrorDocument line; undefined for a text (server/core.c `set_error_document`). */
function documentOf({ arguments: [code, written] }: Directive): Document | undefined {
  const text = written?.value ?? "";
  if (text.includes(" ") || text.toLowerCase() === "default") return undefined;
  if (text.startsWith("/")) return { kind: "path", path: text };
  // The server ignores a URL for 401.
  return /^[\w+.-]+:/.test(text) && Number.parseInt(code?.value ?? "", 10) !== 401 ? { kind: "url" } : undefined;
}

const errorDocument: ReadonlySet<string> = new Set(["errordocument"]);

function errorDocumentFor(layers: readonly ConfigLayer[], status: number): Directive | undefined {
  const isForStatus = ({ arguments: [code] }: Directive) => Number.parseInt(code?.value ?? "", 10) === status;
  for (const layer of layers.toReversed()) {
    const line = layer.pick(errorDocument).findLast(isForStatus);
    if (line) return line;
  }
  return undefined;
}

/**
 * Replaces an error by its document (modules/http/http_request.c `ap_die_r`): a redirect for a URL. For a path, the
 * server makes an internal request, and the client gets the status of the error, unless rules set another one.
 */
function applyErrorDocument(run: RequestContext, answered: PassResult): PassResult {
  const { status, layers, pass } = answered;
  if (status < 300 || answered.answeredBy === "backend" || answered.answeredBy === "program") return answered;
  const line = errorDocumentFor(layers, status);
  const document = line && documentOf(line);
  if (line === undefined || document === undefined) return answered;
  if (document.kind === "url") return withStatus(answered, 302, line);
  return requestDocument(run, answered, line, document.path, mainPassesOf(pass));
}

function requestDocument(
  run: RequestContext,
  answered: PassResult,
  line: Directive,
  path: string,
  [last = answered.pass, ...earlier]: readonly Pass[],
): PassResult {
  const { status, log } = answered;
  const limit = recursionLimitOf(run, "redirects");
  if (earlier.length >= limit.max) {
    const errorMessages = [...(last.errorMessages ?? []), limit.errorMessage];
    const pass = replaceLast(answered.pass, { ...last, errorMessages });
    return { ...answered, log: [...log, limit.code], pass };
  }
  // The server's expressions in it are evaluated per request.
  if (path.includes("%{")) return { ...answered, hasUnknownLog: true };
  const from: Pass = {
    ...last,
    ...{ isAuthorized: last.state !== undefined },
    request: { ...last.request, method: "GET", sent: last.request.sent ?? last.request },
  };
  const redirect: InternalRedirect = { path, query: undefined, by: line, isEnded: false, from, errorStatus: status };
  const found = runRedirect(run, { ...answered, log: [], pass: from }, redirect, earlier.length);
  const next = found.pass.next;
  const pass = next ? replaceLast(answered.pass, { ...last, next }) : answered.pass;
  const isKnown = next !== undefined && found.answeredBy === undefined && !hasOtherLogin(last, next.pass);
  const result = { ...answered, log: [...log, ...found.log], pass, ...(isKnown ? {} : { hasUnknownLog: true }) };
  if (next === undefined || !isAnsweredByRules(found))
    return { ...result, loggedStatus: found.status === 200 ? status : found.status };
  return applyErrorDocument(run, { ...withStatus(result, found.status, line), layers: found.layers });
}

/** Reports whether an error document has another AuthType: credentials for one type are none for the other. */
function hasOtherLogin(failed: Pass, document: Pass): boolean {
  const [before, after] = [failed, document].map((pass) =>
    passesOf(pass).map(({ state }) => state && authTypeOf(state)),
  );
  return before?.some((type) => type !== undefined && after?.some((other) => (other ?? type) !== type)) === true;
}

/**
 * Returns what the client gets if the Host header or the path is rejected: only the document of that error can change
 * it (server/protocol.c `ap_read_request`, server/request.c `ap_process_request_internal`).
 */
export function respondEarly(run: RequestContext, request: Request, rejected: RequestOutcome): RequestOutcome {
  const answered = { ...rejected, isRejectedEarly: true } as const;
  if (request.tracker) return answered;
  const limited = limitBody(run, request, answered);
  if (limited !== answered) return limited;
  const line = errorDocumentFor(answered.layers, answered.status);
  const document = line && documentOf(line);
  if (line === undefined || document === undefined) return answered;
  const { status, log, replacedBy = [] } = answered;
  const replaced = { ...answered, accessStatus: status, replacedBy: [...replacedBy, line] };
  if (document.kind === "url") return { ...replaced, status: 302 };
  const url = normalizePath(document.path, run.setup.project.release, slashRulesOf(answered.layers));
  if ("status" in url) return { ...answered, hasUnknownLog: true };
  const inner = { ...withRewrittenUrl(request, document.path, undefined), method: "GET" };
  const found = answerRequest(run, inner, url, { errorStatus: status });
  const { pass, answeredBy } = found;
  const known = { pass, log: [...log, ...found.log], hasUnknownLog: answeredBy !== undefined };
  return isAnsweredByRules(found) ? { ...replaced, ...known, status: found.status } : { ...answered, ...known };
}

/**
 * Reports whether rules answer the request for an error document with a status of their own. Other errors of that request
 * leave the status of the first error (modules/http/http_request.c `ap_die_r`).
 */
function isAnsweredByRules({ pass }: PassResult): boolean {
  const [end] = mainPassesOf(pass);
  const to = end?.rewriting.sections?.to ?? end?.rewriting.url?.to;
  return to?.kind === "answered" && to.replacesError;
}

/** Replaces the pass over the last URL. */
function replaceLast(pass: Pass, last: Pass): Pass {
  return pass.next ? { ...pass, next: { ...pass.next, pass: replaceLast(pass.next.pass, last) } } : last;
}
