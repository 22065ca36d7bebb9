import { accessVariablesOf, variablesSetBy } from "../../src/lint/api/access.js";
import {
  type Argument,
  addsHeader,
  type Directive,
  hasProxyFlag,
  indexDirectives,
  isHeaderName,
  isOnServersDisk,
  isWholeServer,
  iterateDirectives,
  type Project,
  parseHeaderLine,
  parseTypes,
  type Scope,
} from "../../src/lint/api/configuration.js";
import { type RuleContext, resolvePath } from "../../src/lint/api/rule.js";

/** Types that no table of media types has, and the type of these files. */
const misnamedTypes: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["image/svg", "image/svg+xml"],
]);

/** The names of one type, of which a table of media types has one. */
const renamedTypes: readonly (readonly string[])[] = [
  ["text/javascript", "application/javascript", "application/x-javascript"],
  ["font/woff", "application/font-woff", "application/x-font-woff"],
  ["font/woff2", "application/font-woff2"],
  ["image/vnd.microsoft.icon", "image/x-icon"],
];

/** Lines with which a backend or a program answers, and chooses the type. */
const answeringLines: readonly string[] = [
  ...["proxypass", "proxypassmatch", "scriptalias", "scriptaliasmatch", "wsgiscriptalias", "passengerenabled"],
  ...["addhandler", "action", "fcgiwrapper", "jkmount"],
];

/** Returns the type that files have instead of a misnamed one, unless other lines name either of them. */
export function findUsualType(
  type: string,
  { directives }: Scope,
  { project, files }: Pick<RuleContext, "project" | "files">,
): string | undefined {
  const misnamed = type.toLowerCase();
  const usual = misnamedTypes.get(misnamed) ?? findRenamedType(misnamed, project, files);
  if (usual === undefined) return undefined;
  const isNamed = (name: string) => (directive: Directive) => directive.arguments[0]?.value.toLowerCase() === name;
  if (directives.some((each) => each.key === "expiresbytype" && isNamed(usual)(each))) return undefined;
  const index = indexDirectives(project);
  const others = [...index.named("addtype"), ...index.named("forcetype"), ...index.named("defaulttype")];
  return others.some(isNamed(misnamed)) ? undefined : usual;
}

