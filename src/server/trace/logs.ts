import { nativePath, resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import { fromReadable } from "../../text/source.js";
import type { AccessResult, AccessState } from "../access/access-state.js";
import { authTypeTextOf } from "../access/authentication.js";
import type { AccessRecorder } from "../model/access-recorder.js";
import { fileOf, mainPassesOf, type Pass } from "../model/pass.js";
import { headerOf, type Request, requestLineOf } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import { looksUpNames } from "../request/server-names.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import { isLoggedAt, knownLevelOf } from "./log-level.js";

/** Error log messages of modules/aaa and server/request.c, by number. */
const messages: Readonly<Record<string, (state: AccessState, pass: Pass) => string>> = {
  AH00025: ({ path }, { answer }) =>
    `configuration error:  couldn't check ${answer?.user === undefined ? "user" : "authorization"}: ${path}`,
  AH00027: ({ path }) => noAuthenticationMessage(path),
  AH00028: ({ path }) => noAuthenticationMessage(path),
  AH01615: ({ path }) => `need AuthName: ${path}`,
  AH01617: ({ request, path }) =>
    `user ${fromReadable(request.user ?? "")}: authentication failure for "${path}": Password Mismatch`,
  AH01618: ({ request, path }) => `user ${fromReadable(request.user ?? "")} not found: ${path}`,
  AH01619: () => "AuthUserFile not specified in the configuration",
  AH01620: unreadableFileMessage,
  AH01621: () => "AuthUserFile not specified in the configuration",
  AH01622: unreadableFileMessage,
  AH01623: ({ request }, pass) =>
    `client method denied by server configuration: '${request.method}' to ${fileOf(pass)}`,
  AH01627: () => "AuthType configured with no corresponding authorization directives",
  AH01629: ({ path }) => `authorization failure (no authenticated user): ${path}`,
  AH01630: deniedMessage,
  AH01631: ({ request, path }) => `user ${fromReadable(request.user ?? "")}: authorization failure for "${path}": `,
  AH01780: ({ path }) => `need AuthName: ${path}`,
  AH01790: (state) => `user \`${userAndRealm(state)} not found: ${state.path}`,
  AH01791: (state) => `user \`${userAndRealm(state)} denied by provider: ${state.path}`,
  AH01794: ({ request, path }) => `user ${fromReadable(request.user ?? "")}: password mismatch: ${path}`,
  AH01807: ({ request, path }) =>
    `user '${fromReadable(request.user ?? "")}': authentication failure for "${path}": password Mismatch`,
  AH01808: ({ request, path }) => `user '${fromReadable(request.user ?? "")}' not found: ${path}`,
  AH01810: ({ path }) => `need AuthName: ${path}`,
  AH01796: (state) => `AuthType ${authTypeTextOf(state) ?? ""} configured without corresponding module`,
  AH01797: deniedMessage,
  AH02219: (_, pass) => `access to ${fileOf(pass)} failed, reason: SSL connection required`,
  AH02229: (_, pass) => `access to ${fileOf(pass)} failed, reason: SSL requirement expression not fulfilled`,
  AH02558: () => "no AuthLDAPURL",
  AH10158: () => "cannot perform post-handshake authentication",
  AH10285: unreadableDbmMessage,
};

/** Quotes user and realm as mod_auth_digest does. */
function userAndRealm(state: AccessState): string {
  return `${fromReadable(state.request.user ?? "")}' in realm \`${fromReadable(wordIn(state, "authname"))}'`;
}

function noAuthenticationMessage(path: string): string {
  return `No authentication done but request not allowed without authentication for ${path}. Authentication not configured?`;
}

function deniedMessage(_: AccessState, pass: Pass): string {
  return `client denied by server configuration: ${fileOf(pass)}`;
}

function wordIn(state: AccessState, key: string): string {
  return state.config.setting(key)?.arguments[0]?.value ?? "";
}

function unreadableFileMessage({ project }: AccessState, { answer }: Pass): string {
  const line = decidingLineOf(answer, "authuserfile");
  return `Could not open password file: ${nativePath(resolvePath(project.serverRoot, line?.arguments[0]?.value ?? ""))}`;
}

function unreadableDbmMessage(state: AccessState, { answer }: Pass): string {
  const line = decidingLineOf(answer, "authdbmuserfile");
  const file = line ? nativePath(resolvePath(state.project.serverRoot, line.arguments[0]?.value ?? "")) : "(null)";
  const ofAlias = line?.parent?.children?.findLast(({ key }) => key === "authdbmtype");
  const type = ofAlias?.arguments[0]?.value ?? wordIn(state, "authdbmtype");
  return `could not open dbm (type ${type || "default"}) file: ${file}`;
}

/** Returns the deciding line that names a file, even if an AuthnProviderAlias sets it. */
function decidingLineOf(answer: AccessResult | undefined, key: string): Directive | undefined {
  return answer?.by.find((line) => line.key === key);
}

/**
 * Returns the error log lines for a request, each starting at the message number. 2.2 has no numbers; only its message
 * for a denied client is given. If the LogLevel is not the same for all messages, it counts as the default.
 */
export function formatErrorLog(outcome: RequestOutcome, request: Request, setup: SimulationSetup): string[] {
  const referer = headerOf(request, "Referer");
  const suffix = referer === undefined ? "" : `, referer: ${escapeLogText(fromReadable(referer), false)}`;
  const level = knownLevelOf(outcome) ?? "warn";
  const logged = collectMessages(outcome, setup).filter((line) => isLoggedAt(level, line));
  return logged.map((line) => escapeLogText(line, false) + (messageOfServer.test(line) ? "" : suffix));
}

/** Messages without reference to the request: while a `.htaccess` file is read, and about a connection or a process. */
const messageOfServer = /^AH0(?:1241|1961|229[56]):/;

function collectMessages(outcome: RequestOutcome, setup: SimulationSetup): string[] {
  const { pass, requestLine } = outcome;
  // mod_ssl reports this below the default LogLevel.
  if (requestLine !== undefined) return [];
  const early = outcome.errorMessages ?? [];
  return pass ? [...early, ...messagesFrom(pass, setup, new Set())] : [...early];
}

/**
 * Returns the messages of a pass and its subsequent passes. @param read the `.htaccess` files read so far: each is read
 * once
 */
function messagesFrom(pass: Pass, setup: SimulationSetup, read: Set<HtaccessFile>): string[] {
  const { inner, errorMessages = [], next } = pass;
  return [
    ...messagesOfPass(pass, setup, read),
    ...inner.flatMap((each) => messagesFrom(each, setup, read)),
    ...errorMessages,
    ...(next ? messagesFrom(next.pass, setup, read) : []),
  ];
}

function messagesOfPass(pass: Pass, setup: SimulationSetup, read: Set<HtaccessFile>): string[] {
  const { url, sections } = pass.rewriting;
  const ofRules = [url, sections].map((rewriting) => (rewriting?.to?.kind === "answered" ? rewriting.to.log : []));
  const [ofUrl = [], inSections = []] = isSince(setup.project.release, "2.4") ? ofRules : [];
  const onAccess = messagesOnAccess(pass, setup);
  return [...ofUrl, ...messagesOnReading(pass, read), ...onAccess, ...inSections, ...invalidRedirectMessages(pass)];
}

/** Returns messages for the errors that Nonfatal of AllowOverride ignores in `.htaccess` files. */
function messagesOnReading({ walked }: Pass, read: Set<HtaccessFile>): string[] {
  const found = walked?.htaccess.filter(({ file }) => !read.has(file)) ?? [];
  for (const { file } of found) read.add(file);
  return found.flatMap(({ verdict }) => (verdict.kind === "ignored" ? [] : (verdict.remarks ?? [])));
}

const codesBeforeRequire = new Set(["AH01623", "AH01797", "AH02219", "AH02229", "AH10158"]);

/** Returns the access messages: first those from before Require, then those of providers, then the decision. */
function messagesOnAccess(pass: Pass, setup: SimulationSetup): string[] {
  const { walked, state, answer } = pass;
  if (walked?.refused) {
    const file = refusedFileName(walked.refused, walked);
    const { server, problem } = walked.refused.refusal;
    return [`${file}: ${fromReadable(server ?? problem)}`];
  }
  if (walked?.isTooLong || walked?.unfollowed)
    return isSince(setup.project.release, "2.4") ? [unfollowedLinkMessage(pass.path, walked)] : [];
  if (state === undefined || answer === undefined) return [];
  if (!isSince(setup.project.release, "2.4")) return answer.status === 403 ? [deniedMessage(state, pass)] : [];
  const lineOf = (code: string) => `${code}: ${messages[code]?.(state, pass) ?? ""}`;
  const isOld = (code: string) => codesBeforeRequire.has(code);
  return [
    ...answer.log.filter(isOld).map(lineOf),
    ...(state.remarks ?? []),
    ...answer.log.filter((code) => !isOld(code)).map(lineOf),
  ];
}

/** Returns the path by which the server opened a rejected file. */
function refusedFileName({ file }: NonNullable<DirectoryWalk["refused"]>, { htaccess }: DirectoryWalk): string {
  const { path } = file.tree.source;
  const directory = htaccess.findLast((each) => each.file === file)?.directory;
  return directory === undefined ? path : `${directory}${path.slice(path.lastIndexOf("/"))}`;
}

function unfollowedLinkMessage(path: string, { unfollowed, filename }: DirectoryWalk): string {
  return unfollowed
    ? `${unfollowed}: Symbolic link not allowed or link target not accessible: ${nativePath(filename)}`
    : `AH00036: access to ${path} failed (filesystem path '${nativePath(filename)}')`;
}

/**
 * Returns the message of mod_alias for a RedirectMatch without a valid target, before access control or, in a section,
 * after it.
 */
function invalidRedirectMessages({ mapping, redirect, path }: Pass): string[] {
  const { invalidLocation } = redirect ?? (mapping.kind === "answered" ? mapping : {});
  if (invalidLocation === undefined) return [];
  const why = "target is not a valid absoluteURI or abs_path";
  return [`${redirect ? "AH00676" : "AH00674"}: cannot redirect '${path}' to '${invalidLocation}'; ${why}`];
}

/**
 * Returns the access-log line in the common format, without time and size, which are unknown: `192.0.2.7 - alice "GET
 * /x HTTP/1.1" 403`. It names the user if the server checked credentials and got a name. It names the client by host
 * name if that was looked up, even for a rule (modules/loggers/mod_log_config.c).
 *
 * @param status if undefined, a dash represents it
 */
export function formatAccessLogLine(
  request: Request,
  status: number | undefined,
  outcome: RequestOutcome,
  watch: AccessRecorder,
): string {
  const { user, clientIp, clientHost } = request;
  const isNamed = clientHost !== undefined && (watch.hostName || looksUpNames(outcome.layers));
  const client = isNamed ? clientHost.toLowerCase() : clientIp;
  const line = outcome.requestLine ?? requestLineOf(request);
  const name = user !== undefined && logsUser(outcome, watch) ? user || '""' : "-";
  const logged = status === undefined ? "-" : (outcome.loggedStatus ?? status);
  return `${formatLogField(client)} - ${name === '""' ? name : formatLogField(name)} "${escapeLogText(line, true)}" ${logged}`;
}

/**
 * Returns whether the last pass checked the user. A pass that skips the access check keeps the earlier user
 * (server/request.c).
 */
export function logsUser({ pass }: RequestOutcome, watch: AccessRecorder): boolean {
  const passes = pass ? mainPassesOf(pass) : [];
  if (passes[0]?.isRefusedUrl) return false;
  const last = passes.find(({ answer, isAuthorized }) => answer !== undefined || !isAuthorized);
  return last?.state !== undefined && watch.hasReadUser(last.state.request);
}

function formatLogField(text: string): string {
  return escapeLogText(fromReadable(text), true);
}

const logEscapes: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};

/**
 * Escapes a binary string as httpd does in its logs: one line of printable ASCII (server/util.c `ap_escape_logitem`,
 * `ap_escape_errorlog_item`).
 *
 * @param quotes whether to escape quotes too, as in the access log
 */
export function escapeLogText(text: string, quotes: boolean): string {
  const escaped = text.replace(
    /[^ -~]|\\/g,
    (byte) => logEscapes[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return quotes ? escaped.replaceAll('"', '\\"') : escaped;
}
