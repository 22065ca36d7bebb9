import type { Directive } from "../../config/model/directive.js";
import { quoteText } from "../../text/words.js";
import { authTypeOf } from "../access/authentication.js";
import type { ConfigLayer } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { type InternalRedirect, mainPassesOf, type Pass, passesOf } from "../model/pass.js";
import { type PassResult, type RequestOutcome, withStatus } from "../model/request-outcome.js";
import type { RequestContext } from "../model/simulation-setup.js";
import { unknownFact } from "../model/unknown-facts.js";
import { markIfUndefined } from "../sections/undecidable-lines.js";
import { answersWithOnePage, handlerOf } from "./handler-lookup.js";
import { requestAfterFixups, runRedirect } from "./passes.js";
import { recursionLimitOf } from "./recursion-limit.js";

/** Reports whether the document of an error is a path of the server itself. */
export function hasLocalDocument({ layers, status }: RequestOutcome): boolean {
  const line = status < 300 ? undefined : errorDocumentFor(layers, status);
  return line !== undefined && documentOf(line)?.kind === "path";
}

/** Reports whether the document of an error is a URL of another server. */
export function hasUrlDocument({ layers, status }: Pick<RequestOutcome, "layers" | "status">): boolean {
  const line = errorDocumentFor(layers, status);
  return line !== undefined && documentOf(line)?.kind === "url";
}

/** Returns the Location header for a document; undefined if the value of an expression in it is unknown. */
export function locationOfDocument(
  { url }: Document & { readonly kind: "url" },
  pass: Pass | undefined,
): string | undefined {
  if (!url.includes("%{")) return url;
  return pass?.state && pass.walk.textOf(url, pass.state.config, pass.state.filename);
}

type Document = { readonly kind: "url"; readonly url: string } | { readonly kind: "path"; readonly path: string };

/**
 * Returns the document of an ErrorDocument line; undefined for a text (server/core.c `set_error_document`).
 *
 * @param oracle is told if that depends on a variable that is not set
 */
export function documentOf(line: Directive, oracle?: Oracle): Document | undefined {
  const [code, written] = line.arguments;
  const text = written?.value ?? "";
  if (text.includes(" ") || text.toLowerCase() === "default") return undefined;
  if (text.startsWith("/")) return { kind: "path", path: text };
  if (!/^[\w+.-]+:/.test(text)) {
    if (oracle) markIfUndefined(line, oracle);
    return undefined;
  }
  // The server ignores a URL for 401.
  return Number.parseInt(code?.value ?? "", 10) === 401 ? undefined : { kind: "url", url: text };
}

/** Reports whether an ErrorDocument line for 401 has a URL, which the server ignores. */
export function ignoresDocument(line: Directive): boolean {
  const [code, written] = line.arguments;
  const text = written?.value ?? "";
  return Number.parseInt(code?.value ?? "", 10) === 401 && /^[\w+.-]+:/.test(text) && !text.includes(" ");
}

const errorDocument: ReadonlySet<string> = new Set(["errordocument"]);