/** Returns the name that the TypesConfig file of a whole server has for a type, if it has only that one. */
function findRenamedType(type: string, project: Project, files: RuleContext["files"]): string | undefined {
  const names = renamedTypes.find((each) => each.includes(type));
  const index = indexDirectives(project);
  const path = resolvePath(
    project.serverRoot,
    index.named("typesconfig").at(-1)?.arguments[0]?.value ?? "conf/mime.types",
  );
  const text = names && isWholeServer(project) && isOnServersDisk(path, project) ? files?.textOf?.(path) : undefined;
  if (names === undefined || text === undefined || project.modules.has("mime_magic_module")) return undefined;
  const mayAnswer =
    answeringLines.some((key) => index.named(key).length > 0) ||
    index.named("rewriterule").some(({ argumentText }) => hasProxyFlag(argumentText)) ||
    index
      .named("sethandler")
      .some(({ argumentText }) => !/^"?(?:none|default-handler|server-|balancer-)/i.test(argumentText)) ||
    ["php_module", "php7_module", "php5_module"].some((name) => project.modules.has(name));
  const types = new Set(parseTypes(text).values());
  return mayAnswer || types.has(type) ? undefined : names.find((each) => types.has(each));
}

/**
 * Variables that httpd sets in the environment of programs, and of expressions, but not of requests
 * (server/util_script.c `ap_add_common_vars`).
 */
const programVariables: ReadonlySet<string> = new Set([
  ...["DOCUMENT_ROOT", "HTTP_HOST", "HTTP_REFERER", "HTTP_USER_AGENT", "PATH_INFO", "QUERY_STRING", "REMOTE_ADDR"],
  ...[
    "REMOTE_PORT",
    "REMOTE_USER",
    "REQUEST_METHOD",
    "REQUEST_SCHEME",
    "REQUEST_URI",
    "SCRIPT_FILENAME",
    "SERVER_ADDR",
  ],
  ...["SERVER_ADMIN", "SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL"],
]);

/** Finds a variable of programs in the value of a request header that no other line sets. */
export function findProgramVariable(
  { argumentText, arguments: words }: Directive,
  project: Project,
): { readonly word: Argument; readonly name: string } | undefined {
  if (!argumentText.includes("}e")) return undefined;
  for (const word of words) {
    const name = [...word.value.matchAll(/%\{(\w+)\}e/g)]
      .map(([, each = ""]) => each)
      .find((each) => programVariables.has(each));
    if (name === undefined || words.some(({ value }) => /^(?:early$|env=)/i.test(value))) continue;
    if (!isSetAnywhere(name, project)) return { word, name };
  }
  return undefined;
}

/** A variable in the value of a Header or RequestHeader line that is named as a header is. */
export interface HeaderAsVariable {
  readonly word: Argument;
  readonly name: string;
  /** The value with headers in place of variables; undefined if it has other parts that only a value without `expr=` has. */
  readonly corrected: string | undefined;
  /** The header that is sent; undefined if the line does not add one. */
  readonly sent: string | undefined;
}

/**
 * Finds `%{X-Name}e` in the value of a header, although no line sets such a variable: a hyphen is for names of headers
 * (modules/metadata/mod_headers.c `header_request_env_var` returns `(null)`; live case).
 */
export function findHeaderAsVariable(directive: Directive, project: Project): HeaderAsVariable | undefined {
  if (!directive.argumentText.includes("}e")) return undefined;
  const line = parseHeaderLine(directive, false);
  const value = line.replacement ?? line.value;
  const word = directive.arguments.find((each) => each.value === value);
  if (word === undefined || line.condition !== undefined || /^expr=/.test(value)) return undefined;
  const names = [...value.matchAll(/%\{([\w]+(?:-\w+)+)\}e/g)].map(([, each = ""]) => each);
  const variables = accessVariablesOf(project);
  const name = names.find((each) => variables.isNeverSet(each, isHeaderName(each)));
  if (name === undefined) return undefined;
  const corrected = value.replaceAll(`%{${name}}e`, `%{req:${name}}`);
  // Expressions read `$1` as a group of their own.
  const isWhole = !/%(?!\{req:)|[$\\]\d/.test(corrected);
  const sent = addsHeader(line) && isWhole ? value.replaceAll(`%{${name}}e`, "(null)") : undefined;
  return { word, name, corrected: isWhole ? `expr=${corrected}` : undefined, sent };
}

/**
 * Finds a variable with the header of a request, in a Header line without one that sets it: only programs set it, such as CGI and
 * PHP, and then before the line (test/live/unset-variables.live.test.ts).
 */
export function findHeaderVariable(
  directive: Directive,
  project: Project,
): { readonly word: Argument; readonly name: string } | undefined {
  const { argumentText, arguments: words } = directive;
  if (!argumentText.includes("HTTP_") || isForPrograms(directive, project)) return undefined;
  for (const word of words) {
    const name = /%\{(HTTP_[A-Z_]+)\}e|^env=!?(HTTP_[A-Z_]+)$/.exec(word.value)?.slice(1).find(Boolean);
    if (name !== undefined && !isSetAnywhere(name, project)) return { word, name };
  }
  return undefined;
}

/** Reports whether a line is for responses of programs or backends: a section around it selects them, or hands requests over. */
function isForPrograms({ parent }: Directive, project: Project): boolean {
  if (parent === undefined) return false;
  const { key, argumentText, children = [] } = parent;
  const index = indexDirectives(project);
  const [word] = parent.arguments;
  const value = word?.value ?? "";
  const isWhole = key === "<virtualhost";
  const handsOver = children.some(
    (each) =>
      (each.key === "sethandler" && !/^"?(?:none|default-handler)/i.test(each.argumentText)) ||
      (each.key.startsWith("proxypass") && (!isWhole || each.arguments[0]?.value === "/")) ||
      (isWhole && each.key === "<location" && each.arguments[0]?.value === "/" && handsAllOver(each)),
  );
  if (handsOver) return true;
  if (key.startsWith("<files") && /\.(?:php|phtml|cgi|pl|py|fcgi)\b/i.test(argumentText)) return true;
  const isIn = (path: string, start: string) => start !== "" && path.startsWith(start);
  if (key.startsWith("<directory")) {
    const targets = index.named("scriptalias").map((line) => line.arguments[1]?.value ?? "");
    if (targets.some((target) => isIn(`${value}/`, target.replace(/\/*$/, "/")))) return true;
  }
  if (key.startsWith("<location")) {
    const urls = ["proxypass", "scriptalias", "wsgiscriptalias"]
      .flatMap((each) => index.named(each))
      .map((line) => line.arguments[0]?.value ?? "");
    // The start of a pattern is enough here: a finding fewer is better than a wrong one.
    if (urls.some((url) => isIn(`${value.replace(/^\^/, "")}/`, url))) return true;
  }
  return isForPrograms(parent, project);
}

function handsAllOver({ children = [] }: Directive): boolean {
  return children.some(({ key }) => key === "sethandler" || key.startsWith("proxypass"));
}

/** Variables of mod_ssl that have a value without SSLOptions (modules/ssl/ssl_engine_kernel.c `ssl_hook_Fixup`). */
const usualTlsVariables: ReadonlySet<string> = new Set(["SSL_TLS_SNI", "SSL_SECURE_RENEG"]);

/** Finds a variable of mod_ssl in a header that no SSLOptions line sets. */
export function findTlsVariable(
  { argumentText, arguments: words }: Directive,
  project: Project,
): { readonly word: Argument; readonly name: string } | undefined {
  if (!/%\{SSL_\w+\}e/.test(argumentText) || !isWholeServer(project)) return undefined;
  const options = indexDirectives(project).named("ssloptions");
  // A line may take the options away again; one that sets them anywhere prevents the finding.
  if (options.some((line) => /StdEnvVars|ExportCertData/i.test(line.argumentText))) return undefined;
  for (const word of words) {
    const name = /%\{(SSL_\w+)\}e/.exec(word.value)?.[1];
    if (name !== undefined && !usualTlsVariables.has(name) && !isSetAnywhere(name, project)) return { word, name };
  }
  return undefined;
}

function isSetAnywhere(name: string, project: Project): boolean {
  const isSame = (each: string) => each.toUpperCase() === name;
  return [...iterateDirectives(project)].some((directive) => variablesSetBy(directive).some(isSame));
}

/** Headers that httpd adds to each response after mod_headers (modules/http/http_filters.c `basic_http_header`). */
const laterHeaders: Readonly<Record<string, string>> = { date: "Date", server: "Server" };

/** Returns the name of a header that a Header line deletes, although httpd adds it later. */
export function findLaterHeader(directive: Directive, project: Project): string | undefined {
  const { action, name } = parseHeaderLine(directive, false);
  const later = laterHeaders[name];
  if (later === undefined || action !== "unset") return undefined;
  // Of a response from a backend, the header is replaced by that of httpd.
  const index = indexDirectives(project);
  const hasBackend =
    ["proxypass", "proxypassmatch"].some((key) => index.named(key).length > 0) ||
    index.named("rewriterule").some(({ argumentText }) => hasProxyFlag(argumentText)) ||
    index.named("sethandler").some(({ argumentText }) => /proxy:(?:https?|ajp)/i.test(argumentText));
  return hasBackend ? undefined : later;
}

/** Reports whether a Header line adds a media type: httpd keeps that of the response (mod_headers.c `do_headers_fixup`). */
export function addsMediaType(directive: Directive): boolean {
  const { action, name, isAlways } = parseHeaderLine(directive, false);
  return name === "content-type" && !isAlways && ["add", "append", "merge"].includes(action);
}
