import type { Line } from "../../grammar/ast.js";
import { parseFile } from "../../grammar/parser.js";
import { type ContextKind, findDirectiveFacts, isAllowedIn } from "../../src/facts/directives.js";
import { findModuleByManualName, listCompiledInModules } from "../../src/facts/modules.js";
import type { Release } from "../../src/facts/release.js";
import type { Finding } from "../../src/lint/finding.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { toReadable } from "../../src/text/source.js";
import { type Given, lintText } from "./rules.js";

/** Ordinary lines that have nothing to do with the requests and the files of any example, each on its own. */
export const unrelatedLines: readonly string[] = [
  "RewriteEngine On",
  "RewriteEngine On\nRewriteRule ^/?unrelated-old$ /unrelated-new [L]",
  "RewriteEngine On\nRewriteRule ^/?unrelated-old$ /unrelated-new [R=301,L]",
  "RewriteEngine On\nRewriteCond %{HTTP:Upgrade} websocket [NC]\nRewriteRule .* - [F]",
  "RewriteEngine On\nRewriteCond %{REQUEST_METHOD} ^(TRACE|TRACK)$\nRewriteRule .* - [F]",
  "RewriteBase /unrelated/",
  "RewriteOptions Inherit",
  'Header set X-Unrelated "1"',
  'Header always set X-Unrelated "1"',
  'RequestHeader set X-Unrelated "1"',
  "RequestHeader unset Proxy early",
  "SetEnv unrelated 1",
  "UnsetEnv unrelated",
  "PassEnv UNRELATED",
  'SetEnvIf Request_URI "^/unrelated$" unrelated',
  'SetEnvIf X-Unrelated "^1$" unrelated',
  'BrowserMatch "Unrelated" unrelated',
  "ExpiresActive On",
  'ExpiresByType image/png "access plus 1 month"',
  'ExpiresDefault "access plus 1 day"',
  "AddOutputFilterByType DEFLATE text/html",
  "AddOutputFilter INCLUDES .shtml",
  "SetOutputFilter DEFLATE",
  "SetInputFilter DEFLATE",
  'Substitute "s/unrelated/changed/"',
  "CacheEnable disk /unrelated",
  "CacheDisable /unrelated",
  "DeflateCompressionLevel 6",
  "SSLRequireSSL",
  "SSLOptions +StdEnvVars",
  "Options +FollowSymLinks",
  "Options -Indexes",
  "AllowOverride None",
  "IndexOptions FancyIndexing",
  "IndexIgnore .??*",
  "DirectoryIndex index.html",
  "DirectorySlash On",
  "FallbackResource disabled",
  "ErrorDocument 404 /unrelated.html",
  'ErrorDocument 500 "Sorry"',
  "AddType text/x-unrelated .unrelated",
  "AddHandler server-parsed .unrelated",
  "RemoveHandler .unrelated",
  "AddCharset UTF-8 .utf8",
  "AddDefaultCharset UTF-8",
  "AddEncoding x-gzip .gz",
  "AddLanguage en .en",
  "DefaultLanguage en",
  "LanguagePriority en de",
  "FileETag MTime Size",
  "LimitRequestBody 10485760",
  "TimeOut 60",
  "KeepAlive On",
  "KeepAliveTimeout 5",
  "MaxKeepAliveRequests 100",
  "ServerAdmin webmaster@example.org",
  "ServerSignature Off",
  "ServerTokens Prod",
  "TraceEnable Off",
  "UseCanonicalName Off",
  "HostnameLookups Off",
  "LogLevel warn",
  "ContentDigest Off",
  "CustomLog /var/log/httpd/unrelated.log common",
  'LogFormat "%h %l" unrelated',
  "ErrorLog /var/log/httpd/unrelated.err",
  "php_value memory_limit 64M",
  "php_flag display_errors off",
  "Alias /unrelated /srv/unrelated",
  "ScriptAlias /unrelated-bin/ /srv/unrelated-bin/",
  "Redirect /unrelated-old /unrelated-new",
  "RedirectMatch ^/unrelated-old$ /unrelated-new",
  "ProxyPass /unrelated http://127.0.0.1:8081/",
  "ProxyPassReverse /unrelated http://127.0.0.1:8081/",
  "ProxyTimeout 30",
  "ProxyPreserveHost On",
  "ProxyVia Off",
  "RemoteIPHeader X-Client",
  "Define UNRELATED 1",
  "AuthName Unrelated",
  "AuthBasicProvider file",
  "UserDir disabled",
  "CheckSpelling Off",
  "ModMimeUsePathInfo Off",
  "AcceptPathInfo Default",
  "EnableSendfile Off",
  "UnDefine UNRELATED",
  "<IfModule mod_unrelated.c>\n  UnrelatedSetting on\n</IfModule>",
  "<IfModule mod_expires.c>\n  ExpiresActive On\n</IfModule>",
  "<IfModule mod_deflate.c>\n  AddOutputFilterByType DEFLATE text/css\n</IfModule>",
  "<IfModule mod_headers.c>\n  Header set X-Unrelated 1\n</IfModule>",
  "<IfModule mod_rewrite.c>\n  RewriteEngine On\n  RewriteRule ^/?unrelated-old$ /unrelated-new [R,L]\n</IfModule>",
  "<IfModule !mod_unrelated.c>\n  SetEnv unrelated 2\n</IfModule>",
  "<IfDefine UNRELATED>\n  SetEnv unrelated 2\n</IfDefine>",
  "<IfVersion >= 2.4>\n  SetEnv unrelated 2\n</IfVersion>",
  '<Files "unrelated.txt">\n  SetEnv unrelated 3\n</Files>',
  '<FilesMatch "^unrelated\\.txt$">\n  ForceType text/plain\n</FilesMatch>',
  "<If \"%{HTTP:X-Unrelated} == '1'\">\n  SetEnv unrelated 4\n</If>",
  '<Location "/unrelated">\n  SetHandler default-handler\n</Location>',
  '<LocationMatch "^/unrelated$">\n  Options None\n</LocationMatch>',
  '<Directory "/srv/unrelated">\n  Options None\n</Directory>',
  "<IfDefine UNRELATED>\n  RewriteEngine On\n  RewriteRule ^/?unrelated-old$ /unrelated-new [R,L]\n</IfDefine>",
  "<IfModule mod_unrelated.c>\n  Require all denied\n  ExpiresActive On\n  Options None\n</IfModule>",
  "AllowOverrideList None",
  "AuthMerging Off",
  "Satisfy All",
  "# An unrelated comment",
];

