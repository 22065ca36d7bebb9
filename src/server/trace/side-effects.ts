import { nativePath } from "../../config/files/paths.js";
import { type Directive, findSectionAround } from "../../config/model/directive.js";
import { isPrivateAddress } from "../../text/addresses.js";
import { toReadable } from "../../text/source.js";
import { formatWordList } from "../../text/words.js";
import { readRedirect } from "../mapping/redirects.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import { mainPassesOf, type Pass, passesOf } from "../model/pass.js";
import { compileRegexPattern, stripAliasPrefix } from "../model/patterns.js";
import { headerOf } from "../model/request.js";
import { leadsToSlash } from "../phases/directory.js";
import { documentOf, errorDocumentFor, ignoresDocument } from "../phases/error-documents.js";
import { backendOf } from "../phases/handler.js";
import { findHandlerLine, isHandlerOfHttpd } from "../phases/handler-lookup.js";
import { findLanguageFallback } from "../phases/negotiation.js";
import { listUsedRules } from "../rewrite/rule-merging.js";
import type { RewriteCondition } from "../rewrite/rule-parser.js";
import {
  explainAllowMethods,
  explainCertificate,
  explainContainer,
  explainDocumentDenial,
  explainFilesAfterDirectories,
  explainInheritedSatisfy,
  explainLateVariable,
  explainLimitExcept,
  explainLostBody,
  explainMissingRequire,
  explainPreflight,
  explainProxySection,
  explainRequireOfLater,
  explainTlsForAllPorts,
  explainTlsRequirement,
  explainUncheckedRedirect,
  explainVariableBeforeRedirect,
} from "./access-causes.js";
import { explainOtherPools, explainProxyBlock } from "./backend-causes.js";
import type { ExplainedRun } from "./causes.js";
import { destinationOf, sentUrlOf } from "./destination.js";
import { explainForeignScript } from "./fastcgi-path.js";
import {
  explainEmptyListing,
  explainForeignFallback,
  explainLaterIndex,
  explainMissingPasswords,
  explainRelativeFallback,
  explainRenamedVariable,
} from "./file-causes.js";
import { explainUncompressedType } from "./filter-causes.js";
import { explainOtherCharset, explainOtherOrigin, explainTypeOfModule, explainUnsetValue } from "./header-causes.js";
import { ownDirectoryOf, urlOfSection } from "./own-directory.js";
import { findMatch } from "./pattern-parts.js";
import { explainLostAuthorization, explainSentFile, explainSentProgram, explainSentSource } from "./program-causes.js";
import {
  explainBrokenQuery,
  explainConditionsOfOther,
  explainDecodedQuery,
  explainEscapedRequestLine,
  explainKeptQuery,
  explainLoosePattern,
  explainLostPath,
  explainMissedExclusion,
  explainPageForFile,
  explainPrefixedHost,
  explainUnusedGroup,
  explainVariable,
  explainWellKnown,
} from "./rule-causes.js";
import { formatLine, formatWholeLine, quoteLine, quoteWritten } from "./step.js";
import { explainOverruledDenial } from "./variable-causes.js";
import { escapeRegex, quoteWord, withoutOption } from "./written-lines.js";

type Finder = (run: ExplainedRun) => readonly Cause[];

/**
 * Returns what lines do to a request beyond what a reader may expect of them, with the change that helps: the rest of a
 * path that Redirect appends, rules that run again, a document that is missing as well, and the like.
 *
 * @param isError whether the result is an error, or access is denied
 */
export function sideEffectsOf(run: ExplainedRun, isError: boolean): readonly Cause[] {
  const found = (isError ? [...finders, ...errorFinders] : finders).flatMap((find) => find(run));
  return found.slice(0, MAX_EFFECTS);
}

/** Limit of the causes that one answer shows. */
const MAX_EFFECTS = 2;

const finders: readonly Finder[] = [
  explainConditionsOfOther,
  explainLoosePattern,
  explainMissedExclusion,
  explainPrefixedHost,
  explainKeptQuery,
  explainUnusedGroup,
  explainLostPath,
  explainUncheckedRedirect,
  appendedRest,
  queryOfRules,
  slashBeforeTarget,
  escapedAgain,
  explainEscapedRequestLine,
  explainPageForFile,
  webSocketWithoutPath,
  redirectOfIndex,
  repeatedRules,
  explainLostBody,
  explainMissingRequire,
  explainInheritedSatisfy,
  explainRenamedVariable,
  explainLaterIndex,
  explainEmptyListing,
  handlerNamedLikeType,
  schemeOfSlash,
  indexOfBackend,
  unreadAddress,
  handlerBeforeFallback,
  explainOverruledDenial,
  explainProxyBlock,
  explainOtherPools,
  explainSentFile,
  explainSentProgram,
  explainSentSource,
  explainLostAuthorization,
  explainUncompressedType,
  explainForeignFallback,
  explainForeignScript,
  explainDecodedQuery,
  explainTypeOfModule,
  explainUnsetValue,
  explainOtherOrigin,
  explainOtherCharset,
];

