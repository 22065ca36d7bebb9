import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { isSince } from "../../facts/release.js";
import type {
  Alternative,
  Answer,
  AnswerCase,
  DecisionClass,
  Destination,
  ErrorDocument,
  FactCondition,
} from "../../server/model/answer.js";
import { isAuthority, type Request } from "../../server/model/request.js";
import type { ReplacedSection, TracedSection, TraceStep } from "../../server/model/trace-step.js";
import { clauseOfFact, grantOfFact, isFact, isUnusual, wordsOfFact } from "../../server/model/unknown-facts.js";
import { isMalformedHost } from "../../server/request/request-parser.js";
import { quoteLine } from "../../server/trace/step.js";
import { toReadable } from "../../text/source.js";
import { formatWordList } from "../../text/words.js";
import { makeVisible } from "../text/visible-text.js";
import { redactText } from "./answer-json.js";
import { destinationOfCase, listedCasesOf, responderOfCase, shownCaseOf } from "./shown-case.js";

/** Reason phrases of the statuses that occur here (RFC 9110). */
const statusPhrases: Readonly<Record<number, string>> = {
  200: "OK",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  410: "Gone",
  413: "Content Too Large",
  414: "URI Too Long",
  421: "Misdirected Request",
  426: "Upgrade Required",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** Returns the reasons for a verdict, to follow it: ` (AH01630, httpd.conf:3)`. Empty if there are none. */
export function formatReasons(reasons: readonly string[]): string {
  return reasons.length === 0 ? "" : ` (${makeVisible(redactText(reasons.join(", ")))})`;
}

/** Renders a request in one line: `GET /admin from 192.0.2.1 as alice`, with the scheme if the request line has it. */
export function formatRequest({ method, origin, host = "", path, query, clientIp, user }: Request): string {
  const authority = origin ?? (isAuthority(path) ? "" : host);
  const url = `${authority}${path}${query === undefined ? "" : `?${query}`}`;
  return makeVisible(redactText(`${method} ${url} from ${clientIp}${user === undefined ? "" : ` as ${user}`}`));
}

/** Returns a status with its reason phrase: `403 Forbidden`. */
export function formatStatus(status: number): string {
  const phrase = statusPhrases[status];
  return phrase === undefined ? String(status) : `${status} ${phrase}`;
}

/** Returns a short answer: `403`, `401`, `allowed`. */
export function formatShortAnswer({ status, class: decided }: Pick<Answer, "status" | "class">): string {
  return status === undefined ? decided : String(status);
}

/**
 * Returns the log codes that explain an answer. Under `Satisfy any`, httpd logs AH01797 before Require allows the client
 * (mod_access_compat.c `check_dir_access`).
 */
export function listDecidingLogs({
  class: decided,
  log,
}: Pick<Answer, "log"> & { readonly class: string }): readonly string[] {
  return decided === "allowed" ? log.filter((code) => code !== "AH01797") : log;
}

const SUFFICIENT_LOGIN = "`Satisfy any` makes `Require` sufficient";
const NO_CERTIFICATE =
  "`SSLVerifyClient` requires a certificate that httpd accepts; without one, the TLS handshake fails";
const NO_TLS = "`SSLRequireSSL` requires TLS, but the request does not use it";
const UNMET_CONDITION = "the condition of `SSLRequire` is false";
const UNFOLLOWED_LINK = "a symbolic link in the path is broken, or `Options` does not allow httpd to follow it";
const NO_PROXY = "a `RewriteRule` proxies the request, but mod_proxy is not loaded";
const NO_PROGRAMS = "access is granted, but `Options` does not allow httpd to run programs here";
const DIRECTORY_AS_PROGRAM = "access is granted, but the program to run is a directory";
const MISSING_PROGRAM = "access is granted, but the program to run does not exist";
const UNEXECUTABLE = "access is granted, but the program cannot be executed";
const SURPLUS_PATH = "access is granted, but httpd accepts no path after this program";
const NO_AUTH_NAME = "a login is required, but no `AuthName` applies";
const WRONG_PASSWORD = "a provider rejects the password";
const UNKNOWN_USER = "no password file or other provider knows the user";
const INVALID_HEADER = "a `Header` line adds an invalid header, so httpd returns an error instead";
const BROKEN_QUERY = "a `RewriteRule` creates a query with spaces or control characters";

/** Reasons by the message that the decision logs. */
const reasonsByMessage: Readonly<Record<string, string>> = {
  AH00025: "mod_authz_core is not loaded, so httpd cannot authorize a request",
  AH00027: "`Require` needs a login, but no `AuthType` applies",
  AH00028: "`Require` needs a login, but no `AuthType` applies",
  AH00032: UNFOLLOWED_LINK,
  AH00036: "the file name is too long",
  AH00037: UNFOLLOWED_LINK,
  AH00124: "rewriting causes an endless loop of internal redirects",
  AH00125: "index files or `FallbackResource` cause an endless loop of subrequests",
  AH00126: "a `RewriteRule` rewrites to a target that is not a path",
  AH00127: "a `RewriteRule` rewrites to a path above the root directory",
  AH00561: "a header is longer than `LimitRequestFieldSize` allows",
  AH00563: "the request has more headers than `LimitRequestFields` allows",
  AH00565: "the URL is longer than `LimitRequestLine` allows",
  AH00669: NO_PROXY,
  AH00670: "rewriting is on in this section, but `Options` does not allow httpd to follow links",
  AH00898: "the host name of the backend does not exist",
  AH01079: "access is granted, but httpd cannot connect to the backend",
  AH01144: "no loaded module connects to this backend",
  AH01215: UNEXECUTABLE,
  AH01241: UNEXECUTABLE,
  AH01262: NO_PROGRAMS,
  AH01264: MISSING_PROGRAM,
  AH01265: DIRECTORY_AS_PROGRAM,
  AH01266: SURPLUS_PATH,
  AH01276: "httpd finds no index file, and `Options` does not allow it to list the directory",
  AH01615: NO_AUTH_NAME,
  AH01617: WRONG_PASSWORD,
  AH01618: UNKNOWN_USER,
  AH01619: "the client sends a password, but no `AuthUserFile` applies",
  AH01620: "the `AuthUserFile` does not exist",
  AH01621: "the client sends a password, but no `AuthUserFile` applies",
  AH01622: "the `AuthUserFile` does not exist",
  AH01627: "an `AuthType` applies, but no `Require`",
  AH01629: "`Require` does not accept this login",
  AH01630: "`Require` does not allow this request",
  AH01631: "the login succeeds, but `Require` does not allow this user",
  AH01780: NO_AUTH_NAME,
  AH01790: "no password file or other provider knows the user in this realm",
  AH01791: "a provider rejects the user",
  AH01796: "no loaded module supports this `AuthType`",
  AH01807: WRONG_PASSWORD,
  AH01808: UNKNOWN_USER,
  AH01810: NO_AUTH_NAME,
  AH01961: "the backend uses TLS, but `SSLProxyEngine` is off for it",
  AH02031: "the client names a host in the TLS handshake, but sends no `Host` header",
  AH02032: "the TLS handshake and the `Host` header select virtual hosts with different TLS settings",
  AH02033: "the client names no host in the TLS handshake",
  AH02219: NO_TLS,
  AH02229: UNMET_CONDITION,
  AH02429: INVALID_HEADER,
  AH02430: INVALID_HEADER,
  AH02558: "the client sends a password, but no `AuthLDAPURL` applies",
  AH02596: "a `RewriteRule` with `[N]` restarts the rules in an endless loop",
  AH02809: NO_PROGRAMS,
  AH02811: MISSING_PROGRAM,
  AH02812: DIRECTORY_AS_PROGRAM,
  AH02813: SURPLUS_PATH,
  AH10158: "`SSLVerifyClient` asks for a certificate after the TLS handshake, which the client does not allow",
  AH10160: NO_PROXY,
  AH10244: "a `RewriteRule` rewrites to a URL that httpd rejects",
  AH10285: "the client sends a password, but no `AuthDBMUserFile` applies",
  AH10410: BROKEN_QUERY,
  AH10411: BROKEN_QUERY,
  AH10508: "a `RewriteRule` rewrites to a URL whose `?` comes from the requested URL",
};

/** Reports whether access is granted in the usual case, and something else refuses the request. */
export function followsGrant({ cases: [usual] }: Pick<Answer, "cases">): boolean {
  return usual?.refusal?.isAccessGranted === true;
}

/** Returns one condition of an alternative: "`/srv/x` exists: yes". */
export function formatCondition({ fact, answer }: Alternative["when"][number]): string {
  return `${clauseOfFact(fact)}: ${answer ? "yes" : "no"}`;
}

/** Returns conditions in one clause: "if `/srv/x` is a directory", "unless `/srv/x` exists". */
export function formatFactConditions(conditions: readonly FactCondition[]): string {
  const clauses = conditions.map(({ fact, answer }) => {
    const clause = clauseOfFact(fact);
    if (clause === wordsOfFact(fact)) return { isIf: true, text: `${clause} is \`${answer ? "true" : "false"}\`` };
    return { isIf: answer, text: clause };
  });
  const of = (isIf: boolean) => clauses.filter((each) => each.isIf === isIf).map(({ text }) => text);
  const [holding, failing] = [of(true), of(false)];
  return [
    ...(holding.length > 0 ? [`if ${formatWordList(holding)}`] : []),
    ...(failing.length > 0 ? [`unless ${formatWordList(failing, "or")}`] : []),
  ].join(", ");
}

/** Reasons of a denial that `Satisfy any` allows a login to override, by message. */
const overridableDenials: Readonly<Record<string, (lines: readonly Directive[]) => string>> = {
  AH01797: describeCompatDenial,
  AH02219: () => NO_TLS,
  AH02229: () => UNMET_CONDITION,
};

/** Returns why mod_access_compat denies a client, by the line that decides. */
function describeCompatDenial(decidedBy: readonly Directive[]): string {
  const [line, ...others] = decidedBy.filter(({ key }) => key === "order" || key === "allow" || key === "deny");
  if (line === undefined || others.length > 0) return "`Order`, `Allow` and `Deny` deny this client";
  return `${quoteLine(line)} denies this client${line.key === "order" ? ", which no `Allow` line allows" : ""}`;
}

/** Returns the reason that a message stands for; undefined if it has no words. */
function reasonOf(code: string, { decidedBy, destination, log }: ExplainedCase): string | undefined {
  if (code === "AH01144" && destination?.target?.startsWith("balancer:") === true)
    return "httpd has no balancer for this backend";
  if (code === "AH00898" && log.includes("AH00916")) return "`ProxyBlock` blocks the host of the backend";
  return code === "AH01797"
    ? `${describeCompatDenial(decidedBy)}, and \`Require\` cannot override that`
    : reasonsByMessage[code];
}

/** The first lines about an answer: its result, the reason, and what else they depend on. */
export interface Headline {
  readonly title: string;
  readonly reason: string;
  readonly remarks: readonly string[];
  /** Whether the title is so long that the reason has its own line. */
  readonly isLong: boolean;
}

/** Returns the first lines about an answer. */
export function headlineOf(answer: Answer): Headline {
  const shown = shownCaseOf(answer);
  const title = hasNoResponse(answer) ? "no answer" : shown ? formatCase(shown) : formatTitle(answer);
  if (answer.unknownFacts.some((fact) => isFact(fact, "login-elsewhere", "password-file-elsewhere")))
    return {
      title: "login required",
      reason: "`Require` needs a login",
      remarks: answer.unknown.map((words) => `this depends on ${words}`),
      isLong: false,
    };
  const { loop } = answer;
  return {
    title: loop?.isConditional === false ? `redirect loop: ${title}` : title,
    reason: explainAnswer(answer),
    remarks: shown ? remarksOn(shown, answer) : [],
    isLong: loop !== undefined || (shown !== undefined && title !== formatTitle(shown)),
  };
}

/**
 * Reports whether a TLS handshake fails for want of a certificate, so that the client gets no answer: that of the server, before any
 * section is known. A section asks for a certificate after it, and other clients get 403 then (AH10158).
 */
export function hasNoResponse({ status, decidedBy: [line], log, alternatives, trace }: Answer): boolean {
  const isOfServer = trace.length === 0 && alternatives.length === 0;
  return status === 403 && line?.key === "sslverifyclient" && log.length === 0 && isOfServer;
}

function remarksOn(shown: AnswerCase, answer: Answer): readonly string[] {
  const { document, destination } = shown;
  const { path } = answer.request;
  return [
    ...(lacksHost(destination.location)
      ? [
          `the request has no \`Host\` header, so this URL lacks the name; explain \`http://NAME${toShown(path)}\` to see it`,
        ]
      : []),
    ...remarkOnOpen(shown, answer),
    ...(document?.answeredBy === "program" ? [`the program of ${quoteDocument(document)} may set another status`] : []),
    ...remarkOnCases(listedCasesOf(answer)),
  ];
}

/** Names what the usual case depends on. */
function remarkOnCases(cases: readonly AnswerCase[]): readonly string[] {
  if (cases.length < 2) return [];
  const facts = cases.flatMap(({ when }) => when.map(({ fact }) => fact));
  const [first] = facts;
  const isOnly = first !== undefined && facts.every((fact) => fact === first);
  const isNamed = isOnly && isUnusual(first);
  const words = isNamed ? wordsOfFact(first) : "which files exist";
  return [`this is the usual case; it depends on ${words}`];
}

/** Reports whether a URL of a redirect has an empty name: that of the Host header of the request. */
function lacksHost(location = ""): boolean {
  return /^https?:\/\/(?:\/|$)/i.test(location);
}

/** Returns the result of a case: `301 → URL`, `proxied to URL`, `200 from FILE`, `200, a listing of DIRECTORY`, or the status with its phrase. */
export function formatCase(shown: AnswerCase): string {
  const { status, class: decided, open } = shown;
  const answeredBy = responderOfCase(shown);
  const { location, target, file, query } = destinationOfCase(shown);
  if (location !== undefined) return `${status} → ${toShown(location)}`;
  if (target !== undefined && (answeredBy === "backend" || (open !== undefined && !isError(status)))) {
    // FastCGI and the like get the query apart from the URL.
    const apart = query === undefined || target.endsWith(`?${query}`) ? "" : ` with the query ${toShown(query)}`;
    return `proxied to ${toShown(target)}${apart}`;
  }
  if (open !== undefined && (isError(status) || (status === 404 && file === undefined && target === undefined)))
    return formatStatus(status);
  if (open !== undefined && file === undefined) return "unknown";
  const isFound = status === 200 && file !== undefined;
  if (isFound && answeredBy === "listing")
    return `${open === undefined ? `${status},` : "leads to"} a listing of ${toShown(nativePath(file))}`;
  // What httpd shows of a directory, and whether a file is missing, may depend on other files, too.
  if (open !== undefined && file !== undefined && (!isFound || file.endsWith("/"))) return `leads to ${toShown(file)}`;
  return isFound && (decided === "allowed" || open !== undefined)
    ? `200 from ${toShown(nativePath(file))}`
    : formatTitle(shown);
}

/** Reports whether lines of a part cause an error; a file that is missing here may exist on the server. */
function isError(status: number | undefined): status is number {
  return status !== undefined && status >= 400 && status !== 404;
}

function toShown(text: string): string {
  return makeVisible(redactText(toReadable(text)));
}

/** What the reason for a response depends on. */
type ExplainedCase = Pick<Answer, "status" | "class" | "log" | "decidedBy" | "answeredBy"> &
  Pick<Answer, "request" | "release" | "trace"> &
  Partial<Pick<AnswerCase, "destination" | "open" | "replaced" | "document" | "refusal">>;

/** Returns the reason for a response, as a clause. */
export function explainAnswer(answer: Answer): string {
  const { status, class: decided, unknown, alternatives } = answer;
  const shown = shownCaseOf(answer);
  const { request, release, trace } = answer;
  if (shown) return explainCase({ ...shown, request, release, trace });
  if (status === undefined && decided === "unknown")
    return alternatives.length > 0
      ? "the response depends on unknown facts"
      : `the response depends on ${unknown.join(" and on ")}`;
  if (status === undefined) return explainKnownClass(decided);
  const { log, decidedBy, answeredBy, cases } = answer;
  const { refusal } = cases[0] ?? {};
  return explainCase({ status, class: decided, log, decidedBy, answeredBy, request, release, trace, refusal });
}

function explainCase(answer: ExplainedCase): string {
  const { document, open } = answer;
  if (document?.answeredBy !== "backend") return explainError(answer);
  if (open !== undefined)
    return `the backend of ${quoteDocument(document)} answers ${grantOfFact(open) ?? "if other files grant access"}`;
  return `${explainError(answer)}; the backend of ${quoteDocument(document)} answers, with a status of its own`;
}

function quoteDocument({ by }: ErrorDocument): string {
  return `\`${by.name} ${toReadable(by.argumentText)}\``;
}

/** Returns the number of the message about what refuses the request: that of its error document may follow. */
function codeOf({ log, refusal }: ExplainedCase): string | undefined {
  return refusal ? refusal.code : log.at(-1);
}

function explainError(answer: ExplainedCase): string {
  const { status, log, class: decided, open } = answer;
  const code = codeOf(answer);
  if (open !== undefined) return explainOpen(answer);
  const { replaced } = answer;
  if (replaced && replaced.status !== status)
    return `\`${replaced.by.name} ${toReadable(replaced.by.argumentText)}\` replaces the status ${replaced.status}`;
  if (status === 500 && answer.trace.some(({ role }) => role === "rejected-file"))
    return "httpd rejects a `.htaccess` file in the path";
  const ofRule = code === undefined || decided === "allowed" ? explainRule(answer) : undefined;
  if (ofRule !== undefined) return ofRule;
  if (decided === "allowed") return explainPassed(answer);
  const denial = code === undefined ? undefined : overridableDenials[code]?.(answer.decidedBy);
  if (denial !== undefined && status === 401) return `${denial}; under \`Satisfy any\`, only a login grants access`;
  // After AH01797, httpd checks Require only under `Satisfy any`.
  if (code === "AH01630" && log.includes("AH01797"))
    return "neither `Order`, `Allow` and `Deny` nor `Require` allows this request";
  if (code !== undefined && (denial === undefined || status === 403))
    return reasonOf(code, answer) ?? `httpd logs ${code}`;
  if (status === 401) {
    const hasUser = answer.request.user !== undefined;
    if (isSatisfyAny(answer)) {
      const only = `${describeCompatDenial(answer.decidedBy)}; under \`Satisfy any\`, only a login grants access`;
      return hasUser ? `${only}, and httpd does not accept this user` : only;
    }
    return hasUser ? "httpd does not accept this user" : "a login is required, but the request has none";
  }
  if (status === 403) return explainDenial(answer);
  if (answer.refusal?.isAccessGranted === true)
    return `access is granted, but ${answer.refusal.isOfProgram ? "the program did not run" : "httpd cannot answer the request"}`;
  return isSince(answer.release, "2.4") && answer.decidedBy.some(({ key }) => key === "require")
    ? "httpd cannot evaluate a `Require` line"
    : "a login is required, but the configuration does not set one up";
}

/** Returns the reason for 403 if no message has it. */
function explainDenial({ decidedBy, refusal }: ExplainedCase): string {
  const [line] = decidedBy;
  const ofTls = line && denialsByLine[line.key];
  if (ofTls !== undefined) return ofTls;
  return refusal?.isAccessGranted === true
    ? "access is granted, but httpd refuses the request"
    : describeCompatDenial(decidedBy);
}

/** Reasons by the line that decides, for releases whose messages have no numbers. */
const denialsByLine: Readonly<Record<string, string | undefined>> = {
  sslverifyclient: NO_CERTIFICATE,
  sslrequiressl: NO_TLS,
  sslrequire: UNMET_CONDITION,
};

/**
 * Reports whether `Satisfy any` applies on 2.2, which logs no denial: the last Satisfy line counts (server/core.c
 * `merge_core_dir_configs`). A login is then required only if other lines deny the client.
 */
function isSatisfyAny({ release, trace }: ExplainedCase): boolean {
  const line = trace.flatMap(({ lines }) => lines).findLast(({ key }) => key === "satisfy");
  return !isSince(release, "2.4") && line?.arguments[0]?.value.toLowerCase() === "any";
}

/** Returns the reason if the lines of a part lead somewhere, and another file may deny access before. */
function explainOpen(answer: ExplainedCase): string {
  const [line] = answer.decidedBy;
  const error = reasonOfError(answer);
  if (error !== undefined)
    return line?.key === "require" && answer.open !== undefined && !isFact(answer.open, "host-elsewhere")
      ? `httpd also checks access to the file that the URL leads to: ${error}`
      : error;
  if (isMissingFile(answer)) return "this file does not exist, so that httpd returns 404";
  const grant = answer.open === undefined ? undefined : grantOfFact(answer.open);
  const responder = nameOpenResponder(answer) ?? (grant === undefined ? "httpd serves this" : undefined);
  const clauses = [responder, grant].filter((clause) => clause !== undefined).join(" ");
  return `${clauses}${unlessDefined(answer.destination)}`;
}

/** Returns the reason for an error that the lines of a part cause. */
function reasonOfError(answer: ExplainedCase): string | undefined {
  const code = codeOf(answer);
  return isError(answer.status) && code !== undefined && reasonsByMessage[code] !== undefined
    ? reasonOf(code, answer)
    : undefined;
}

function isMissingFile({ status, destination }: Pick<ExplainedCase, "status" | "destination">): boolean {
  return status === 404 && destination?.file !== undefined;
}

/** Says what responds if other files grant access; undefined if it is the file that the title names. */
function nameOpenResponder({ status, destination, decidedBy: [line], answeredBy }: ExplainedCase): string | undefined {
  if (destination?.location !== undefined)
    return line?.key === "rewriterule" ? "a `RewriteRule` responds" : "httpd redirects";
  if (destination?.target !== undefined && !isError(status)) return "a backend answers";
  if (status === 404 && line !== undefined) return `a \`${line.name}\` responds`;
  if (answeredBy === "program") return `the handler \`${destination?.handler ?? "of the file"}\` answers`;
  if (status !== 200) return `httpd returns ${status}`;
  return destination?.file?.endsWith("/") === true ? "httpd serves this" : undefined;
}

/** Names what an answer depends on that its reason does not have. */
function remarkOnOpen(shown: AnswerCase, answer: Answer): readonly string[] {
  const { open, status } = shown;
  if (open === undefined) return [];
  const grant = grantOfFact(open);
  const { request, release, trace } = answer;
  const isCaused = reasonOfError({ ...shown, request, release, trace }) !== undefined;
  if (grant !== undefined && !isCaused && !isMissingFile(shown)) return [];
  // Access rules of other files that deny it have the same status.
  if (status === 403 && isFact(open, "access-elsewhere")) return [];
  const isCondition = grant !== undefined && status !== 403 && !isFact(open, "host-elsewhere");
  return [isCondition ? `only ${grant}` : `this depends on ${wordsOfFact(open)}`];
}

/** Says what happens if nothing provides a handler that no line or module here provides. */
function unlessDefined({ isHandlerAssumed }: Destination = {}): string {
  return isHandlerAssumed === true
    ? "; if no other file or module defines this handler, httpd sends the source text of the file"
    : "";
}

/** Returns a heading for the result under the other semantics; only its reason may differ. */
export function describeOtherAnswer(answer: Answer): string {
  const { otherAnswer, semantics } = answer;
  const isSameResult = otherAnswer !== undefined && formatShortAnswer(otherAnswer) === formatShortAnswer(answer);
  if (semantics === "server")
    return `httpd does not follow its upgrade guide here, which describes a different ${isSameResult ? "reason" : "result"}`;
  return isSameResult ? "httpd has a different reason" : "httpd returns a different result";
}

/** Returns the reason if a rewrite rule or a Redirect decides the response. */
function explainRule({ status, decidedBy: [line], trace, destination }: ExplainedCase): string | undefined {
  if (line?.key !== "rewriterule" && !line?.key.startsWith("redirect")) return undefined;
  // A rule may also lead to a file, which is missing.
  const isFileMissing = status === 404 && !answersItself(line, trace) && destination?.file !== undefined;
  if (status === 200 || isFileMissing) return undefined;
  const by = line.key === "rewriterule" ? "a `RewriteRule` responds" : `a \`${line.name}\` responds`;
  return isAnsweredEarly(trace) ? `${by} before access is checked` : `access is granted, then ${by}`;
}

/** Reports whether a line responds, also with 404: a Redirect, or a rule before access is checked. */
function answersItself({ key }: Directive, trace: readonly TraceStep[]): boolean {
  return key.startsWith("redirect") || isAnsweredEarly(trace);
}

/** Returns whether the server responds before it checks access. */
function isAnsweredEarly(trace: readonly TraceStep[]): boolean {
  return trace.some(({ role }) => role === "early-response");
}

/** Returns the reason for a response whose class is known, but not its status. */
function explainKnownClass(decided: DecisionClass): string {
  return `access is ${decided === "allowed" ? "granted" : `denied with ${decided}`}; the status depends on unknown facts`;
}

/** The parts of an answer that its title shows. */
export type TitledAnswer = Pick<Answer, "status" | "class"> & Partial<Pick<Answer, "answeredBy">>;

/**
 * Returns the title of an answer: the status, or what is known of the response without it. A backend chooses the status
 * itself.
 */
export function formatTitle(answer: TitledAnswer): string {
  const { status, class: decided } = answer;
  if (status !== undefined && !isByBackend(answer)) return formatStatus(status);
  return decided === "allowed" ? decided : "unknown";
}

function isByBackend({ status, answeredBy }: TitledAnswer): boolean {
  return status === 200 && answeredBy === "backend";
}

/** Messages about a request that exceeds a limit. */
const limitMessages: ReadonlySet<string> = new Set(["AH00561", "AH00563", "AH00565"]);

/** Messages about an invalid response header. */
const headerMessages: ReadonlySet<string> = new Set(["AH02429", "AH02430"]);

function explainPassed(answer: ExplainedCase): string {
  const reason = explainGranted(answer);
  const { destination = {}, request } = answer;
  if (isByBackend(answer)) {
    const by =
      destination.handler === undefined ? "a backend" : `the backend of the handler \`${destination.handler}\``;
    return `${reason}; ${by} answers, with a status of its own`;
  }
  if (answer.status !== 200 || destination.file === undefined) return reason;
  const handled =
    destination.handler === undefined
      ? ""
      : `; the handler \`${destination.handler}\` answers${unlessDefined(destination)}`;
  const isRewritten = destination.query !== undefined && destination.query !== request.query;
  return `${reason}${handled}${isRewritten ? `; rules set the query \`${toReadable(destination.query ?? "")}\`` : ""}`;
}

function explainGranted(answer: ExplainedCase): string {
  const { status, decidedBy, log, trace, request, release, destination } = answer;
  const code = codeOf(answer) ?? "";
  if (status === 400 && decidedBy.some(({ key }) => key === "sslengine"))
    return "httpd requires TLS on this port, but the request does not use it";
  if (status === 400 && isMalformedHost(request.host))
    return "the `Host` header is malformed; httpd rejects the request before it applies any rule";
  const ofName = code === "AH02031" || code === "AH02032" ? reasonsByMessage[code] : undefined;
  if (ofName !== undefined) return ofName;
  if (limitMessages.has(code) && reasonsByMessage[code] !== undefined)
    return `${reasonsByMessage[code]}; httpd rejects the request before it applies any rule`;
  // An error document has steps of its own.
  if (trace.length === 0 || (status === 400 && decidedBy.length === 0))
    return "httpd rejects the URL before it applies any rule";
  if (code === "AH01623") return "`AllowMethods` does not include the method";
  if (status === 500 && headerMessages.has(code)) return `access is granted, but ${INVALID_HEADER}`;
  if (status === 503 && decidedBy.some(({ key }) => key.startsWith("proxypass")))
    return "access is granted, but the balancer has no members";
  if (status === 404 && destination?.pathInfo !== undefined)
    return "access is granted, but httpd accepts no path after this file";
  if (status === 404 && destination?.file !== undefined) {
    // httpd also returns 404 for a directory for which no module responds (server/core.c `default_handler`).
    const absence =
      destination.isUnansweredDirectory === true
        ? "is a directory, and no module responds for it"
        : destination.file.endsWith("/")
          ? "does not exist, or has no index file"
          : "does not exist";
    return `access is granted, but \`${nativePath(toReadable(destination.file))}\` ${absence}`;
  }
  if (status === 404) return "access is granted, but the file does not exist";
  if (status === 405 || status === 501) return "access is granted, but httpd does not serve files for this method";
  if (status === 413) return "the body of the request is longer than `LimitRequestBody` allows";
  if (isAnsweredEarly(trace)) return "httpd responds before access is checked";
  if (status === 400 && decidedBy.some(({ key }) => key.startsWith("proxypass")))
    return "access is granted, but the URL of the backend is invalid";
  if (status === 406) return "access is granted, but the client accepts none of the files";
  if (status !== undefined && status >= 400) return "access is granted, but httpd refuses the request";
  if (status === 301) return "access is granted; httpd redirects to the path of the directory with a slash";
  if (log.includes("AH01797")) return `${describeCompatDenial(decidedBy)}, but ${SUFFICIENT_LOGIN}`;
  // 2.2 logs no such message. Only if other lines deny access does `Satisfy any` make httpd check Require.
  if (!isSince(release, "2.4") && decidedBy[0]?.key === "satisfy" && decidedBy.some(({ key }) => key === "require"))
    return `other lines deny this client, but ${SUFFICIENT_LOGIN}`;
  return decidedBy.length > 0 ? "access is granted" : "access is granted; nothing restricts it";
}