/** Returns the ErrorDocument line for a status. */
export function errorDocumentFor(layers: readonly ConfigLayer[], status: number): Directive | undefined {
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
export function applyErrorDocument(run: RequestContext, answered: PassResult): PassResult {
  const { status, layers, pass } = answered;
  if (status < 300 || answered.answeredBy === "backend" || answered.answeredBy === "program") return answered;
  const line = errorDocumentFor(layers, status);
  const document = line && documentOf(line, run.oracle);
  if (line === undefined || document === undefined) return answered;
  if (document.kind === "url") return withStatus(answered, 302, line, locationOfDocument(document, pass));
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
  if (path.includes("%{")) return openStatus(run, { ...answered, hasUnknownLog: true }, line, "the document");
  const from: Pass = {
    ...last,
    ...{ isAuthorized: last.state !== undefined },
    request: { ...last.request, method: "GET", sent: last.request.sent ?? last.request },
  };
  const redirect: InternalRedirect = { path, query: undefined, by: line, isEnded: false, from, errorStatus: status };
  const inner = runOfDocument(run);
  const found = runRedirect(inner, { ...answered, log: [], pass: from }, redirect, earlier.length, {
    ...requestAfterFixups(run, last),
    method: "GET",
    sent: last.request.sent ?? last.request,
  });
  if (inner.oracle.undecidable !== undefined)
    return openStatus(run, { ...answered, hasUnknownLog: true }, line, "the document");
  const next = found.pass.next;
  const pass = next ? replaceLast(answered.pass, { ...last, next }) : answered.pass;
  const isKnown = next !== undefined && found.answeredBy === undefined && !hasOtherLogin(last, next.pass);
  const result = { ...answered, log: [...log, ...found.log], pass, ...(isKnown ? {} : { hasUnknownLog: true }) };
  if (next === undefined || !isAnsweredByRules(found)) {
    const isSent = found.status < 300 || found.answeredBy !== undefined;
    const documentLayers = isSent ? { documentLayers: found.layers } : {};
    const unchanged = { ...result, ...documentLayers, loggedStatus: found.status === 200 ? status : found.status };
    return openDocument(run, unchanged, line, found);
  }
  return applyErrorDocument(run, { ...withStatus(result, found.status, line, found.location), layers: found.layers });
}

/**
 * Returns the run of the request for an error document. What is unknown of the document leaves only its effect open: the
 * error itself, and the decision on access, come before it.
 */
export function runOfDocument(run: RequestContext): RequestContext {
  return { ...run, oracle: run.oracle.createInner() };
}

/**
 * Returns what may set the status of an error document: a backend or a program. Pages of the server's own modules leave it
 * (mod_proxy_http.c `ap_proxy_http_process_response`, util_script.c `ap_scan_script_header_err_core`).
 */
function responderWithStatus({ answeredBy, served }: PassResult): string | undefined {
  if (answeredBy === "backend") return "the backend";
  return answeredBy === "program" && !isOwnPage(served) ? "the program" : undefined;
}

function isOwnPage({ state, mapping, walked }: Partial<Pass> = {}): boolean {
  const handler = state && mapping && walked ? handlerOf(state, mapping, walked) : undefined;
  return handler !== undefined && state !== undefined && answersWithOnePage(handler, state.project);
}

/** Leaves the status of an error open if a backend or a program answers for its document. Access is as before. */
export function openDocument<T extends RequestOutcome>(
  run: RequestContext,
  answered: T,
  by: Directive,
  found: PassResult,
): T {
  const responder = responderWithStatus(found);
  return responder === undefined ? answered : openStatus(run, { ...answered, document: { by, found } }, by, responder);
}

/** Leaves the status of an error open that its document may replace. Access is as before. */
export function openStatus<T extends RequestOutcome>(
  { oracle }: RequestContext,
  answered: T,
  line: Directive,
  responder: string,
): T {
  const isOther = unknownFact("status-by-document", responder, quoteText(`${line.name} ${line.argumentText}`));
  return oracle.ask(isOther) ? withStatus(answered, 200, line) : answered;
}

/** Reports whether an error document has another AuthType: credentials for one type are none for the other. */
function hasOtherLogin(failed: Pass, document: Pass): boolean {
  const [before, after] = [failed, document].map((pass) =>
    passesOf(pass).map(({ state }) => state && authTypeOf(state)),
  );
  return before?.some((type) => type !== undefined && after?.some((other) => (other ?? type) !== type)) === true;
}

/**
 * Reports whether rules answer the request for an error document with a status of their own. Other errors of that request
 * leave the status of the first error (modules/http/http_request.c `ap_die_r`).
 */
export function isAnsweredByRules({ pass }: PassResult): boolean {
  const [end] = mainPassesOf(pass);
  const to = end?.rewriting.sections?.to ?? end?.rewriting.url?.to;
  return to?.kind === "answered" && to.replacesError;
}

/** Replaces the pass over the last URL. */
export function replaceLast(pass: Pass, last: Pass): Pass {
  return pass.next ? { ...pass, next: { ...pass.next, pass: replaceLast(pass.next.pass, last) } } : last;
}
