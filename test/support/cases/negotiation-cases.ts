import type { Answer } from "../../../src/server/model/answer.js";
import type { Request } from "../../../src/server/model/request.js";

/** Requests to a server with directories that negotiate in different ways, for live and recorded comparison. */
export interface NegotiationCase {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isBob?: boolean;
}

export const negotiationModules = [
  ...["authz_core", "authz_host", "authz_user", "authn_core", "authn_file", "auth_basic", "alias", "actions", "dir"],
  ...["autoindex", "env", "mime", "negotiation", "rewrite", "setenvif", "cgid"],
];

interface NegotiationFolder {
  readonly lines?: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
}

const frontController = [
  "RewriteEngine On",
  "RewriteCond %{REQUEST_FILENAME} !-f",
  "RewriteCond %{REQUEST_FILENAME} !-d",
  "RewriteRule ^ index.php [L]",
];

const languages = { "a.html.en": "en\n", "a.html.de": "de, longer\n", "a.html.fr": "fr\n", "a.html": "none\n" };
const types = { "a.html": "12\n", "a.txt": "1\n", "a.json": "1\n", "a.png": "1\n" };
const text = "x\n";

const map = [
  ...["URI: a.en.html", "Content-type: text/html; qs=0.9", "Content-language: en", ""],
  ...["# comment", "URI: a.de.html", "Content-type: text/html;", "  qs=0.5", "Content-language: de, at", ""],
  ...["URI: a.txt", "Content-type: text/plain; charset=utf-8; qs=0.3 (comment)", "Content-length: 5", "", ""],
];
const variants = { "a.en.html": "e\n", "a.de.html": "d\n", "a.txt": "t\n" };