/** Lines with a pattern as their first argument but one, or their first. */
const patternLines: ReadonlySet<string> = new Set(["redirectmatch", "rewriterule"]);

const errorFinders: readonly Finder[] = [
  explainBrokenQuery,
  explainVariableBeforeRedirect,
  explainVariable,
  explainLateVariable,
  explainTlsForAllPorts,
  explainTlsRequirement,
  explainCertificate,
  explainProxySection,
  explainFilesAfterDirectories,
  explainWellKnown,
  textDocument,
  explainPreflight,
  explainAllowMethods,
  explainRequireOfLater,
  explainLimitExcept,
  explainContainer,
  missedException,
  nameInHandshake,
  failedDocument,
  missingTarget,
  missingFallback,
  explainMissingPasswords,
  explainRelativeFallback,
  failedNegotiation,
  requiredLogin,
  overriddenException,
];

/**
 * A Redirect to one file, or to a target with a slash at its end, to which httpd appends the rest of the path (mod_alias.c
 * `try_alias_list`).
 */
function appendedRest({ outcome: { by, location }, request }: ExplainedRun): readonly Cause[] {
  const [line] = by;
  if (location === undefined || line === undefined || !/^redirect(?:permanent|temp)?$/.test(line.key)) return [];
  const [from, to] = argumentValuesOf(line).slice(-2);
  const rest = from === undefined ? undefined : stripAliasPrefix(from, request.path);
  if (from === undefined || rest === undefined || rest === "" || rest === "/" || to === undefined) return [];
  if (rest.startsWith("/") && /[^/:]\/$/.test(to) && !to.includes("?")) {
    const doubled = `\`${line.name}\` appends \`${toReadable(rest)}\` to ${quoteWritten(to)} with a second slash`;
    return [{ text: doubled, line, help: [`remove the slash at the end of ${quoteWritten(to)}`] }];
  }
  if (!namesFile(to)) return [];
  const [first = ""] = argumentValuesOf(line);
  const ofName = line.key === "redirectpermanent" ? "permanent " : "";
  const status = first === from ? ofName : `${first} `;
  const all = `RedirectMatch ${status}"^${escapeRegex(from)}(?:/.*)?$" ${quoteWord(to)}`;
  const text = `\`${line.name}\` appends the rest of the path, \`${toReadable(rest)}\``;
  return [{ text, line, help: [`to lead all paths to one URL, use ${quoteWritten(all)}`] }];
}

/** Reports whether a URL ends in the name of a file, or has a query. */
function namesFile(url: string): boolean {
  const [path = "", query] = url.replace(/^[a-z]+:\/\/[^/?]*/i, "").split("?");
  return query !== undefined || /\.[a-z]\w*$/i.test(path.slice(path.lastIndexOf("/") + 1));
}

/** The query that rules of a section set before a Redirect of the section runs (mod_alias.c `fixup_redir`). */
function queryOfRules({ outcome: { pass, location } }: ExplainedRun): readonly Cause[] {
  const { redirect, rewriting, request } = pass ?? {};
  const { to, query } = rewriting?.sections ?? {};
  if (!redirect || location === undefined || to?.kind !== "redirected") return [];
  if (query === undefined || query === request?.query) return [];
  const text = `${quoteLine(to.by)} runs before this \`${redirect.by.name}\` and sets the query \`${toReadable(query)}\``;
  const rule = (pass && ruleOfRedirect(redirect, to.by, pass)) ?? `RewriteRule PATTERN URL [R=${redirect.status},L]`;
  const help = `replace \`${redirect.by.name}\` by ${quoteWritten(rule)}, before that rule and its conditions`;
  return [{ text, line: redirect.by, help: [help] }];
}

/**
 * A directory whose slash redirect comes before the target of a rule is used: it has the query that the rule sets (mod_dir.c
 * `fixup_dir`, which runs after mod_rewrite.c `hook_fixup`).
 */
function slashBeforeTarget({ outcome: { pass, status, location } }: ExplainedRun): readonly Cause[] {
  const [last] = pass ? mainPassesOf(pass) : [];
  const to = last?.rewriting.sections?.to;
  if (!last || to?.kind !== "redirected" || status !== 301 || location === undefined || !leadsToSlash(last)) return [];
  const name = last.path.slice(last.path.lastIndexOf("/") + 1);
  const text = `${quoteWritten(toReadable(name))} is a directory: httpd redirects to its path with a slash before it uses the target of ${quoteLine(to.by)}`;
  return [
    {
      text,
      line: to.by,
      help: [`next to this rule, add ${quoteWritten("DirectorySlash Off")}, or rename the directory`],
      stays: true,
    },
  ];
}

