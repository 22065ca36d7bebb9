import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";

interface Asked extends Partial<Request> {
  /** The `.htaccess` file of `/srv/www/app`. */
  readonly htaccess?: string;
  readonly files?: readonly string[];
  readonly release?: "2.2" | "2.4";
}

const usual = ["/srv/www/app/.htaccess", "/srv/www/index.html", "/srv/www/app/index.php", "/srv/www/docs/a.html"];
const grant24 = ["<Directory /srv>", "Require all granted", "AllowOverride All", "</Directory>"];
const grant22 = ["<Directory /srv>", "Order allow,deny", "Allow from all", "AllowOverride All", "</Directory>"];

function answerFor(
  lines: readonly string[],
  path: string,
  { htaccess, files = usual, release = "2.4", ...sent }: Asked = {},
) {
  const grant = release === "2.2" ? grant22 : grant24;
  const text = ["ServerName a.test", "DocumentRoot /srv/www", ...grant, ...lines].join("\n");
  const loaded = loadProject("/etc/httpd.conf", {
    access: memoryAccess({
      "/etc/httpd.conf": `${text}\n`,
      ...(htaccess === undefined ? {} : { "/srv/www/app/.htaccess": `${htaccess}\n` }),
    }),
    ...{ release, htaccess: true, kind: "server" },
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const request = { method: "GET", path, host: "a.test", clientIp: "192.0.2.7", ...sent };
  const textOf = (path: string) => (path === "/dev/null" ? "" : undefined);
  return answer(loaded.value, request, { files: { ...createListedFiles(files), textOf } });
}

/** Returns the status, and the causes without the places. */
function causesOf(...parameters: Parameters<typeof answerFor>): readonly unknown[] {
  const { status, causes } = answerFor(...parameters);
  return [status, ...causes.flatMap(({ text, help = [] }) => [text, ...help.map((each) => `help: ${each}`)])];
}

function closeMissesOf(...parameters: Parameters<typeof answerFor>): readonly string[] {
  return answerFor(...parameters).misses.flatMap(({ section, reason, isClose, help = [] }) =>
    isClose ? [`${section}: ${reason}`, ...help.map((each) => `help: ${each}`)] : [],
  );
}

describe("Redirect", () => {
  test("appends the rest of a path to the name of a file", () => {
    expect(causesOf(["Redirect 301 /docs /new/index.html"], "/docs/a.html")).toEqual([
      301,
      "`Redirect` appends the rest of the path, `/a.html`",
      'help: to lead all paths to one URL, use `RedirectMatch 301 "^/docs(?:/.*)?$" /new/index.html`',
    ]);
    expect(causesOf(["RedirectPermanent /docs /new?p=1"], "/docs/a.html")[1]).toContain("`RedirectPermanent` appends");
  });

  test.each([
    ["Redirect 301 /docs /new/index.html", "/docs"],
    ["Redirect 301 /docs /new", "/docs/a.html"],
    ["Redirect 301 /docs https://b.test", "/docs/a.html"],
    ["RedirectMatch 301 ^/docs /new/index.html", "/docs/a.html"],
  ])("has no such note: %s", (line, path) => {
    expect(causesOf([line], path)).toEqual([301]);
  });

  const rule = "RewriteEngine on\nRewriteRule ^old$ index.php?q=$0 [L]";
  test("gets the query that rules of its directory set", () => {
    expect(causesOf([], "/app/old", { htaccess: `Redirect /app/old https://b.test/new\n${rule}` })).toEqual([
      302,
      "`RewriteRule ^old$ index.php?q=$0 [L]` runs before this `Redirect` and sets the query `q=old`",
      "help: replace `Redirect` by `RewriteRule ^old(/.*)?$ https://b.test/new$1 [R=302,L]`, before that rule and its conditions",
    ]);
    expect(causesOf(["Redirect /app/old https://b.test/new"], "/app/old", { htaccess: rule })).toEqual([302]);
  });

  test("has an exception that another slash would make fit", () => {
    const lines = (exception: string) => [`RedirectMatch 403 ^/?\\.(?!${exception})`];
    expect(causesOf(lines("/well-known/"), "/.well-known/a")[1]).toBe(
      "the exception in `^/?\\.(?!/well-known/)` does not fit the path; without the slash after `(?!`, it does",
    );
    expect(causesOf(lines("/well-known/"), "/.git/a")).toEqual([403]);
    expect(causesOf(lines("well-known/"), "/.git/a")).toEqual([403]);
    expect(causesOf(["RedirectMatch 403 ^/x(?!y/)"], "/x/y/")[1]).toContain("with a slash after `(?!`, it does");
  });
});

describe("rules", () => {
  const htaccess = "RewriteEngine on\nRewriteRule ^api index.php [L]\nRewriteRule ^index\\.php$ /index.html [L]";
  test("run again after the flag L", () => {
    expect(causesOf([], "/app/api", { htaccess })).toEqual([
      200,
      "the rules run again for `/app/index.php`: `L` ends only one round; with `END` instead, they do not",
      "help: use `RewriteRule ^api index.php [END]`",
    ]);
    expect(causesOf([], "/app/api", { htaccess: htaccess.replaceAll("[L]", "[END]") })).toEqual([200]);
    expect(causesOf([], "/app/index.php", { htaccess })).toEqual([200]);
  });

  test.each([
    ["RewriteBase /\nRewriteRule ^p$ index.php", "use `RewriteBase /app/`"],
    ["RewriteRule ^p$ /index.php", "use `RewriteRule ^p$ /app/index.php`"],
    ["RewriteRule ^p$ /index.php?a=/index.php [L]", "use `RewriteRule ^p$ /app/index.php?a=/index.php [L]`"],
  ])("lead to a file of another directory: %s", (lines, help) => {
    expect(causesOf([], "/app/p", { htaccess: `RewriteEngine on\n${lines}` })).toEqual([
      404,
      "the rule leads to `/srv/www/index.php`, but `/srv/www/app/index.php` exists",
      `help: ${help}`,
    ]);
  });

  test("of 2.2 lead to the path of the directory behind an Alias", () => {
    const rule = "RewriteEngine on\nRewriteRule ^p$ index.php";
    const lines = ["DocumentRoot /srv/other", "Alias /k /srv/www/app"];
    expect(causesOf(lines, "/k/p", { htaccess: rule, release: "2.2" })).toEqual([
      404,
      "the rule leads to `/srv/other/srv/www/app/index.php`, but `/srv/www/app/index.php` exists",
      "help: add `RewriteBase /k/` before the first rule",
    ]);
    expect(causesOf(lines, "/k/p", { htaccess: rule })).toEqual([200]);
  });

  test("lead to a file that no directory has", () => {
    expect(causesOf([], "/app/p", { htaccess: "RewriteEngine on\nRewriteRule ^p$ none.php" })).toEqual([404]);
  });

  test("that map to a file keep other lines from the URL without PT", () => {
    const lines = (flags: string) => ["Alias /i/ /srv/i/", "RewriteEngine on", `RewriteRule ^/j/(.*)$ /i/$1${flags}`];
    expect(closeMissesOf(lines(""), "/j/a.png")).toEqual([
      "Alias /i/ /srv/i/: `RewriteRule ^/j/(.*)$ /i/$1` maps the URL to a file first; with the flag `PT`, this line maps `/i/a.png`",
      "help: in the rule, use `RewriteRule ^/j/(.*)$ /i/$1 [PT]`",
    ]);
    expect(closeMissesOf(lines(" [PT]"), "/j/a.png")).toEqual([]);
  });

  const host = (port: number, ...lines: string[]) => [
    ...[`<VirtualHost *:${port}>`, "ServerName a.test", "DocumentRoot /srv/www", ...lines, "</VirtualHost>"],
  ];
  test("are those of the virtual host only", () => {
    const rule = ["RewriteEngine on", "RewriteRule ^/old /new [R]"];
    expect(closeMissesOf([...rule, ...host(80)], "/old")).toEqual([
      "RewriteRule ^/old /new [R]: virtual hosts do not inherit the rules of the main server",
      "help: add `RewriteEngine On` and `RewriteOptions Inherit` to `<VirtualHost *:80>`",
    ]);
    expect(closeMissesOf([...host(80, ...rule), ...host(8080)], "/old", { port: 8080 })).toEqual([
      "RewriteRule ^/old /new [R]: it is in `<VirtualHost *:80>`, and `<VirtualHost *:8080>` answers",
      "help: add `RewriteEngine On` and `RewriteRule ^/old /new [R]` to `<VirtualHost *:8080>`",
    ]);
    const inherits = host(80, "RewriteEngine on", "RewriteOptions Inherit");
    expect(closeMissesOf([...rule, ...inherits], "/old")).toEqual([]);
    expect(closeMissesOf([...host(80, "Redirect / https://a.test/"), ...host(8080)], "/old", { port: 8080 })).toEqual(
      [],
    );
  });
});

test.each(["RewriteEngine on\nRewriteRule ^p - [R=404]", "RedirectMatch 404 /p$"])(
  "a line that answers with 404 leads to no file: %s",
  (htaccess) => {
    const { cases, status } = answerFor([], "/app/p", { htaccess });
    expect([status, cases.map(({ destination }) => destination)]).toEqual([404, [{}]]);
  },
);

describe("a document of an error", () => {
  test("may be missing as well", () => {
    expect(causesOf(["ErrorDocument 404 /404.html"], "/none")).toEqual([
      404,
      "`ErrorDocument 404 /404.html` leads to `/srv/www/404.html`, which does not exist",
      "help: create `/srv/www/404.html`, or correct the path of the URL",
    ]);
    expect(causesOf(["ErrorDocument 404 /srv/www/docs/a.html"], "/none")[2]).toBe(
      "help: use `ErrorDocument 404 /docs/a.html`: it takes the path of a URL",
    );
    expect(causesOf(["ErrorDocument 404 /index.html"], "/none")).toEqual([404]);
    expect(causesOf(["ErrorDocument 404 Missing"], "/none")).toEqual([404]);
  });

  test("does not replace the pages of a backend", () => {
    const lines = ["ErrorDocument 404 /404.html", "ProxyPass /b/ http://127.0.0.1:8080/"];
    expect(closeMissesOf(lines, "/b/x")).toEqual([
      "ErrorDocument 404 /404.html: the backend answers, also with its own pages for errors",
      "help: to replace its pages, add `ProxyErrorOverride On` next to this line",
    ]);
    expect(closeMissesOf([...lines, "ProxyErrorOverride On"], "/b/x")).toEqual([]);
  });
});

test("FallbackResource has no effect if it does not exist", () => {
  expect(causesOf([], "/app/x/y", { htaccess: "FallbackResource /index.php" })).toEqual([
    404,
    "`FallbackResource /index.php` has no effect: `/srv/www/index.php` does not exist",
    "help: use `FallbackResource /app/index.php`",
  ]);
  expect(causesOf([], "/app/x", { htaccess: "FallbackResource /none.php" })[1]).toBe(
    "`FallbackResource /none.php` has no effect: `/srv/www/none.php` does not exist",
  );
  expect(causesOf([], "/app/x", { htaccess: "FallbackResource /app/index.php" })).toEqual([200]);
});

test("ProxyPass encodes an encoded slash again without nocanon", () => {
  const lines = (end: string) => ["AllowEncodedSlashes NoDecode", `ProxyPass / http://127.0.0.1:8080/${end}`];
  expect(causesOf(lines(""), "/a%2Fb")).toEqual([
    200,
    "`ProxyPass` encodes `%2F` again, to `%252F`; with `nocanon`, the backend gets the URL as the client sends it",
    "help: use `ProxyPass / http://127.0.0.1:8080/ nocanon`",
  ]);
  expect(causesOf(lines(" nocanon"), "/a%2Fb")).toEqual([200]);
  expect(causesOf(lines(""), "/a%20b")).toEqual([200]);
});

test("a media type is not a handler", () => {
  const files = ["/srv/www/a.wasm", "/srv/www/a.x"];
  expect(causesOf(["AddHandler application/wasm .wasm"], "/a.wasm", { files })).toEqual([
    200,
    "`application/wasm` is a media type, but `AddHandler` sets a handler",
    "help: to set the type, use `AddType application/wasm .wasm`",
  ]);
  expect(causesOf(["AddHandler application/x-httpd-php .wasm"], "/a.wasm", { files })).toEqual([200]);
  expect(causesOf(["AddHandler cgi-script .x", "AddType application/wasm .wasm"], "/a.wasm", { files })).toEqual([200]);
});

test("DirectoryIndex may lead to a backend for a file that does not exist", () => {
  const lines = ["DirectoryIndex index.php", "ProxyPassMatch \\.php$ fcgi://127.0.0.1:9000/srv/www"];
  expect(causesOf(lines, "/docs/")).toEqual([
    200,
    "`DirectoryIndex` looks up `/docs/index.php`, which `ProxyPassMatch` passes on even if the file does not exist",
    'help: replace it by `<FilesMatch "\\.php$">`, `SetHandler "proxy:fcgi://127.0.0.1:9000"` and `</FilesMatch>`, which passes on existing files only',
  ]);
  expect(causesOf(lines, "/docs/index.php")).toEqual([200]);
});

test("a redirect to the path with a slash has the scheme of the connection", () => {
  const headers = { "X-Forwarded-Proto": "https" };
  expect(causesOf([], "/docs", { headers })).toEqual([
    301,
    "httpd takes the scheme from the connection, which has no TLS",
    "help: use `UseCanonicalName On` and `ServerName https://a.test`",
  ]);
  expect(causesOf([], "/docs")).toEqual([301]);
  expect(causesOf(["UseCanonicalName On", "ServerName https://a.test"], "/docs", { headers })).toEqual([301]);
});

test("MultiViews may find a file that cannot be chosen", () => {
  const files = ["/srv/www/x.none", "/srv/www/index.html"];
  const lines = ["TypesConfig /dev/null", "<Directory /srv/www>", "Options MultiViews", "</Directory>"];
  const found = causesOf(lines, "/x", { files: [...files, "/dev/null"] });
  expect(found).toEqual([
    404,
    "`MultiViews` finds `x.none` for `/x`, but cannot choose it; httpd returns an error before rewrite rules run",
    "help: use `Options None`",
  ]);
  expect(causesOf(lines, "/y", { files: [...files, "/dev/null"] })).toEqual([404]);
});

describe("access", () => {
  const login = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];
  test("needs a login by Satisfy All although the address is allowed", () => {
    const lines = [
      "<Directory /srv/www>",
      ...login,
      "</Directory>",
      "<Location /docs>",
      "Allow from all",
      "</Location>",
    ];
    const cause = "`Allow from all` does not replace the login, because `Satisfy` is `All` by default";
    expect(causesOf(lines, "/docs/a.html", { release: "2.2" })).toEqual([
      401,
      cause,
      "help: add `Satisfy Any` next to it",
    ]);
    expect(causesOf(lines, "/index.html", { release: "2.2" })).toEqual([401]);
  });

  test("of an exception is overridden by a Location section", () => {
    const exception = ["<Directory /srv/www/docs>", "Require all granted", "</Directory>"];
    const lines = [...exception, "<Location />", ...login, "</Location>"];
    expect(causesOf(lines, "/docs/a.html")).toEqual([
      401,
      "`<Location />` overrides `Require all granted` of `<Directory /srv/www/docs>`, because `<Location>` sections are merged last",
      'help: add `<Location "/docs">`, `Require all granted` and `</Location>` after `<Location />`',
    ]);
    expect(causesOf(lines, "/index.html")).toEqual([401]);
  });

  test.each([
    ["the whole site, of which a Location section restricts a part", "/srv/www", "/docs"],
    ["the directory that a Location section restricts", "/srv/www/docs", "/docs"],
    ["a directory beside a pattern", "/srv/www/docs", "~ ^/docs"],
  ])("is not an exception for %s", (_, directory, url) => {
    const granted = [`<Directory ${directory}>`, "Require all granted", "</Directory>"];
    const lines = [...granted, `<Location ${url}>`, ...login, "</Location>"];
    expect(causesOf(lines, "/docs/a.html")).toEqual([401]);
  });

  const restricted = ["<Directory /srv/www/docs>", "Require ip 192.0.2.0/24", "</Directory>"];
  const banned = [
    "<Location /docs>",
    "<RequireAll>",
    "Require all granted",
    "Require not ip 203.0.113.9",
    "</RequireAll>",
  ];
  test("does not need the lines that a later section replaces", () => {
    expect(closeMissesOf([...restricted, ...banned, "</Location>"], "/docs/a.html")).toEqual([
      "Require ip 192.0.2.0/24: `<Location /docs>` is merged later, and its `Require` lines replace this one",
      "help: to require both, add `AuthMerging And` to `<Location /docs>`",
    ]);
  });

  test.each([
    ["with both", [...restricted, ...banned, "AuthMerging And", "</Location>"]],
    ["with an exception", [...restricted, "<Location /docs>", "Require all granted", "</Location>"]],
    ["with a default", [...banned, "</Location>"]],
  ])("needs no change %s", (_, lines) => {
    expect(closeMissesOf(lines, "/docs/a.html")).toEqual([]);
  });

  test("is granted without the login of a user", () => {
    const unasked = "no line asks for a login for this path, so httpd ignores the user";
    expect(causesOf([], "/index.html", { user: "a" })).toEqual([200, unasked]);
    expect(causesOf([], "/index.html")).toEqual([200]);
    const asked = [
      "<Location />",
      "AuthType Basic",
      "AuthName x",
      "AuthUserFile /u",
      "Require valid-user",
      "</Location>",
    ];
    expect(causesOf(asked, "/index.html", { user: "a" })).not.toContain(unasked);
  });

  test("is that of a proxy if no line reads its header", () => {
    const lines = ["<Location />", "Require ip 198.51.100.7", "</Location>"];
    const sent = { peerIp: "10.0.0.7", clientIp: "10.0.0.7", headers: { "X-Forwarded-For": "198.51.100.7" } };
    expect(causesOf(lines, "/index.html", sent)).toEqual([
      403,
      "httpd ignores `X-Forwarded-For`, so the client is 10.0.0.7",
      "help: with mod_remoteip, add `RemoteIPHeader X-Forwarded-For` and `RemoteIPInternalProxy 10.0.0.7`",
    ]);
    expect(causesOf(lines, "/index.html", { ...sent, headers: {} })).toEqual([403]);
    expect(causesOf(["RemoteIPHeader X-Real-IP", ...lines], "/index.html", sent)).toEqual([403]);
  });

  test("is not given by a private address that a trusted proxy reports", () => {
    const lines = ["RemoteIPHeader X-Forwarded-For", "RemoteIPTrustedProxy 192.0.2.0/24", "<Location />"];
    const sent = { peerIp: "192.0.2.7", clientIp: "192.0.2.7", headers: { "X-Forwarded-For": "10.1.1.1" } };
    expect(closeMissesOf([...lines, "Require ip 10", "</Location>"], "/index.html", sent)).toEqual([
      "RemoteIPTrustedProxy 192.0.2.0/24: it does not accept the private address `10.1.1.1`, so httpd ignores `X-Forwarded-For` and the client is 192.0.2.7",
      "help: use `RemoteIPInternalProxy 192.0.2.0/24`",
    ]);
  });
});

describe("a section", () => {
  test("for a directory with the path of the URL does not apply", () => {
    const lines = ["<Directory /docs>", "Require all denied", "</Directory>"];
    expect(closeMissesOf(lines, "/docs/a.html")).toEqual([
      "<Directory /docs>: it compares the path of the file, `/srv/www/docs/a.html`, and not that of the URL",
      'help: use `<Directory "/srv/www/docs">`',
    ]);
    expect(closeMissesOf(lines, "/index.html")).toEqual([]);
  });

  test("for a URL with the path of the file does not apply", () => {
    const lines = ["<Location /srv/www/docs>", "Require all denied", "</Location>"];
    expect(closeMissesOf(lines, "/docs/a.html")).toEqual([
      "<Location /srv/www/docs>: it compares the path of the URL, `/docs/a.html`, and not that of the file",
      "help: use `<Directory /srv/www/docs>`",
    ]);
  });
});

describe("a virtual host", () => {
  const hosts = ["<VirtualHost *:80>", "ServerName b.test", "</VirtualHost>"];
  const other = (name: string) => ["<VirtualHost *:80>", `ServerName ${name}`, "</VirtualHost>"];
  test("lacks the name with `www.`", () => {
    expect(closeMissesOf([...hosts, ...other("c.test")], "/index.html", { host: "www.c.test" })).toEqual([
      "<VirtualHost *:80>: it has `ServerName c.test`, but no name for `www.c.test`",
      "help: add `ServerAlias www.c.test` to this virtual host",
    ]);
    expect(closeMissesOf([...hosts, ...other("www.c.test")], "/index.html", { host: "c.test" })[1]).toContain(
      "add `ServerAlias c.test`",
    );
    expect(closeMissesOf([...hosts, ...other("c.test")], "/index.html", { host: "d.test" })).toEqual([]);
  });

  test("is for the address that a name has", () => {
    const named = ["<VirtualHost keys>", "ServerName k.test", "</VirtualHost>"];
    expect(closeMissesOf([...hosts, ...named], "/index.html", { host: "k.test" })[0]).toContain(
      "it is for the address that the name `keys` has when httpd starts",
    );
  });
});

test("a `.htaccess` file has a directive of a module that is not loaded", () => {
  const lines = ["LoadModule dir_module modules/mod_dir.so", "LoadModule authz_core_module modules/mod_authz_core.so"];
  const { causes } = answerFor(lines, "/app/", { htaccess: "ExpiresActive On" });
  expect(causes[0]?.text).toContain("; mod_expires defines it, but no `LoadModule` line loads that module");
});