/** The directories, each with its section, files and requested paths. */
const folders: Readonly<Record<string, NegotiationFolder>> = {
  types: { files: types, paths: ["a", "a?x", "a/", "a/more", "b", "a.", "a.html", "a.xyz"] },
  languages: { files: languages, paths: ["a", "a.html", "a.html.en"] },
  priority: { lines: ["LanguagePriority fr de en"], files: languages, paths: ["a", "a.html"] },
  fallback: {
    lines: ["LanguagePriority de en", "ForceLanguagePriority Fallback"],
    files: { "a.html.en": text, "a.html.de": text },
    paths: ["a"],
  },
  both: {
    lines: ["LanguagePriority de en", "ForceLanguagePriority Prefer Fallback"],
    files: { "a.html.en": text, "a.html.de": text, "a.html.pt-br": text },
    paths: ["a"],
  },
  none: {
    lines: ["LanguagePriority de en", "ForceLanguagePriority None"],
    files: { "a.html.en": text, "a.html.de": text },
    paths: ["a"],
  },
  default: { lines: ["DefaultLanguage de"], files: { "a.html": text, "a.html.en": text }, paths: ["a"] },
  encodings: {
    files: { "a.html": text, "a.html.gz": "x", "b.html.gz": "x", "c.html.gz.Z": "x" },
    paths: ["a", "b", "c"],
  },
  charsets: {
    lines: ["AddCharset utf-8 .utf8", "AddCharset iso-8859-2 .latin2"],
    files: { "a.html.utf8": text, "a.html.latin2": text, "a.html": text, "b.html.utf8": text },
    paths: ["a", "b"],
  },
  unknown: {
    files: { "page.xyz": text, "a.b.html": text, "a.html.bak": text, "c.html/d.txt": text, "e.tar.gz": text },
    paths: ["page", "a", "a.html", "a.b", "c", "e", "A"],
  },
  rewritten: { lines: ["RewriteEngine On", "RewriteRule ^a$ - [F]"], files: { "a.txt": text }, paths: ["a", "b"] },
  refused: { lines: ["RewriteEngine On", "RewriteRule ^a.txt$ - [F]"], files: { "a.txt": text }, paths: ["a", "b"] },
  redirected: {
    lines: ["RewriteEngine On", "RewriteRule ^a.txt$ https://x.test/ [R]", "RewriteRule ^c$ a [R]"],
    files: { "a.txt": text, "a.html": text, "b.html": text },
    paths: ["a", "b", "c"],
  },
  front: {
    lines: frontController,
    files: { "index.php": text, "page.xyz": text, "only.html": text, "both.html": text, "both.txt": text },
    paths: ["page", "only", "both", "index", "missing", ""],
  },
  guarded: {
    lines: [...frontController, '<Files "index.php">', "Require ip 127.1", "</Files>"],
    files: { "index.php": text },
    paths: ["index", "missing"],
  },
  resource: {
    lines: ["FallbackResource /resource/index.php"],
    files: { "index.php": text, "page.xyz": text, "only.html": text },
    paths: ["page", "only", "missing"],
  },
  denied: {
    lines: ['<Files "a.html">', "Require all denied", "</Files>", '<Files "b.*">', "Require all denied", "</Files>"],
    files: { "a.html": text, "a.txt": text, "b.html": text, "c.html": text },
    paths: ["a", "b", "c"],
  },
  asked: {
    lines: ['<Files "a.html">', "AuthType Basic", "AuthName x", "AuthUserFile users", "Require user bob", "</Files>"],
    files: { "a.html": text, "a.txt": text },
    paths: ["a"],
  },
  index: {
    lines: ["DirectoryIndex index", "Options +Indexes"],
    files: { "index.html": text, "index.txt": text, "sub/index.xyz": text, "none/a.txt": text },
    paths: ["", "sub/", "none/"],
  },
  handlers: {
    lines: ["AddHandler cgi-script .cgi", "Options +ExecCGI"],
    files: { "a.cgi": text, "a.html": text, "b.cgi": text },
    paths: ["b"],
  },
  matched: {
    lines: ["AddHandler server-status .cgi", "MultiviewsMatch Handlers Filters"],
    files: { "b.cgi": text, "b.xyz": text },
    paths: ["b"],
  },
  any: { lines: ["MultiviewsMatch Any"], files: { "b.xyz": text, "c.xyz.html": text }, paths: ["b", "c"] },
  forced: { lines: ["ForceType text/plain"], files: { "b.html": text, "c.xyz": text }, paths: ["b", "c"] },
  removed: {
    lines: [
      "RemoveType .html",
      "AddType text/x-a .aaa",
      "AddType text/html;qs=0.2 .htm",
      "AddType text/plain;qs=0.4 .bbb",
    ],
    files: { "b.html": text, "c.aaa": text, "c.html": text, "d.htm": text, "d.bbb": text },
    paths: ["b", "c", "d"],
  },
  php: {
    lines: ["AddType application/x-httpd-php .php"],
    files: { "a.php": text, "b.php": text, "b.html": text },
    paths: ["a", "b"],
  },
  handled: {
    lines: ['<FilesMatch "\\.php$">', "SetHandler application/x-httpd-php", "</FilesMatch>"],
    files: { "a.php": text },
    paths: ["a"],
  },
  variables: {
    lines: ["SetEnvIf X-Prefer (.+) prefer-language=$1", "SetEnvIf X-Plain . no-gzip"],
    files: { "a.html.en": text, "a.html.de": text, "a.html.en.gz": "x" },
    paths: ["a"],
  },
  off: { lines: ["Options -MultiViews"], files: types, paths: ["a"] },
  maps: {
    lines: ["AddHandler type-map .var"],
    files: { "a.var": map.join("\n"), ...variants, "b.var": "URI: c.html\n", "d.var": "nothing\n", "e.var": "URI:\n" },
    paths: ["a.var", "a", "a.var/more", "a.var?x", "b.var", "b", "d.var", "e.var", "d", "z.var", "z.var/more"],
  },
  bodies: {
    lines: ["AddHandler type-map .var"],
    files: {
      "a.var":
        "Content-language: en\nContent-type: text/html\nBody:--xx--\n<p>\n--xx--\n\nURI: b.html\nContent-type: text/plain\n\n",
      "b.html": text,
      "c.var": "Content-language: en\nContent-type: text/html\nBody:--xx--\n<p>\n",
      "d.var": "Content-type: text/html\nURI: d.html\nContent-length: x\n",
    },
    paths: ["a.var", "c.var", "d.var"],
  },
  guardedmap: {
    lines: ["AddHandler type-map .var", '<Files "a.*.html">', "Require all denied", "</Files>"],
    files: { "a.var": map.join("\n"), ...variants },
    paths: ["a.var", "a"],
  },
  mapindex: {
    lines: ["AddHandler type-map .var", "DirectoryIndex index.html.var"],
    files: { "index.html.var": map.join("\n"), ...variants },
    paths: [""],
  },
  prefixed: {
    lines: [
      "RewriteEngine On",
      "RewriteRule ^(?!other|secret|redirect) other.txt [L]",
      "RewriteRule ^redirect: secret.txt [L]",
      '<Files "secret.txt">',
      "Require all denied",
      "</Files>",
    ],
    files: { "other.txt": text, "secret.txt": text, "page.html": text },
    paths: ["page", "other", "page.html"],
  },
  led: {
    lines: [
      "RewriteEngine On",
      "RewriteRule ^page.html$ secret.txt [L]",
      '<Files "secret.txt">',
      "Require all denied",
      "</Files>",
    ],
    files: { "other.txt": text, "secret.txt": text, "page.html": text },
    paths: ["page", "secret", "page.html"],
  },
  htaccess: {
    lines: ["AllowOverride All"],
    files: {
      ".htaccess": "AddLanguage de .fr\nForceType text/html\n<Files a.xx.de>\nRequire all denied\n</Files>\n",
      "a.xx.de": text,
      "a.xx": text,
      "b.xx.fr": text,
      "b.xx.de": text,
    },
    paths: ["a", "a.xx", "b.xx", "b"],
  },
  located: { files: types, paths: ["a"] },
  everything: {
    lines: ["RewriteEngine On", "RewriteRule ^(.*)$ index.php [L]"],
    files: { "index.php": text, "page.html": text },
    paths: ["page", "index", ""],
  },
};

