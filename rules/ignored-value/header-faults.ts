import { matchGroupsOf, variablesSetBy } from "../../src/lint/api/access.js";
import {
  type Argument,
  addsHeader,
  comparePatterns,
  type Directive,
  type HeaderLine,
  iterateDescendants,
  iterateDirectives,
  type Project,
  parseHeaderLine,
  parseRewriteRules,
  type RewriteRule,
  type Scope,
} from "../../src/lint/api/configuration.js";
import { findClosestWord, memoize } from "../../src/lint/api/rule.js";
import { findValueFault, sourceKeywords, sourceLists, type ValueFault } from "./header-values.js";
import { findPlainHsts } from "./plain-hsts.js";

/** Why a Header line has no effect, or one that browsers reject. */
export type ResponseHeaderFault =
  /** Browsers compare the value with one origin. */
  | {
      readonly kind: "several origins" | "wildcard origin" | "origin with a path" | "origin without a scheme";
      readonly value: string;
    }
  /** Browsers or caches do not accept the value, or a part of it. */
  | ({ readonly kind: "unknown value" } & ValueFault)
  /** The virtual host with TLS has no such line, and browsers ignore it in a response without TLS. */
  | { readonly kind: "without TLS"; readonly secure: Directive }
  /** Quotes around the whole value are a part of it. */
  | { readonly kind: "quotes in the value"; readonly bare: string }
  /** Browsers take a keyword without its quotes for the name of a host. */
  | { readonly kind: "bare keyword"; readonly keyword: string; readonly corrected: string }
  /** Browsers reject `*` for requests with cookies or a password. */
  | { readonly kind: "any origin with credentials"; readonly other: Directive }
  /** Another line adds a second value, and browsers take only one. */
  | { readonly kind: "added twice"; readonly name: string; readonly other: Directive }
  /** A later line sets the header. */
  | { readonly kind: "replaced"; readonly name: string; readonly other: Directive }
  /** A rule answers the request, and lines without `always` do not apply to its answer. */
  | { readonly kind: "not for answers of rules"; readonly status: number; readonly other: Directive }
  /** A line redirects each request, and lines without `always` do not apply to its answer. */
  | { readonly kind: "only redirects"; readonly name: string; readonly other: Directive }
  /** The backend or the programs of the scope fill the other table of response headers. */
  | { readonly kind: "other table"; readonly other: Directive }
  /** No line sets the variable, but one sets a variable with a similar name. */
  | {
      readonly kind: "other variable";
      readonly variable: string;
      readonly similar: string;
      readonly isNegated: boolean;
    };

const originHeader = "access-control-allow-origin";

/** Yields the Header lines of a scope with a fault. */
export function* findResponseHeaderFaults(
  scope: Scope,
  project: Project,
): Generator<{ readonly line: HeaderLine; readonly fault: ResponseHeaderFault }> {
  const { directives } = scope;
  const lines = directives.filter(({ key }) => key === "header").map((line) => parseHeaderLine(line, false));
  for (const [index, line] of lines.entries()) {
    const fault =
      findQuotes(line) ??
      findBareKeyword(line) ??
      findOriginFault(line, lines) ??
      findAddition(line, lines.slice(index + 1)) ??
      findReplacement(line, lines.slice(index + 1)) ??
      findUnsetVariable(line, project) ??
      findUnknownValue(line) ??
      findUnsafeResponse(line, project) ??
      findRedirect(line, lines, scope) ??
      findAnswers(line, scope) ??
      findOtherTable(line, lines, scope, project);
    if (fault) yield { line, fault };
  }
}

/** Headers whose value as a whole is never a text in quotes, so that browsers and caches do not accept it. */
const unquotedHeaders: ReadonlySet<string> = new Set([
  ...["access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods"],
  ...[originHeader, "access-control-expose-headers", "access-control-max-age", "cache-control"],
  ...["content-language", "content-security-policy", "content-security-policy-report-only", "content-type"],
  ...["cross-origin-embedder-policy", "cross-origin-opener-policy", "cross-origin-resource-policy", "expires"],
  ...["location", "pragma", "referrer-policy", "strict-transport-security", "vary", "x-content-type-options"],
  ...["x-frame-options", "x-robots-tag", "x-xss-protection"],
]);

/** Finds quotes inside of those that httpd removes. */
function findQuotes({ name, action, value }: HeaderLine): ResponseHeaderFault | undefined {
  if (!unquotedHeaders.has(name) || !/^(?:set|setifempty|add|append|merge)$/.test(action)) return undefined;
  // Single quotes are a part of words such as `'self'`.
  const [, bare] = /^\s*"([^"]+)"\s*$/.exec(value) ?? [];
  return bare ? { kind: "quotes in the value", bare } : undefined;
}