/** Returns the rule that does what a Redirect does, for the directory of another rule; undefined for other redirects. */
function ruleOfRedirect(
  { by, status }: NonNullable<Pass["redirect"]>,
  rule: Directive,
  pass: Pass,
): string | undefined {
  const own = ownDirectoryOf(rule, pass);
  const [from, to] = argumentValuesOf(by).slice(-2);
  if (own === undefined || from === undefined || to === undefined || !/^redirect(?:permanent|temp)?$/.test(by.key))
    return undefined;
  if (!from.startsWith(own.url)) return undefined;
  const target = to.includes("?") ? to : `${to}$1`;
  return `RewriteRule ${quoteWord(`^${escapeRegex(from.slice(own.url.length))}(/.*)?$`)} ${quoteWord(target)} [R=${status},L]`;
}

/** An exception `(?!…)` of a pattern that would exclude the path with another slash at its start. */
function missedException({ outcome: { by }, request: { path } }: ExplainedRun): readonly Cause[] {
  const [line] = by;
  const [pattern] =
    line && patternLines.has(line.key) ? argumentValuesOf(line).filter((word) => word.includes("(?!")) : [];
  if (line === undefined || pattern === undefined) return [];
  const isMatched = (text: string) =>
    [path, path.slice(1)].some((subject) => compileRegexPattern(text).matches(subject, new Oracle(new Map())));
  for (const { index } of pattern.matchAll(/\(\?!/g)) {
    const [before, after] = [pattern.slice(0, index + 3), pattern.slice(index + 3)];
    const other = after.startsWith("/") ? after.slice(1) : `/${after}`;
    if (!isMatched(pattern) || isMatched(before + other)) continue;
    const word = after.startsWith("/") ? "without the slash after `(?!`" : "with a slash after `(?!`";
    const text = `the exception in \`${toReadable(pattern)}\` does not fit the path; ${word}, it does`;
    const corrected = formatWholeLine(
      line,
      line.argumentText.replace(pattern, () => before + other),
    );
    return [{ text, line, help: [`use ${quoteWritten(corrected)}`] }];
  }
  return [];
}

/** An encoded slash that ProxyPass encodes again (mod_proxy_http.c `proxy_http_canon`). */
function escapedAgain({ outcome: { pass, served = pass }, request }: ExplainedRun): readonly Cause[] {
  const backend = served && backendOf(served);
  if (!served || !backend || backend.isRaw || backend.by.key !== "proxypass" || !/%2f/i.test(request.path)) return [];
  if (!/%252f/i.test(sentUrlOf(backend, served))) return [];
  const text = `\`${backend.by.name}\` encodes \`%2F\` again, to \`%252F\`; with \`nocanon\`, the backend gets the URL as the client sends it`;
  return [{ text, line: backend.by, help: [`use ${quoteWritten(`${formatWholeLine(backend.by)} nocanon`)}`] }];
}

/**
 * A backend of web sockets without a path, which does not get the path that the line is for: programs seldom open them at `/`
 * (mod_proxy.c `ap_proxy_trans_match`).
 */
function webSocketWithoutPath({ outcome }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, answeredBy } = outcome;
  const backend = served && backendOf(served);
  if (!served || !backend || answeredBy !== "backend" || backend.by.key !== "proxypass") return [];
  const words = argumentValuesOf(backend.by);
  const at = words.findIndex((word) => /^wss?:\/\/[^/]+\/?$/i.test(word));
  const section = findSectionAround(backend.by, ({ key }) => key === "<location");
  const from = at === 1 ? words[0] : section && argumentValuesOf(section)[0];
  const to = words[at];
  if (from === undefined || to === undefined || !/^\/[^*?[]+$/.test(from)) return [];
  const whole = to.replace(/\/$/, "") + from;
  const corrected = formatWholeLine(
    backend.by,
    backend.by.argumentText.replace(to, () => whole),
  );
  const sent = sentUrlOf(backend, served).replace(/^[a-z]+:\/\/[^/]*/i, "") || "/";
  const text = `the target has no path, so the backend gets \`${toReadable(sent)}\` in place of \`${toReadable(served.path)}\``;
  return [
    { text, line: backend.by, help: [`if it expects \`${toReadable(served.path)}\`, use ${quoteWritten(corrected)}`] },
  ];
}

/**
 * A Redirect of an index file, which also applies when httpd looks up the index of a directory (mod_dir.c `fixup_dir`). Rewrite rules do
 * not redirect this lookup.
 */
function redirectOfIndex({ outcome }: Pick<ExplainedRun, "outcome">): readonly Cause[] {
  const found = findRedirectOfIndex(outcome);
  return found ? [found] : [];
}

/** A redirect of an index file, with its line. */
interface IndexRedirect extends Cause {
  readonly line: Directive;
  /** Whether the file is the first one that httpd looks up. */
  readonly isFirst: boolean;
}

/** Returns the line that redirects an index file and so its directory; undefined if none does. */
export function findRedirectOfIndex({
  pass,
  status,
  location,
  by,
}: Pick<ExplainedRun["outcome"], "pass" | "status" | "location" | "by">): IndexRedirect | undefined {
  const [line] = by;
  const asked =
    pass && passesOf(pass).find(({ path, inner }) => path.endsWith("/") && inner.some(isRedirectedBy(line)));
  const found = asked?.inner.find(isRedirectedBy(line));
  if (!asked || !found || line === undefined || location === undefined || status < 300 || status >= 400)
    return undefined;
  const isFirst = asked.inner[0] === found;
  const text = `for \`${toReadable(asked.path)}\`, httpd looks up \`${toReadable(found.path)}\` (\`DirectoryIndex\`), to which this line applies as well`;
  const condition = `RewriteCond %{THE_REQUEST} ${quoteWord(`\\s${escapeRegex(found.path)}[?\\s]`)}`;
  const { to } = readRedirect(line, true) ?? {};
  if (to === undefined || /[\\$]/.test(to)) return { text, line, isFirst };
  const own = ownDirectoryOf(line, found);
  const section = findSectionAround(line, () => true);
  // In a section by path, a rule compares another part of the path.
  if (section !== undefined && section.key !== "<virtualhost") return { text, line, isFirst };
  const rest = own ? found.path.slice(own.url.length) : found.path;
  // A rule evaluates `%`, and encodes it again (mod_rewrite.c `do_expand`, `escape_absolute_uri`).
  const target = quoteWord(toReadable(to).replace(/%/g, "\\%"));
  const flags = `[R=${status},${/[#%]/.test(to) ? "NE," : ""}L]`;
  const written = quoteWritten(
    "RewriteEngine On",
    condition,
    `RewriteRule ${quoteWord(`^${escapeRegex(rest)}$`)} ${target} ${flags}`,
  );
  // A virtual host does not inherit the rules of the main server.
  const host = own || section ? undefined : asked.server.section;
  const change = host ? `delete it, and add ${written} to ${quoteLine(host)}` : `replace it with ${written}`;
  return { text, line, isFirst, help: [`to redirect only clients that ask for it, ${change}`] };
}

function isRedirectedBy(line: Directive | undefined): (pass: Pass) => boolean {
  return ({ redirect, mapping }) =>
    line !== undefined && [redirect, mapping].some((each) => each?.kind === "answered" && each.by === line);
}

/** A document of an error that is sent as a text, although it is written like the name of a file (server/core.c `set_error_document`). */
function textDocument({ outcome: { pass, status, layers }, files }: ExplainedRun): readonly Cause[] {
  const line = errorDocumentFor(layers, status);
  const [, name = ""] = line ? argumentValuesOf(line) : [];
  if (line === undefined || documentOf(line) || ignoresDocument(line) || !/^[\w./-]+\.[a-z]\w{1,4}$/i.test(name))
    return [];
  // Text in quotes is a message.
  if (/^\S+\s+["']/.test(line.argumentText)) return [];
  const own = pass && ownDirectoryOf(line, pass);
  const kind = own === undefined ? "unknown" : files.kindOf(`${own.path}/${name}`, true);
  const url = own !== undefined && kind === "file" ? own.url + name : `/${name}`;
  const text = `${quoteLine(line)} sends the text \`${toReadable(name)}\`: only a path that begins with \`/\` leads to a file`;
  if (kind === "missing") return [{ text, line, help: ["to send a file, write its URL, beginning with `/`"] }];
  const corrected = line.argumentText.replace(/^(\S+\s+).*$/s, (_, code: string) => code + url);
  return [{ text, line, help: [`use ${quoteWritten(formatWholeLine(line, corrected))}`] }];
}

/** Rules of a section that run again for the URL that one with the flag L led to (mod_rewrite.c `hook_fixup`). */
function repeatedRules({ outcome: { pass, status } }: ExplainedRun): readonly Cause[] {
  const chain = pass ? mainPassesOf(pass).toReversed() : [];
  if (status >= 500) return [];
  for (const [index, each] of chain.entries()) {
    const after = chain[index + 1];
    const { to } = after?.rewriting.sections ?? {};
    // The second rule may lead to another URL of the server, or redirect the client.
    const redirecting = to?.kind === "answered" && to.location !== undefined ? to.by : undefined;
    const [first, second] = [each.next?.by, after?.next?.by ?? redirecting];
    if (first?.key !== "rewriterule" || second?.key !== "rewriterule" || first === second) continue;
    if (first.span.file !== second.span.file || first.parent !== second.parent || !hasLastFlag(first)) continue;
    const url = toReadable(chain[index + 1]?.path ?? "");
    const end = quoteWritten(withEndFlag(first));
    if (redirecting && after && mayRedirectFirst(redirecting, after, each)) {
      const moved = `to redirect \`${toReadable(each.path)}\` in place of \`${url}\`, move ${quoteLine(redirecting)} and its conditions before ${quoteLine(first)} and its conditions`;
      const before = `${quoteLine(first)} comes first and leads to \`${url}\`; the rules run again, and this one redirects that path`;
      return [{ text: before, line: redirecting, help: [moved, `to redirect neither, use ${end}`], stays: true }];
    }
    const text = `the rules run again for \`${url}\`: \`L\` ends only one round; with \`END\` instead, they do not`;
    return [{ text, line: first, help: [`use ${end}`] }];
  }
  return [];
}

/** Reports whether a rule that redirects a rewritten URL would redirect the one before it as well: it tests only other parts of the request. */
function mayRedirectFirst(line: Directive, rewritten: Pass, before: Pass): boolean {
  const { rule } = rewritten.rewriting.sections?.steps.find((step) => step.rule.directive === line) ?? {};
  const own = ownDirectoryOf(line, before);
  if (rule === undefined || rule.isNegated || own === undefined) return false;
  const isOfUrl = ({ input }: RewriteCondition) => /%\{(?:[^}]*FILENAME|REQUEST_URI|PATH_INFO|ENV)/i.test(input);
  const rest = before.path.slice(own.url.length);
  return !rule.conditions.some(isOfUrl) && findMatch(rule.pattern, rest, rule.flags.names.has("nocase")) !== undefined;
}

/** Returns a rule with the flag END instead of L. */
export function withEndFlag(rule: Directive): string {
  const { argumentText } = rule;
  const flags = argumentValuesOf(rule)[2];
  if (flags === undefined) return formatWholeLine(rule, `${argumentText} [END]`);
  const names = flags.replace(/^\[|\]$/g, "").split(",");
  const others = names.map((name) => name.trim()).filter((name) => !/^(?:l|last|end)$/i.test(name));
  const at = argumentText.lastIndexOf(flags);
  return formatWholeLine(rule, `${argumentText.slice(0, at)}[${[...others, "END"].join(",")}]`);
}

function hasLastFlag(rule: Directive): boolean {
  return /[[,]\s*(?:l|last)\s*[\],]/i.test(argumentValuesOf(rule)[2] ?? "");
}

/** A media type as the name of a handler, which nothing provides (server/config.c `ap_invoke_handler`). */
function handlerNamedLikeType({ outcome }: ExplainedRun): readonly Cause[] {
  const { handler } = destinationOf(outcome);
  const { state } = outcome.served ?? outcome.pass ?? {};
  if (handler === undefined || state === undefined || isHandlerOfHttpd(handler)) return [];
  if (!/^(?:application|audio|font|image|text|video)\/(?!x-)[\w.+-]+$/.test(handler)) return [];
  const line = findHandlerLine(state, handler);
  if (line === undefined) return [];
  const other = line.key === "addhandler" ? "AddType" : "ForceType";
  const text = `\`${handler}\` is a media type, but \`${line.name}\` sets a handler`;
  return [{ text, line, help: [`to set the type, use ${quoteWritten(`${other} ${toReadable(line.argumentText)}`)}`] }];
}

/** An index file that a line passes to a backend, although it may not exist (mod_dir.c `fixup_dir`). */
function indexOfBackend({ outcome: { pass, served } }: ExplainedRun): readonly Cause[] {
  const isIndex =
    pass && served && passesOf(pass).some(({ inner, index }) => index !== undefined && inner.includes(served));
  if (!isIndex || served.mapping.kind !== "proxy") return [];
  const { by } = served.mapping;
  const text = `\`DirectoryIndex\` looks up \`${toReadable(served.path)}\`, which \`${by.name}\` passes on even if the file does not exist`;
  const [, extension] = /(\.\w+)$/.exec(served.path) ?? [];
  const [, backend] = /^proxy:((?:unix:[^|]*\|)?[a-z]+:\/\/[^/]+)/i.exec(served.mapping.target) ?? [];
  if (extension === undefined || backend === undefined) return [{ text, line: by }];
  const lines = [`<FilesMatch "\\${extension}$">`, `SetHandler "proxy:${toReadable(backend)}"`, "</FilesMatch>"];
  return [{ text, line: by, help: [`replace it by ${quoteWritten(...lines)}, which passes on existing files only`] }];
}

/** The scheme of a redirect to the path with a slash, if a proxy has ended TLS (mod_dir.c `fixup_dir`). */
function schemeOfSlash({ outcome: { pass, status, location, by }, request }: ExplainedRun): readonly Cause[] {
  const isSlashAdded = status === 301 && pass?.walked?.kind === "directory" && !pass.redirect;
  const isOwn = isSlashAdded && !by.some(({ key }) => key.startsWith("re") && key !== "require");
  if (!isOwn || location?.startsWith("http:") !== true) return [];
  if (headerOf(request, "X-Forwarded-Proto")?.toLowerCase() !== "https") return [];
  const [, host = ""] = /^http:\/\/([^/:]*)/.exec(location) ?? [];
  return [
    {
      text: "httpd takes the scheme from the connection, which has no TLS",
      help: [`use ${quoteWritten("UseCanonicalName On", `ServerName https://${toReadable(host)}`)}`],
    },
  ];
}

/** A name in the TLS handshake that does not fit the Host header (ssl_engine_kernel.c `ssl_hook_ReadReq`). */
function nameInHandshake({ outcome: { handshake, status, by }, request }: ExplainedRun): readonly Cause[] {
  const [line] = by;
  const { host, tls } = request;
  if (handshake === undefined || host === undefined) return [];
  const name = tls?.serverName ?? "";
  const sent = `the client sends ${name === "" ? "no name" : `the name \`${toReadable(name)}\``} in the handshake (SNI)`;
  const help = `send the name \`${toReadable(host.replace(/:\d+$/, ""))}\` in the handshake (\`curl --resolve\`, \`proxy_ssl_server_name on\` of nginx)`;
  if (status !== 421) {
    const off = line?.key === "sslstrictsnivhostcheck" ? [`or use ${quoteWritten(`${line.name} off`)}`] : [];
    return [{ text: sent, ...(line ? { line } : {}), help: [help, ...off] }];
  }
  const own = handshake.section ? quoteLine(handshake.section) : "the main server";
  const difference = line ? `; ${quoteLine(line)} differs in the two hosts` : "";
  const same = line ? `or use ${quoteLine(line)} in both hosts` : "or use the same TLS settings in both hosts";
  const text = `${sent}, which selects ${own}${difference}`;
  return [{ text, ...(line ? { line } : {}), help: [help, same] }];
}

/** The document of an error that is missing or denied itself (modules/http/http_request.c `ap_die_r`). */
function failedDocument({ outcome }: ExplainedRun): readonly Cause[] {
  const { pass, status, layers, documentLayers } = outcome;
  const line = errorDocumentFor(layers, status);
  const document = line && documentOf(line);
  const asked = pass && passesOf(pass).find(({ next }) => next?.by === line)?.next?.pass;
  if (line === undefined || document?.kind !== "path" || asked === undefined || documentLayers) return [];
  const [last = asked] = mainPassesOf(asked);
  const { walked, mapping, isAuthorized } = last;
  if (walked?.kind === "missing" && mapping.kind === "file" && isAuthorized) {
    const file = `\`${nativePath(toReadable(mapping.filename))}\``;
    const text = `${quoteLine(line)} leads to ${file}, which does not exist`;
    const root = mapping.filename.slice(0, Math.max(mapping.filename.length - last.path.length, 0));
    const isOfDisk = root !== "" && mapping.filename === root + last.path && last.path.startsWith(`${root}/`);
    const url = isOfDisk ? last.path.slice(root.length) : "";
    const help = isOfDisk
      ? `use ${quoteWritten(`${line.name} ${status} ${toReadable(url)}`)}: it takes the path of a URL`
      : `create ${file}, or correct the path of the URL`;
    return [{ text, line, help: [help] }];
  }
  return isAuthorized ? [] : [explainDocumentDenial(line, asked)];
}

/** A rule that leads to a missing file, although its directory has a file of this name. */
function missingTarget({ outcome: { pass, status }, files }: ExplainedRun): readonly Cause[] {
  const [last, before] = pass ? mainPassesOf(pass) : [];
  const { by } = before?.next ?? {};
  if (status !== 404 || by?.key !== "rewriterule" || last?.walked?.kind !== "missing") return [];
  const [, target = ""] = argumentValuesOf(by);
  const base = findSetting(before?.state?.layers ?? [], "rewritebase");
  const relative = (target.split("?")[0] ?? "").replace(/^\/(?=[^/]*$)/, "");
  const own = before && ownDirectoryOf(by, before);
  if (own === undefined || relative === "" || /^\/|[$%]|:/.test(relative)) return [];
  if (files.kindOf(`${own.path}/${relative}`, true) !== "file") return [];
  const led =
    last.mapping.kind === "file" ? `the rule leads to \`${nativePath(toReadable(last.mapping.filename))}\`, ` : "";
  const text = `${led}but \`${nativePath(toReadable(`${own.path}/${relative}`))}\` exists`;
  if (target.startsWith("/")) {
    const corrected = formatWholeLine(
      by,
      by.argumentText.replace(target, () => own.url + target.slice(1)),
    );
    return [{ text, line: by, help: [`use ${quoteWritten(corrected)}`] }];
  }
  const written = quoteWritten(`RewriteBase ${toReadable(own.url)}`);
  return [{ text, line: base ?? by, help: [base ? `use ${written}` : `add ${written} before the first rule`] }];
}

/** A FallbackResource that does not exist, so that it has no effect (mod_dir.c `fixup_dflt`). */
function missingFallback({ outcome: { pass, status }, files }: ExplainedRun): readonly Cause[] {
  const asked = pass && mainPassesOf(pass).find(({ index }) => index?.[0]?.key === "fallbackresource");
  const [line, inner] = [asked?.index?.[0], asked?.inner[0]];
  if (status !== 404 || !asked || !line || inner?.walked?.kind !== "missing" || inner.mapping.kind !== "file")
    return [];
  const own = ownDirectoryOf(line, asked);
  const name = inner.path.slice(inner.path.lastIndexOf("/") + 1);
  const isInOwn = own !== undefined && files.kindOf(`${own.path}/${name}`, true) === "file";
  const file = nativePath(toReadable(inner.mapping.filename));
  const help = isInOwn
    ? `use ${quoteWritten(`${line.name} ${toReadable(own.url + name)}`)}`
    : `create \`${file}\`, or correct the path of the URL`;
  return [{ text: `${quoteLine(line)} has no effect: \`${file}\` does not exist`, line, help: [help] }];
}

/** A FallbackResource that a handler keeps from answering for a missing file (mod_dir.c `fixup_dflt`). */
function handlerBeforeFallback({ outcome: { pass, served = pass, answeredBy } }: ExplainedRun): readonly Cause[] {
  const { state, walked, mapping } = served ?? {};
  const line = state?.config.setting("fallbackresource");
  if (!state || walked?.kind !== "missing" || mapping?.kind !== "file" || line === undefined) return [];
  if (keywordArgumentOf(line) === "disabled" || answeredBy !== "program") return [];
  const by = state.config.setting("sethandler");
  if (by === undefined || /^(?:none|default-handler)$/.test(keywordArgumentOf(by) ?? "none")) return [];
  const file = nativePath(toReadable(mapping.filename));
  const text = `\`${file}\` does not exist, but ${quoteLine(by)} sets a handler for it as well, and ${quoteLine(line)} is only for requests without one`;
  const lines = ['<If "-f %{REQUEST_FILENAME}">', formatWholeLine(by), "</If>"];
  return [{ text, line: by, help: [`use ${quoteWritten(...lines)}`] }];
}

/** Files that MultiViews finds, and that httpd cannot serve (mod_negotiation.c `handle_multi`). */
function failedNegotiation({ outcome: { pass } }: ExplainedRun): readonly Cause[] {
  const failed = pass && passesOf(pass).find(({ isNegotiationFailed }) => isNegotiationFailed === true);
  const line = findSetting(failed?.state?.layers ?? [], "options");
  const [found] = failed?.inner ?? [];
  if (failed === undefined || line === undefined || found === undefined) return [];
  const name = toReadable(found.path.slice(found.path.lastIndexOf("/") + 1));
  const text = `\`MultiViews\` finds \`${name}\` for \`${toReadable(failed.path)}\`, but cannot choose it; httpd returns an error before rewrite rules run`;
  const ofLanguage = unacceptedLanguage(failed);
  if (ofLanguage) return [ofLanguage];
  // Without rules, the name is missing.
  const hasRules = listUsedRules(failed.state?.groups ?? []).size > 0;
  return [{ text, line, ...(hasRules ? { help: [`use ${quoteWritten(withoutOption(line, "MultiViews"))}`] } : {}) }];
}

/** Files of which none has a language that the client accepts, and the lines with which httpd returns one of them. */
function unacceptedLanguage(failed: Pass): Cause | undefined {
  const fallback = findLanguageFallback(failed);
  if (fallback === undefined) return undefined;
  const { file, languages, priority } = fallback;
  const forced = findSetting(failed.state?.layers ?? [], "forcelanguagepriority");
  const written = "ForceLanguagePriority Prefer Fallback";
  const shown = formatWordList(languages.map((language) => `\`${toReadable(language)}\``));
  const why = forced ? `${quoteLine(forced)} does not choose one` : "by default, httpd does not choose one";
  const text = `the client accepts none of the languages of the files: ${shown}; ${why}`;
  const added = priority === undefined ? [] : [`LanguagePriority ${toReadable(priority.join(" "))}`];
  const result = `for \`${toReadable(file)}\` in this case`;
  if (forced && added.length === 0) return { text, line: forced, help: [`${result}, use ${quoteWritten(written)}`] };
  const lines = [...added, ...(forced ? [] : [written])];
  const both = forced ? ` and use ${quoteWritten(written)}` : "";
  return {
    text,
    line: forced ?? findSetting(failed.state?.layers ?? [], "options"),
    help: [`${result}, add ${quoteWritten(...lines)}${both}`],
    ...(forced ? {} : { stays: true }),
  };
}

const hostRules: ReadonlySet<string> = new Set(["allow"]);

/** An Allow line that does not replace the login, as it would under Satisfy Any (mod_access_compat.c `access_compat_satisfies`). */
function requiredLogin({ outcome: { pass, status, by } }: ExplainedRun): readonly Cause[] {
  const { state } = pass ?? {};
  const [decisive] = by;
  if (status !== 401 || state === undefined || decisive?.key !== "require") return [];
  if (findSetting(state.layers, "satisfy")) return [];
  const owner = state.layers.findLastIndex(({ directives }) => directives.includes(decisive));
  const index = state.layers.findLastIndex((layer) => layer.pick(hostRules).length > 0);
  const line = index > owner ? state.layers[index]?.pick(hostRules).at(-1) : undefined;
  if (line === undefined) return [];
  const text = `${quoteLine(line)} does not replace the login, because \`Satisfy\` is \`All\` by default`;
  return [{ text, line, help: [`add ${quoteWritten("Satisfy Any")} next to it`] }];
}

/** An exception for a directory or file that a Location section overrides, which is merged later (server/request.c). */
function overriddenException({ outcome: { pass, by } }: ExplainedRun): readonly Cause[] {
  const [decisive] = by;
  const groups = pass?.state?.groups ?? [];
  const section = decisive && sectionAround(decisive);
  if (decisive?.key !== "require" || section === undefined) return [];
  const layers = groups.filter(({ kind }) => kind !== "server").flatMap((group) => group.layers);
  const inner = layers.filter((layer) => layer.section !== section && layer.has("require"));
  const exception = inner.length > 1 ? inner.at(-1)?.setting("require") : undefined;
  const owner = exception && inner.at(-1);
  if (exception === undefined || !grantsAll(exception) || owner?.section?.key.startsWith("<location")) return [];
  const url = toReadable((pass && urlOfSection(owner?.section, pass)) ?? pass?.path ?? "/");
  // A grant of a directory around the Location section is not an exception: restricting a part of it is usual.
  if (!isBelow(url, section)) return [];
  const own = owner?.section ? `\`${formatLine(owner.section)}\`` : "its `.htaccess` file";
  const text = `\`${formatLine(section)}\` overrides ${quoteLine(exception)} of ${own}, because \`<Location>\` sections are merged last`;
  const lines = [`<Location "${url}">`, formatWholeLine(exception), "</Location>"];
  return [{ text, line: exception, help: [`add ${quoteWritten(...lines)} after \`${formatLine(section)}\``] }];
}

/** Reports whether a URL path is below that of a Location section; false for a pattern. */
function isBelow(url: string, { key, arguments: words }: Directive): boolean {
  const [path, more] = words.map(({ value }) => value.replace(/\/+$/, ""));
  return (
    key === "<location" && path !== undefined && more === undefined && url.startsWith(`${path}/`) && url !== `${path}/`
  );
}

function grantsAll(line: Directive): boolean {
  return argumentValuesOf(line).join(" ").toLowerCase() === "all granted";
}

/** Returns the Location section around a line. */
function sectionAround(line: Directive): Directive | undefined {
  return findSectionAround(line, ({ key }) => key.startsWith("<location"));
}

/** The address in a header that no line of mod_remoteip reads. */
function unreadAddress({ outcome: { pass, status, layers, by }, request }: ExplainedRun): readonly Cause[] {
  const value = headerOf(request, FORWARDED_FOR);
  const [first = ""] = value?.split(",") ?? [];
  const isDenied = status === 403 || status === 401;
  const isByAddress = isDenied || by.some((line) => testsAddress(line));
  if (!isByAddress || value === undefined || request.peerIp !== request.clientIp || first.trim() === request.clientIp)
    return [];
  if (findSetting(layers, "remoteipheader") || findSetting(pass?.server.layers ?? [], "remoteipheader")) return [];
  const trusted = isPrivateAddress(request.clientIp) ? "RemoteIPInternalProxy" : "RemoteIPTrustedProxy";
  const text = `httpd ignores \`${FORWARDED_FOR}\`, so the client is ${toReadable(request.clientIp)}`;
  const lines = [`RemoteIPHeader ${FORWARDED_FOR}`, `${trusted} ${toReadable(request.clientIp)}`];
  return [{ text, help: [`with mod_remoteip, add ${quoteWritten(...lines)}`] }];
}

/** Reports whether a line allows clients by their address. */
function testsAddress(line: Directive): boolean {
  const [first = ""] = argumentValuesOf(line);
  const word = first.toLowerCase();
  return line.key === "require" && (word === "local" || word === "ip" || word === "host");
}

const FORWARDED_FOR = "X-Forwarded-For";