export const negotiationLines = [
  ...["TypesConfig DOCROOT/mime.types", "AddLanguage en .en", "AddLanguage de .de", "AddLanguage fr .fr"],
  ...["AddLanguage pt-BR .pt-br", "AddEncoding x-gzip .gz", "AddEncoding x-compress .Z", "LanguagePriority en"],
  ...["Options FollowSymLinks"],
  ...['<Location "/located/a.html">', "Require all denied", "</Location>", "Alias /aliased DOCROOT/types"],
  ...Object.entries(folders).flatMap(([name, { lines = [] }]) => [
    `<Directory "DOCROOT/${name}">`,
    ...["Options FollowSymLinks MultiViews", ...lines],
    "</Directory>",
  ]),
];

const mediaTypes = [
  ...[
    "# comment",
    "text/html\t\thtml htm",
    "text/plain txt",
    "image/png PNG",
    "application/json json",
    "text/x-none",
    "",
  ],
];

export const negotiationFiles: Readonly<Record<string, string>> = {
  "mime.types": mediaTypes.join("\n"),
  ...Object.fromEntries(
    Object.entries(folders).flatMap(([folder, { files }]) =>
      Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]),
    ),
  ),
};

const headers: readonly Readonly<Record<string, string>>[] = [
  {},
  { Accept: "text/html" },
  { Accept: "image/png" },
  { Accept: "text/html, */*" },
  { Accept: "text/plain;q=0.5, text/html;q=0.2, image/*;q=0.9" },
  { Accept: "application/json;q=0, text/*" },
  { Accept: "text/html;level=1;q=0.4, text/plain" },
  { Accept: "" },
  { "Accept-Language": "de" },
  { "Accept-Language": "en-US, fr;q=0.3" },
  { "Accept-Language": "pt-br, *;q=0.1" },
  { "Accept-Language": "es" },
  { "Accept-Language": "de;q=0, en;q=0.5, *;q=0.7" },
  { "Accept-Encoding": "gzip" },
  { "Accept-Encoding": "identity;q=0, gzip;q=0.5" },
  { "Accept-Encoding": "" },
  { "Accept-Encoding": "br, *;q=0.2" },
  { "Accept-Charset": "utf-8" },
  { "Accept-Charset": "iso-8859-2;q=0.5, utf-8;q=0.4" },
  { "Accept-Charset": "*;q=0.1, iso-8859-1;q=0" },
  { Negotiate: "trans" },
  { Negotiate: "trans", "Accept-Language": "de", Accept: "text/html" },
  { Negotiate: "1.0", Accept: "text/html" },
  { Negotiate: "1.0", Accept: "text/plain, text/html;q=0.5", "Accept-Language": "de, fr;q=0.2" },
  { Negotiate: "*", Accept: "text/html;q=0.1" },
  { Negotiate: "vlist", "User-Agent": "Lynx/2.8" },
  { Negotiate: "other" },
  { "X-Prefer": "de" },
  { "X-Prefer": "de", "Accept-Language": "en", "X-Plain": "1" },
  { "X-Prefer": "es", "Accept-Encoding": "gzip" },
];

/** Returns the request for a case. */
export function requestOf({ path, method = "GET", headers = {}, isBob }: NegotiationCase): Request {
  const [bare = "", query] = path.split("?");
  const request = { path: bare, method, headers, clientIp: "127.0.0.1" };
  return { ...request, ...(query === undefined ? {} : { query }), ...(isBob ? { user: "bob" } : {}) };
}

/** Returns the name of the file that the trace says was chosen. */
export function servedName({ trace }: Answer): string | undefined {
  const step = trace.findLast(({ effect }) => /\((?:MultiViews|type map)\)/.test(effect));
  return /([^/]*)` \(/.exec(step?.effect ?? "")?.[1];
}

/** Groups answers by path; those to the requests for one path follow each other. */
export function groupByPath(answers: readonly (readonly [path: string, answer: string])[]) {
  const byPath: Record<string, string> = {};
  for (const [path, answer] of answers)
    byPath[path] = byPath[path] === undefined ? answer : `${byPath[path]}; ${answer}`;
  return byPath;
}

export function negotiationCases(): readonly NegotiationCase[] {
  const inFolders = Object.entries(folders).flatMap(([folder, each]) => each.paths.map((path) => `/${folder}/${path}`));
  const paths = [...inFolders, "/aliased/a", "/aliased/a/more", "/aliased/x"];
  return paths.flatMap((path) => [
    ...headers.map((each) => ({ path, headers: each })),
    ...["HEAD", "POST", "PUT", "OPTIONS"].map((method) => ({ path, method })),
    { path, isBob: true },
  ]);
}