/** A configuration with an unrelated line. */
export interface Changed {
  readonly text: string;
  readonly given: Given;
  /** The number of a line before the change, by its number after it; undefined for the added lines. */
  readonly lineBefore: (line: number) => number | undefined;
}

/** A place for lines: before a logical line, in a context. */
export interface Place {
  readonly at: number;
  readonly context: ContextKind;
  /** Whether it is between a RewriteCond and its rule. */
  readonly followsCondition: boolean;
}

/** The context of the lines in a section, by its name. */
export const contextBySection: Readonly<Record<string, ContextKind>> = {
  virtualhost: "virtualhost",
  directory: "directory",
  directorymatch: "directory",
  location: "location",
  locationmatch: "location",
  files: "files",
  filesmatch: "files",
  limit: "limit",
  limitexcept: "limit",
  proxy: "proxy",
  proxymatch: "proxy",
  if: "if",
  elseif: "if",
  else: "if",
};

const transparent = /^if(?:module|define|version|file|directive|section)$/;

/**
 * Returns the places between the logical lines of a text, except in sections that take no ordinary lines: the main
 * server before and after, each section, and between any two lines.
 */
export function listPlaces(text: string, { kind }: Given): readonly Place[] {
  return placesIn(text, kind === "htaccess" ? "htaccess" : "server");
}

function placesIn(text: string, outer: ContextKind): readonly Place[] {
  const { lines, source } = parseFile({ path: "", realPath: "", text });
  const open: (ContextKind | undefined)[] = [];
  const innermost = () => (open.length === 0 ? outer : open.at(-1));
  const places: Place[] = [];
  const nameOf = (line: Line) =>
    source.text
      .slice(line.nameStart, line.nameEnd)
      .replace(/^<\/?|>$/g, "")
      .toLowerCase();
  let followsCondition = false;
  for (const line of lines) {
    const context = innermost();
    if (context !== undefined) places.push({ at: line.start, context, followsCondition });
    if (line.kind !== "blank" && line.kind !== "comment") followsCondition = nameOf(line) === "rewritecond";
    if (line.kind === "open") open.push(transparent.test(nameOf(line)) ? context : contextBySection[nameOf(line)]);
    if (line.kind === "close") open.pop();
  }
  const last = innermost();
  if (last !== undefined && text.endsWith("\n")) places.push({ at: text.length, context: last, followsCondition });
  return places;
}