/** Returns the effects of a step on others, by their numbers. */
export function stepRelationsOf(step: TraceStep, trace: readonly TraceStep[]): string[] {
  const replaced = (rules: ReplacedSection["rules"]) =>
    namesOf(
      step,
      step.replaced.filter((each) => each.rules === rules),
      trace,
    );
  const [old, require, combined] = [replaced("old"), replaced("require"), namesOf(step, step.combined, trace)];
  return [
    ...(old === "" ? [] : [`overrides \`Order\`, \`Allow\` and \`Deny\` of ${old}`]),
    ...(require === "" ? [] : [`overrides \`Require\` of ${require}`]),
    ...(combined === "" ? [] : [`its \`Require\` lines apply together with those of ${combined}`]),
  ];
}

function namesOf(step: TraceStep, sections: readonly TracedSection[], trace: readonly TraceStep[]): string {
  return formatWordList(sections.map((section) => nameOfSection(step, section, trace)));
}

/** Names a section by its step; by its own name if that step is not shown. */
function nameOfSection(from: TraceStep, { section, span }: TracedSection, trace: readonly TraceStep[]): string {
  const at = trace.findLastIndex((step) => step.span.file === span.file && step.span.start === span.start);
  if (at >= 0) return `step ${at + 1}`;
  return section === from.section ? `an earlier \`${section}\`` : `\`${section}\``;
}