/** A keyword of a policy, or one with a value: without single quotes, the syntax is that of a host. */
const bareKeyword = new RegExp(
  `^(?:${sourceKeywords.join("|")}|nonce-[\\w+/-]+=*|sha(?:256|384|512)-[\\w+/-]+=*)$`,
  "i",
);

function findUnknownValue(line: HeaderLine): ResponseHeaderFault | undefined {
  const fault = findValueFault(line);
  return fault && { kind: "unknown value", ...fault };
}

function findUnsafeResponse({ directive }: HeaderLine, project: Project): ResponseHeaderFault | undefined {
  const found = findPlainHsts(project).get(directive);
  return found && { kind: "without TLS", secure: found.secure };
}

/** Finds a keyword of a content security policy without its quotes. */
function findBareKeyword({ name, action, value }: HeaderLine): ResponseHeaderFault | undefined {
  if (!/^content-security-policy(?:-report-only)?$/.test(name) || /^expr=|%\{/.test(value)) return undefined;
  if (!/^(?:set|setifempty|add|append|merge)$/.test(action)) return undefined;
  const found: string[] = [];
  const policies = value.split(/([;,])/).map((part) => {
    const [first = "", ...sources] = part.split(/(?<=\s)(?=\S)/).flatMap((word) => (word.trim() === "" ? [] : [word]));
    if (!sourceLists.test(first.trim())) return part;
    const quoted = sources.map((source) => {
      const bare = source.trim();
      if (!bareKeyword.test(bare)) return source;
      found.push(bare);
      return source.replace(bare, `'${bare}'`);
    });
    return `${/^\s*/.exec(part)?.[0] ?? ""}${first}${quoted.join("")}`;
  });
  const [keyword] = found;
  return keyword === undefined ? undefined : { kind: "bare keyword", keyword, corrected: policies.join("") };
}

/** Finds what is wrong with an allowed origin (Fetch, "CORS check"). */
function findOriginFault(line: HeaderLine, lines: readonly HeaderLine[]): ResponseHeaderFault | undefined {
  const { name, action, value, isLimited } = line;
  if (name !== originHeader || !/^(?:set|setifempty|add|append|merge)$/.test(action)) return undefined;
  if (value === "*") {
    const credentials = lines.find(
      (each) => each.name === "access-control-allow-credentials" && /^\s*true\s*$/i.test(each.value),
    );
    if (credentials === undefined || credentials.isLimited !== isLimited) return undefined;
    if (isLimited && credentials.condition !== line.condition) return undefined;
    return { kind: "any origin with credentials", other: credentials.directive };
  }
  if (/[%$]\{|^expr=/.test(value)) return undefined;
  if (/\w[\s,;|]+\S/.test(value)) return { kind: "several origins", value };
  if (/^(?:\w+:\/\/)?[^*]*\*[^*]*$/.test(value)) return { kind: "wildcard origin", value };
  if (/^(?:[a-z\d-]+\.)+[a-z\d-]+(?::\d+)?\/?$|^localhost(?::\d+)?$/i.test(value))
    return { kind: "origin without a scheme", value };
  return /^https?:\/\/[^/]+\/.*$/i.test(value) ? { kind: "origin with a path", value } : undefined;
}

/** Finds a later line that adds a second origin, although the response may have only one (Fetch, "CORS check"). */
function findAddition(line: HeaderLine, later: readonly HeaderLine[]): ResponseHeaderFault | undefined {
  const { name, isLimited, directive } = line;
  if (name !== originHeader || isLimited || !addsHeader(line)) return undefined;
  const isSecond = ({ action }: HeaderLine) => action === "add" || action === "append" || action === "merge";
  const next = later.find((each) => each.name === name);
  if (next === undefined || next.isLimited || next.isAlways !== line.isAlways || !isSecond(next)) return undefined;
  if (next.action === "merge" && next.value === line.value) return undefined;
  return next.directive.span.file === directive.span.file
    ? { kind: "added twice", name, other: next.directive }
    : undefined;
}

/** Finds a later line of the same table that sets another value (mod_headers.c `do_headers_fixup`). */
function findReplacement(line: HeaderLine, later: readonly HeaderLine[]): ResponseHeaderFault | undefined {
  const { action, name, value, isAlways, isLimited, directive } = line;
  if (action !== "set" || isLimited || name === "set-cookie") return undefined;
  const next = later.find((each) => each.name === name && each.isAlways === isAlways);
  if (next === undefined || next.action !== "set" || next.isLimited || next.value === value) return undefined;
  // A line of another file may be meant to replace it.
  return next.directive.span.file === directive.span.file
    ? { kind: "replaced", name, other: next.directive }
    : undefined;
}

/** Finds a variable that no line sets, if one sets a variable with a similar name. */
function findUnsetVariable(
  { condition }: Pick<HeaderLine, "condition">,
  project: Project,
): ResponseHeaderFault | undefined {
  const [, negation, variable] = /^env=(!?)([\w.-]+)$/i.exec(condition ?? "") ?? [];
  if (variable === undefined || /^(?:redirect|ssl|geoip)_|^https$/i.test(variable)) return undefined;
  const names = variablesIn(project);
  if (names.has(variable.toLowerCase())) return undefined;
  const similar = findClosestWord(variable.toLowerCase(), names.keys());
  return similar === undefined
    ? undefined
    : { kind: "other variable", variable, similar: names.get(similar) ?? similar, isNegated: negation === "!" };
}

/** Returns the variables that lines set, by their names in lower case: httpd does not compare the case. */
const variablesIn = memoize((project: Project): ReadonlyMap<string, string> => {
  const names = [...iterateDirectives(project)].flatMap(variablesSetBy);
  return new Map(names.map((name) => [name.toLowerCase(), name]));
});

/**
 * Finds a line that redirects each request of the server, beside Strict-Transport-Security: browsers never get the header
 * (modules/http/http_request.c `ap_die_r`).
 */
function findRedirect(
  line: HeaderLine,
  lines: readonly HeaderLine[],
  { directives, place }: Scope,
): ResponseHeaderFault | undefined {
  const isOfServer = place === "server" || place === "virtualhost";
  if (!isOfServer || line.isAlways || line.name !== "strict-transport-security" || !addsHeader(line)) return undefined;
  if (lines.some((each) => each.isAlways && each.name === line.name)) return undefined;
  const other = directives.find(redirectsAll) ?? parseRewriteRules(directives).find(redirectsEach)?.directive;
  return other && { kind: "only redirects", name: line.name, other };
}

/** Reports whether a Redirect is for each path. */
function redirectsAll({ key, arguments: words }: Directive): boolean {
  if (key !== "redirect" && key !== "redirectpermanent" && key !== "redirecttemp") return false;
  const hasStatus = /^(?:permanent|temp|seeother|3\d\d)$/i.test(words[0]?.value ?? "");
  const [path, target] = hasStatus ? words.slice(1) : words;
  return path?.value === "/" && target !== undefined;
}

function redirectsEach({ conditions, pattern, isNegated, flags, output }: RewriteRule): boolean {
  const isForEach = !isNegated && comparePatterns("/.*", pattern, flags.names.has("nocase")) === "all";
  return conditions.length === 0 && isForEach && output !== undefined && flags.names.has("redirect");
}

/** Finds a rule that answers requests itself, beside or around lines for the browser of another site. */
function findAnswers({ name, action, isAlways }: HeaderLine, scope: Scope): ResponseHeaderFault | undefined {
  if (isAlways || action === "unset" || !name.startsWith("access-control-")) return undefined;
  const hasAlways = scope.directives.some((line) => {
    if (line.key !== "header") return false;
    const other = parseHeaderLine(line, false);
    return other.isAlways && other.name === name;
  });
  if (hasAlways) return undefined;
  const isAnswer = ({ flags, conditions }: RewriteRule) =>
    flags.answers &&
    flags.status >= 200 &&
    flags.status < 300 &&
    conditions.some(({ input }) => /REQUEST_METHOD/i.test(input));
  const sample = sampleIn(scope);
  const rule =
    parseRewriteRules(scope.directives).find(isAnswer) ??
    rulesAround(scope).find((each) => isAnswer(each) && appliesTo(each, sample));
  return rule && { kind: "not for answers of rules", status: rule.flags.status, other: rule.directive };
}

/** What changes a header that a response already has. */
const changesHeader = /^(?:edit\*?|unset)$/;
/** Headers that only programs and backends set. */
const programHeaders: ReadonlySet<string> = new Set(["set-cookie", "x-powered-by"]);
/** What adds cookies to the table of `Header always`. */
const cookieSetters: ReadonlySet<string> = new Set(["cookietracking", "session"]);

/**
 * Finds a line that changes the headers of one table, beside a backend or programs that fill the other: a backend by HTTP fills
 * that of `Header` (mod_proxy_http.c `ap_proxy_read_headers`), programs by CGI, FastCGI and SCGI that of `Header always`
 * (server/util_script.c `ap_scan_script_header_err_core_ex`; live case).
 */
function findOtherTable(
  { name, action, isAlways, condition }: HeaderLine,
  lines: readonly HeaderLine[],
  scope: Scope,
  project: Project,
): ResponseHeaderFault | undefined {
  if (!changesHeader.test(action) || /^early$/i.test(condition ?? "")) return undefined;
  if (lines.some((each) => each.name === name && each.isAlways !== isAlways && changesHeader.test(each.action)))
    return undefined;
  // Other lines may fill this table.
  for (const line of iterateDirectives(project)) {
    if (line.key === "header") {
      const each = parseHeaderLine(line, false);
      if (each.name === name && each.isAlways === isAlways && addsHeader(each)) return undefined;
    }
    const mayAddCookie =
      cookieSetters.has(line.key) || (line.key === "rewriterule" && /\b(?:CO|cookie)=/i.test(line.argumentText));
    if (name === "set-cookie" && mayAddCookie) return undefined;
  }
  if (isAlways) {
    const other = backendsOf(scope).find((line) => schemeOf(line) === "http");
    return other && { kind: "other table", other };
  }
  if (!programHeaders.has(name) || project.modules.has("php_module") || project.modules.has("php7_module"))
    return undefined;
  const all = [...iterateDirectives(project)];
  // Another backend, or the module of PHP, fills this table.
  const isOther = (line: Directive) => /^(?:http|other)$/.test(schemeOf(line) ?? "") || line.key.startsWith("php_");
  if (all.some(isOther)) return undefined;
  const within = scope.place === "server" ? all : [...iterateDescendants(scope.content), ...backendsOf(scope)];
  const other = within.find((line) => schemeOf(line) === "program");
  return other && { kind: "other table", other };
}

/** Returns the lines that pass each request of a scope to a backend. */
function backendsOf({ directives, section, place, parent }: Scope): readonly Directive[] {
  const path = section?.arguments[0]?.value ?? "";
  if (place === "location") {
    const own = directives.filter(({ key, arguments: words }) => key === "proxypass" && isUrl(words[0]?.value));
    const around = parent?.directives.filter(
      ({ key, arguments: [from] }) => key === "proxypass" && isBelow(path, from),
    );
    return [...own, ...(around ?? [])];
  }
  const isOfServer = place === "server" || place === "virtualhost";
  return isOfServer
    ? directives.filter(({ key, arguments: [from] }) => key === "proxypass" && from?.value === "/")
    : [];
}

function isBelow(path: string, from: Argument | undefined): boolean {
  return from !== undefined && !isUrl(from.value) && `${path}/`.startsWith(from.value.replace(/\/*$/, "/"));
}

function isUrl(text = ""): boolean {
  return /^[a-z][\w+]*:/i.test(text);
}

/** The directives that pass requests to a backend or a program. */
const passingLines: ReadonlySet<string> = new Set([
  ...["addhandler", "sethandler", "proxypass", "proxypassmatch", "balancermember"],
]);

/** Returns how a line passes requests on; undefined if it does not. */
function schemeOf({ key, arguments: words, argumentText }: Directive): "http" | "program" | "other" | undefined {
  if (!passingLines.has(key)) return undefined;
  if (/(?:fcgi|scgi):\/\/|\bcgi-script\b/i.test(argumentText)) return "program";
  const target = words.find(({ value }) => isUrl(value))?.value;
  if (target === undefined) return undefined;
  return /^(?:proxy:)?(?:https?|uwsgi):|^(?:proxy:)?unix:[^|]*\|https?:/i.test(target) ? "http" : "other";
}

function appliesTo({ pattern, isNegated, flags }: RewriteRule, path: string): boolean {
  const groups = matchGroupsOf(pattern, path, flags.names.has("nocase"));
  return groups !== undefined && (groups !== false) !== isNegated;
}

/** Returns the rewrite rules of the virtual host or server around a section. */
function rulesAround({ parent }: Scope): readonly RewriteRule[] {
  return parent === undefined ? [] : [...parseRewriteRules(parent.directives), ...rulesAround(parent)];
}

/** Returns the path of a request for a section: that of a location, else any path. */
function sampleIn({ section, place }: Scope): string {
  const [word] = section?.arguments ?? [];
  return place === "location" && word?.value.startsWith("/") ? `${word.value.replace(/\/+$/, "")}/x` : "/x";
}

/** Finds a variable in the condition of a log that no line sets, if one sets a variable with a similar name. */
export function findUnsetLogVariable(
  { arguments: words }: Directive,
  project: Project,
): (ResponseHeaderFault & { readonly kind: "other variable"; readonly word: Argument }) | undefined {
  const word = words[2];
  const fault = word && findUnsetVariable({ condition: word.value }, project);
  return word && fault?.kind === "other variable" ? { ...fault, word } : undefined;
}