/** Returns a text with lines added at a place; undefined if they are not allowed there. */
export function addAt(
  text: string,
  { at, context, followsCondition }: Place,
  added: string,
  given: Given,
): Changed | undefined {
  // A rule takes the conditions before it.
  if (followsCondition && added.includes("RewriteRule")) return undefined;
  const release = given.release ?? "2.4";
  const names = added.split("\n").flatMap((line) => /^\s*(<?[A-Za-z]\w*)/.exec(line)?.[1] ?? []);
  const [first = ""] = names;
  if (!isConditional(first) && !isAllowed(release, first, context)) return undefined;
  if (isConditional(first) && names.slice(1).some((name) => !isAllowed(release, name, context))) return undefined;
  const modules = modulesOf(release, names);
  const block = `${added}\n`;
  const lineOf = (offset: number) => text.slice(0, offset).split("\n").length;
  const count = added.split("\n").length;
  const start = lineOf(at);
  const lineBefore = (line: number) => (line < start ? line : line < start + count ? undefined : line - count);
  const loads = [...text.matchAll(/^[ \t]*LoadModule[ \t]+(\w+).*\n/gm)];
  const isListed =
    given.modules === undefined && loads.some(([, name = ""]) => /^(?:authz_core|unixd)_module$/.test(name));
  const missing = isListed ? modules.filter((module) => !loads.some(([, name]) => name === module)) : [];
  const whole = text.slice(0, at) + block + text.slice(at);
  const allModules = given.modules && { modules: [...new Set([...given.modules, ...modules])] };
  if (missing.length === 0) return { text: whole, given: { ...given, ...allModules }, lineBefore };
  const before = missing.map((module) => `LoadModule ${module} modules/mod_${module.replace(/_module$/, "")}.so\n`);
  return {
    text: before.join("") + whole,
    given,
    lineBefore: (line) => (line <= before.length ? undefined : lineBefore(line - before.length)),
  };
}

function isConditional(name: string): boolean {
  return /^<if(?:module|define|version)$/i.test(name);
}

function isAllowed(release: Release, name: string, context: ContextKind): boolean {
  // A directive of a third-party module
  if (/^php_|^Unrelated/.test(name)) return true;
  // In a Location, they take no path.
  if (context === "location" && /^(?:Script)?Alias$|^Redirect|^ProxyPass/.test(name)) return false;
  return findDirectiveFacts(release, name).some((facts) => !facts.manualOnly && isAllowedIn(facts, context));
}

function modulesOf(release: Release, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const [facts] = findDirectiveFacts(release, name).filter(({ manualOnly }) => !manualOnly);
    const module = facts && findModuleByManualName(release, facts.module);
    return module && !listCompiledInModules(release).includes(module) ? [module.identifier] : [];
  });
}

/** A finding of a configuration, named by what has to stay. */
export interface Kept {
  readonly rule: string;
  readonly message: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the findings in the entry, and those in other files with their path. */
export function keptFindings(rules: readonly RuleDefinition[], text: string, given: Given): readonly Kept[] {
  return lintText(rules, text, given).map(keptOf);
}

function keptOf({ rule, span, message }: Finding): Kept {
  const { file, start, end } = span;
  const isEntry = /\/(?:httpd\.conf|srv\/\.htaccess)$/.test(file.path);
  const line = isEntry ? file.text.slice(0, start).split("\n").length : 0;
  return {
    rule,
    message,
    line,
    text: `${isEntry ? "" : file.path}${toReadable(file.text.slice(start, end)).split("\n")[0]}`,
  };
}

/** Returns the findings of a configuration that it no longer has after a change. */
export function lostFindings(
  rules: readonly RuleDefinition[],
  before: readonly Kept[],
  { text, given, lineBefore }: Changed,
): readonly Kept[] {
  const after = keptFindings(rules, text, given).map(({ line, ...rest }) => ({
    ...rest,
    line: line === 0 ? 0 : (lineBefore(line) ?? -1),
  }));
  const isSame = (one: Kept, other: Kept) =>
    other.rule === one.rule && (other.message === one.message || (other.text === one.text && other.line === one.line));
  return before.filter((one) => !after.some((other) => isSame(one, other)));
}
