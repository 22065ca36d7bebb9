import { describe, expect, test } from "vitest";
import { headlineOf } from "../../src/report/answers/answer-words.js";
import { shownCaseOf } from "../../src/report/answers/shown-case.js";
import { type Asked, answerFor, causesOf, closeMissesOf, usual } from "./explained.js";

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
    ["Redirect /blog https://b.test/", "/blog/a", "https://b.test/"],
    ["Redirect 301 /blog /new/", "/blog/a", "/new/"],
  ])("appends the rest with a second slash: %s", (line, path, target) => {
    expect(causesOf([line], path)[1]).toBe(`\`Redirect\` appends \`/a\` to \`${target}\` with a second slash`);
    expect(causesOf([line], path)[2]).toBe(`help: remove the slash at the end of \`${target}\``);
    const fixed = causesOf([line.replace(/\/$/, "")], path);
    expect(fixed).toHaveLength(1);
  });

  test.each([
    ["Redirect 301 /docs/ /new/", "/docs/a.html"],
    ["Redirect 301 /docs /new/", "/docs"],
    ["Redirect 301 /docs /new/", "/docs/"],
    ["Redirect 301 / https://b.test/", "/docs/a.html"],
    ["Redirect 301 /docs https://b.test/?from=/", "/docs"],
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
  ]);
  // With a rule, the request goes on without MultiViews.
  const rule = [
    ...["<Directory /srv/www>", "Options FollowSymLinks MultiViews", "RewriteEngine On"],
    ...["RewriteRule ^x$ /index.html", "</Directory>"],
  ];
  expect(causesOf([...lines, ...rule], "/x", { files: [...files, "/dev/null"] }).slice(2)).toEqual([
    "help: use `Options FollowSymLinks`",
  ]);
  const ofServer = ["RewriteEngine On", "RewriteRule ^/old$ /index.html"];
  expect(causesOf([...lines, ...ofServer], "/x", { files: [...files, "/dev/null"] })).toEqual(found);
  expect(causesOf(lines, "/y", { files: [...files, "/dev/null"] })).toEqual([404]);
});

describe("MultiViews without the types file", () => {
  const files = ["/srv/www/x.html.de", "/srv/www/x.html.fr", "/srv/www/y.abc.de", "/srv/www/y.abc.fr"];
  const lines = ["TypesConfig /none", "AddLanguage de .de", "AddLanguage fr .fr", "Options MultiViews"];
  const ask = (path: string, headers: Record<string, string>) => answerFor(lines, path, { files, headers });

  test.each<[headers: Record<string, string>, status: number, file?: string]>([
    [{ "Accept-Language": "en" }, 406],
    [{ "Accept-Language": "fr" }, 200, "/srv/www/x.html.fr"],
    [{ "Accept-Language": "fr;q=0.1, de" }, 200, "/srv/www/x.html.de"],
  ])("chooses by the language alone if the client accepts all types: %j", (headers, status, file) => {
    const { cases, unknown } = ask("/x.html", headers);
    expect(unknown).toEqual([]);
    expect(cases.map((each) => [each.status, each.destination.file ?? ""])).toEqual([
      [status, file ?? expect.any(String)],
    ]);
  });

  test.each<[path: string, headers: Record<string, string>]>([
    ["/x.html", { "Accept-Language": "en", Accept: "text/html" }],
    ["/x.html", { "Accept-Language": "en", Negotiate: "trans" }],
    ["/y.abc", { "Accept-Language": "en" }],
  ])("twin: %s with %j depends on the types", (path, headers) => {
    expect(ask(path, headers).unknown).toEqual([expect.stringContaining("the types of TypesConfig")]);
  });
});

describe("MultiViews finds no language that the client accepts", () => {
  const variants = ["/srv/www/x.html.de", "/srv/www/x.html.fr"];
  const ask = (lines: readonly string[], headers: Record<string, string> = { "Accept-Language": "en" }) =>
    causesOf(
      [
        ...["TypesConfig /dev/null", "AddType text/html .html", "AddLanguage de .de", "AddLanguage fr .fr"],
        ...["<Directory /srv/www>", "Options +MultiViews", "</Directory>", ...lines],
      ],
      "/x.html",
      { files: [...variants, "/dev/null"], headers },
    );
  const cause = "the client accepts none of the languages of the files: `de` and `fr`";

  test("so that another setting chooses one", () => {
    const lines = ["LanguagePriority de fr", "ForceLanguagePriority Prefer"];
    expect(ask(lines)).toEqual([
      406,
      `${cause}; \`ForceLanguagePriority Prefer\` does not choose one`,
      "help: for `x.html.de` in this case, use `ForceLanguagePriority Prefer Fallback`",
    ]);
    expect(ask(["LanguagePriority de fr", "ForceLanguagePriority Prefer Fallback"])[0]).toBe(200);
    expect(ask(["LanguagePriority fr de"])).toEqual([
      406,
      `${cause}; by default, httpd does not choose one`,
      "help: for `x.html.fr` in this case, add `ForceLanguagePriority Prefer Fallback`",
    ]);
  });

  test("and no line gives their order", () => {
    expect(ask([])).toEqual([
      406,
      `${cause}; by default, httpd does not choose one`,
      "help: for `x.html.de` in this case, add `LanguagePriority de fr` and `ForceLanguagePriority Prefer Fallback`",
    ]);
    expect(ask(["LanguagePriority de fr", "ForceLanguagePriority Prefer Fallback"])[0]).toBe(200);
    expect(ask(["ForceLanguagePriority Prefer"])[2]).toBe(
      "help: for `x.html.de` in this case, add `LanguagePriority de fr` and use `ForceLanguagePriority Prefer Fallback`",
    );
  });

  test("but another reason is that of the type", () => {
    const found = ask(["LanguagePriority de fr"], { Accept: "text/plain" });
    expect(found[0]).toBe(406);
    expect(JSON.stringify(found)).not.toContain("languages");
    expect(ask(["LanguagePriority de fr"], { "Accept-Language": "fr" })[0]).toBe(200);
  });
});

describe("a condition is not written for one text", () => {
  const ask = (lines: readonly string[], path: string) => {
    const { causes, misses } = answerFor(["<Directory /srv/www>", "RewriteEngine On", ...lines, "</Directory>"], path);
    return JSON.stringify([
      causes.map(({ text, help }) => [text, help]),
      misses.filter(({ isClose }) => isClose).map(({ reason, help }) => [reason, help]),
    ]);
  };
  const slash = "RewriteRule (.*) %{REQUEST_URI}/ [R=301,L]";

  test.each([
    [["RewriteCond %{REQUEST_URI} !/$", slash], "/api/orders"],
    [["RewriteCond %{REQUEST_URI} !(.*)/$", slash], "/api/orders"],
    [["RewriteCond %{REQUEST_URI} !^/[a-z/]+/$", slash], "/api/orders"],
    [["RewriteCond %{HTTP_HOST} !^http://", "RewriteRule ^ http://b.test/ [R]"], "/x"],
    // One that does not match.
    [["RewriteCond %{REQUEST_URI} (.+)/$", "RewriteRule ^ %1 [R=301,L]"], "/api/orders"],
    [["RewriteCond %{REQUEST_URI} [A-Z]", "RewriteRule ^ /low [R=301,L]"], "/api/orders"],
  ])("%j", (lines, path) => {
    expect(ask(lines, path)).not.toMatch(/does not (?:exclude|match)/);
  });

  // Twins: for one path, a slash too many matters; with OR, another condition may hold.
  test("but a near miss is", () => {
    expect(ask(["RewriteCond %{REQUEST_URI} !^/api/$", slash], "/api")).toContain("!^/api/?$");
    expect(
      ask(["RewriteCond %{REQUEST_URI} !^/api/$ [OR]", "RewriteCond %{HTTP_HOST} a", slash], "/api"),
    ).not.toContain("does not exclude");
    expect(
      ask(["RewriteCond %{HTTP_HOST} b [OR]", "RewriteCond %{REQUEST_URI} !^/api/$", slash], "/api"),
    ).not.toContain("does not exclude");
  });
});

describe("a condition on the page that leads to a file", () => {
  const ask = (pattern: string, page: string) =>
    causesOf(
      [
        ...["<Directory /srv/www>", "RewriteEngine On", "RewriteCond %{HTTP_REFERER} !^$"],
        ...[`RewriteCond %{HTTP_REFERER} !${pattern} [NC]`, "RewriteRule html$ - [F]", "</Directory>"],
      ],
      "/index.html",
      { headers: { Referer: page } },
    ).slice(1);
  const used = (pattern: string) => `help: use \`RewriteCond %{HTTP_REFERER} !${pattern} [NC]\``;

  test.each([
    ["^http://a\\.test/", "https://a.test/x", "^https?://a\\.test/"],
    ["^https://a\\.test", "http://a.test/", "^https?://a\\.test"],
    ["^https://a\\.test/", "https://www.a.test/x", "^https://(?:www\\.)?a\\.test/"],
    ["^https?://www\\.a\\.test/", "http://a.test/", "^https?://(?:www\\.)?a\\.test/"],
    ["^http://www.a.test/", "https://a.test/", "^https?://(?:www.)?a.test/"],
  ])("%s excludes only the other form of %s", (pattern, page, corrected) => {
    const [text, help] = ask(pattern, page);
    expect([text, help]).toEqual([expect.stringContaining(`does not exclude \`${page}\`: `), used(corrected)]);
  });

  // Twins: another site, and a pattern for any site.
  test.each([
    ["^http://a\\.test/", "https://b.test/"],
    ["^http://a\\.test/", "http://b.test/a.test/"],
    ["^https://.+/list", "http://b.test/other"],
    ["^https://", "http://b.test/"],
  ])("%s and %s", (pattern, page) => {
    expect(ask(pattern, page)).toEqual([]);
  });
});

describe("a directory has the handler of programs", () => {
  const grants = ["<Directory /usr/lib/cgi-bin>", "Order allow,deny", "Allow from all", "Options +ExecCGI"];
  const alias = "ScriptAlias /cgi-bin/ /usr/lib/cgi-bin/";
  const files = ["/usr/lib/cgi-bin/index.html", "/usr/lib/cgi-bin/a.cgi"];
  const ask = (lines: readonly string[], release: "2.2" | "2.4" = "2.2") => {
    const { status, decidedBy, causes } = answerFor(lines, "/cgi-bin/", { release, files });
    return [status, decidedBy.map(({ name }) => name), causes.map(({ text }) => text)];
  };

  test("for which 2.2 looks for no index file", () => {
    const text = "httpd 2.2 looks for no index file in a directory that has a handler:";
    expect(ask([alias, ...grants, "</Directory>"])).toEqual([
      403,
      ["ScriptAlias"],
      [`${text} \`${alias}\` gives it \`cgi-script\``],
    ]);
    expect(ask(["Alias /cgi-bin/ /usr/lib/cgi-bin/", ...grants, "SetHandler cgi-script", "</Directory>"])).toEqual([
      403,
      ["SetHandler"],
      [`${text} \`SetHandler cgi-script\` sets \`cgi-script\``],
    ]);
    const check = [alias, ...grants, "</Directory>", "DirectoryCheckHandler On"];
    expect(ask(check, "2.4").slice(1)).toEqual([
      ["ScriptAlias"],
      [
        `with \`DirectoryCheckHandler On\`, httpd${text.slice("httpd 2.2".length)} \`${alias}\` gives it \`cgi-script\``,
      ],
    ]);
  });

  test("but access control, an option or another release decides first", () => {
    expect(ask([alias, ...grants, "Deny from all", "</Directory>"])).toEqual([403, ["deny"], []]);
    expect(ask([alias, ...grants, "</Directory>"], "2.4")[0]).toBe(200);
    // No help: with the option, the program would be a directory.
    const off = ["Alias /cgi-bin/ /usr/lib/cgi-bin/", ...grants, "SetHandler cgi-script", "Options -ExecCGI"];
    const { causes } = answerFor([...off, "</Directory>"], "/cgi-bin/", { release: "2.2", files });
    expect(causes.map(({ text, help }) => [text, help])).toEqual([
      ["`Options -ExecCGI` disables `ExecCGI`", undefined],
    ]);
  });
});

test("a directory without its slash is not listed instead of its index file", () => {
  const modules = ["authz_core", "authz_host", "dir", "autoindex"].map(
    (name) => `LoadModule ${name}_module modules/mod_${name}.so`,
  );
  const lines = [...modules, "<Directory /srv/www>", "DirectorySlash Off", "Options -Indexes", "</Directory>"];
  const files = ["/srv/www/docs/index.html"];
  expect(causesOf(lines, "/docs", { files })).toEqual([
    403,
    "`Options -Indexes` disables `Indexes`",
    "`DirectorySlash Off` disables the redirect to `/docs/`; without the slash, httpd searches no index file",
    "help: use `DirectorySlash On`",
  ]);
  const none = [...modules, "<Directory /srv/www>", "Options -Indexes", "</Directory>"];
  expect(causesOf(none, "/docs/", { files: ["/srv/www/docs/a.html"] })).toContain("help: use `Options +Indexes`");
});

describe("a variable is renamed by an internal redirect", () => {
  const set = 'SetEnvIf Request_URI "^/app/old" allow';
  const htaccess = "RewriteEngine On\nRewriteRule ^old /app/index.php [L]";
  // Without another section, access is not checked again.
  const other = ["<Files index.php>", "DirectoryIndex none", "</Files>"];
  const within = (...lines: readonly string[]) => ["<Directory /srv/www/app>", set, ...lines, "</Directory>", ...other];
  const text = `\`${set}\` sets \`allow\` for \`/app/old\`, and the internal redirect to \`/app/index.php\` renames it to \`REDIRECT_allow\``;

  test.each([
    [["Require env allow"], 403, "help: use `Require env allow REDIRECT_allow`"],
    [
      ["AuthType Basic", "AuthName a", "AuthUserFile /u", "Require env allow", "Require valid-user"],
      401,
      "help: use `Require env allow REDIRECT_allow`",
    ],
    [
      ["<RequireAll>", "Require env allow", "Require ip 192.0.2", "</RequireAll>"],
      403,
      "help: use `Require env allow REDIRECT_allow`",
    ],
    [
      ["Order deny,allow", "Deny from all", "Allow from env=allow"],
      403,
      "help: use `Allow from env=allow env=REDIRECT_allow`",
    ],
    [["Require expr \"reqenv('allow') == '1'\""], 403, "help: test `REDIRECT_allow` as well"],
  ])("%j", (lines, status, help) => {
    expect(causesOf(within(...lines), "/app/old", { htaccess }).slice(0, 3)).toEqual([status, text, help]);
    const written = /`(Require.*|Allow.*)`$/.exec(help)?.[1];
    const fixed = lines.map((line) => (written?.startsWith(line) ? written : line));
    if (written) expect(answerFor(within(...fixed), "/app/old", { htaccess }).status).toBe(200);
  });

  // Twins: no redirect, a variable that is set again, another variable, and a denial by it.
  test("but not otherwise", () => {
    const quiet = (lines: readonly string[], path: string, rules = htaccess) =>
      expect(JSON.stringify(causesOf(lines, path, { htaccess: rules }))).not.toContain("renames it");
    quiet(within("Require env allow"), "/app/x");
    quiet(within("Require env other"), "/app/old");
    quiet(['SetEnvIf Request_URI "^/app" allow', ...within("Require env allow", "Require ip 10")], "/app/old");
    quiet(within("<RequireAll>", "Require not env allow", "Require ip 10", "</RequireAll>"), "/app/old");
  });

  test("and another line of a RequireAll denies", () => {
    const lines = ["<RequireAll>", "Require ip 10", "Require env allow", "</RequireAll>"];
    expect(JSON.stringify(causesOf(within(...lines), "/app/old", { htaccess }))).not.toContain("use `Require env");
  });
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
    const other = ["RemoteIPHeader X-Real-IP", ...lines];
    expect(causesOf(other, "/index.html", sent)).toEqual([403]);
    expect(closeMissesOf(other, "/index.html", sent)).toEqual([
      "RemoteIPHeader X-Real-IP: the request has no `X-Real-IP`, and httpd ignores its `X-Forwarded-For`, so the client is 10.0.0.7",
      "help: use `RemoteIPHeader X-Forwarded-For`",
    ]);
    // Twins: the request has the header, or the proxy is not listed.
    const real = { ...sent, headers: { "X-Real-IP": "198.51.100.7" }, clientIp: "198.51.100.7" };
    expect(closeMissesOf(other, "/index.html", real)).toEqual([]);
    expect(closeMissesOf(["RemoteIPInternalProxy 10.0.1.0/24", ...other], "/index.html", sent)).toEqual([]);
  });

  test("is that of the last proxy that no line lists", () => {
    const lines = ["RemoteIPHeader X-Forwarded-For", "RemoteIPInternalProxy 10.0.0.0/24"];
    const ask = (...more: readonly string[]) =>
      closeMissesOf([...lines, ...more, "<Location />", "Require ip 198.51.100.7", "</Location>"], "/index.html", {
        ...{ peerIp: "10.0.0.7", clientIp: "192.168.1.10" },
        headers: { "X-Forwarded-For": "198.51.100.7, 192.168.1.10" },
      });
    expect(ask()).toEqual([
      "RemoteIPInternalProxy 10.0.0.0/24: no line includes 192.168.1.10, so httpd takes this address of `X-Forwarded-For` for the client, and ignores those before it",
      "help: if 192.168.1.10 is your proxy, use `RemoteIPInternalProxy 10.0.0.0/24 192.168.1.10`",
    ]);
    expect(ask("RemoteIPInternalProxy 192.168.1.10")).toEqual([]);
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

describe("a line that a reader wrote for the request does not apply", () => {
  const none: Asked = { files: ["/srv/www/Docs/x.html", "/srv/www/index.html"] };

  test.each([
    [
      'RedirectMatch 302 "^/docs/(.*)$" https://b.test/$1',
      "its pattern `^/docs/(.*)$` does not match `/Docs/a.html`: letters differ in case",
      'help: use `RedirectMatch 302 "(?i)^/docs/(.*)$" https://b.test/$1`',
    ],
    [
      "Redirect 302 /docs https://b.test/d",
      "its path `/docs` does not match `/Docs/a.html`: letters differ in case",
      "help: use `Redirect 302 /Docs https://b.test/d`",
    ],
  ])("because of the case of letters: %s", (line, reason, help) => {
    const within = (each: string) => ["<Directory /srv/www>", each, "</Directory>"];
    expect(closeMissesOf(within(line), "/Docs/a.html", none)).toEqual([`${line}: ${reason}`, help]);
    const written = /use `(.*)`$/.exec(help)?.[1] ?? "";
    expect(answerFor(within(written), "/Docs/a.html", none).status).toBe(302);
    // The twins: another path, and a line that applies.
    expect(closeMissesOf(within(line), "/index.html", none)).toEqual([]);
    expect(closeMissesOf(within(line), "/docs/a.html", none)).toEqual([]);
  });

  const deny = "Require all denied";
  test.each([
    ['<Location "^/docs/.*">', "/docs/a.html", '<LocationMatch "^/docs/.*">'],
    ['<Files "\\.(html|txt)$">', "/docs/a.html", '<FilesMatch "\\.(html|txt)$">'],
    ['<Directory "^/srv/.*/docs/">', "/docs/a.html", '<DirectoryMatch "^/srv/.*/docs/">'],
  ])("because it has a pattern for a path: %s", (section, path, written) => {
    const name = /^<(\w+)/.exec(section)?.[1] ?? "";
    const lines = [section, deny, `</${name}>`];
    expect(answerFor(lines, path).status).toBe(200);
    expect(closeMissesOf(lines, path).at(-1)).toBe(`help: use \`${written}\` and \`</${name}Match>\``);
    expect(answerFor([written, deny, `</${name}Match>`], path).status).toBe(403);
    expect(closeMissesOf(lines, "/index.php")).toEqual([]);
  });

  test("because it has a wildcard, not a pattern", () => {
    expect(closeMissesOf(['<Location "/doc*">', deny, "</Location>"], "/docs/a.html")).toEqual([]);
    expect(closeMissesOf(['<Location "/x.y">', deny, "</Location>"], "/xzy")).toEqual([]);
  });

  test("because a header is not for redirects", () => {
    const header = 'Header set Strict-Transport-Security "max-age=9"';
    const redirect = "Redirect 301 /old /new";
    const https = { scheme: "https" } as const;
    expect(closeMissesOf([header, redirect], "/old", https)).toEqual([
      `${header}: this response lacks the header: without \`always\`, the line is not for a redirect of httpd itself`,
      'help: use `Header always set Strict-Transport-Security "max-age=9"`',
    ]);
    for (const [line, path] of [
      ['Header always set Strict-Transport-Security "max-age=9"', "/old"],
      ["Header set X-A b", "/old"],
      [header, "/index.html"],
      [header, "/none"],
    ] as const)
      expect(closeMissesOf([line, redirect], path, https).filter((each) => each.includes("Header"))).toEqual([]);
    // Browsers ignore it over plain HTTP.
    expect(closeMissesOf([header, redirect], "/old")).toEqual([]);
    const origin = { headers: { Origin: "https://b.test" } };
    const allowed = 'Header set Access-Control-Allow-Origin "*"';
    expect(closeMissesOf([allowed], "/none", origin)).toHaveLength(2);
    expect(closeMissesOf([allowed], "/none", origin)[0]).toContain("the line is not for an error of httpd itself");
    expect(closeMissesOf([allowed, "Header always set access-control-allow-origin b"], "/none", origin)).toEqual([]);
    expect(closeMissesOf([allowed], "/none")).toEqual([]);
  });

  const cookie = "Header add Set-Cookie a=b";
  test.each([
    ["another line sets it", [cookie, "Header always set Set-Cookie a=c"], 0],
    ["another line may set it", [cookie, 'Header always set Set-Cookie a=c "expr=%{REQUEST_STATUS} == 301"'], 0],
    [
      "another line deletes what it sets",
      [cookie, "Header always set Set-Cookie a=c", "Header always unset Set-Cookie"],
      1,
    ],
    ["another line sets another one", [cookie, "Header always set X-A b"], 1],
    ["a later line deletes it", [cookie, "Header unset Set-Cookie"], 0],
    ["an earlier line deletes it", ["Header unset Set-Cookie", cookie], 1],
    ["a later line replaces it", [cookie, "Header set Set-Cookie a=c"], 1],
    ["a later line adds one", [cookie, "Header add Set-Cookie c=d"], 2],
    ["its variable is not set", [`${cookie} env=none`], 0],
    ["its condition is false", [`${cookie} "expr=%{REQUEST_URI} == '/x'"`], 0],
    ["its condition is true", [`${cookie} "expr=%{REQUEST_URI} == '/none/old'"`], 1],
    ["its condition is unknown", [`${cookie} "expr=%{REQUEST_STATUS} == 301"`], 0],
  ])("because a header is not for redirects: %s", (_, lines, count) => {
    const rule = ["<Directory /srv/www>", "RewriteEngine On", "RewriteRule old$ /new [R=301,L]", "</Directory>"];
    const found = closeMissesOf([...lines, ...rule], "/none/old").filter((each) => each.includes("lacks the header"));
    expect(found).toHaveLength(count);
  });
});

test("2.2 takes a Require line of 2.4 for a requirement of a login", () => {
  const ask = (line: string, release: "2.2" | "2.4" = "2.2") =>
    causesOf(["<Directory /srv/www>", line, "</Directory>"], "/index.html", { release });
  expect(ask("Require all granted")).toEqual([
    500,
    "2.2 takes `Require all granted` for a requirement of a login: `Require all` is new in 2.4",
    "help: replace it with `Order allow,deny` and `Allow from all`",
  ]);
  expect(ask("Require ip 10.0.0.0/8").at(-1)).toBe(
    "help: replace it with `Order deny,allow` and `Deny from all` and `Allow from 10.0.0.0/8`".replace(
      " and `Deny",
      ", `Deny",
    ),
  );
  expect(ask("Require ip 10.0.0.0/8\nRequire host .a.test").at(-1)).toBe(
    "help: replace `Require ip 10.0.0.0/8` and `Require host .a.test` with `Order deny,allow`, `Deny from all`, `Allow from 10.0.0.0/8` and `Allow from .a.test`",
  );
  expect(ask("Require ip 10.0.0.0/8\nRequire all granted").at(-1)).toContain(
    "with `Order allow,deny` and `Allow from all`",
  );
  expect(ask("Require ip 10.0.0.0/8\nRequire valid-user").at(-1)).toBe(
    "help: replace it with `Order deny,allow`, `Deny from all`, `Allow from 10.0.0.0/8` and `Satisfy any`",
  );
  expect(ask("Require ip 10.0.0.0/8\nRequire local")).toHaveLength(2);
  expect(ask("Require local")).toHaveLength(2);
  expect(JSON.stringify(ask("Require valid-user"))).not.toContain("new in 2.4");
  expect(ask("Require all granted", "2.4")).toEqual([200]);
});

test("FallbackResource leaves a missing file with a handler alone", () => {
  const handled = (...lines: readonly string[]) => [
    ...["<Directory /srv/www>", "FallbackResource /index.html", "</Directory>"],
    ...['<FilesMatch "\\.php$">', ...lines, "</FilesMatch>"],
  ];
  const set = 'SetHandler "proxy:fcgi://127.0.0.1:9000"';
  expect(causesOf(handled(set), "/none.php")).toEqual([
    200,
    `\`/srv/www/none.php\` does not exist, but \`${set}\` sets a handler for it as well, and \`FallbackResource /index.html\` is only for requests without one`,
    `help: use \`<If "-f %{REQUEST_FILENAME}">\`, \`${set}\` and \`</If>\``,
  ]);
  const fixed = answerFor(handled('<If "-f %{REQUEST_FILENAME}">', set, "</If>"), "/none.php");
  expect(fixed.cases[0]?.destination.file).toBe("/srv/www/index.html");
  expect(causesOf(handled(set), "/app/index.php")).toEqual([200]);
  expect(causesOf(handled("SetHandler none"), "/none.php")).toEqual([200]);
});

test("LimitExcept denies a method that it does not name", () => {
  const lines = (methods: string) => [
    ...["<Directory /srv/www>", `<LimitExcept ${methods}>`, "Require all denied", "</LimitExcept>", "</Directory>"],
  ];
  const ask = (methods: string, method: string) => causesOf(lines(methods), "/index.html", { method });
  expect(ask("GET POST", "PUT")).toEqual([
    403,
    "`<LimitExcept GET POST>` applies to `PUT`, which it does not name",
    "help: to allow it, use `<LimitExcept GET POST PUT>`",
  ]);
  expect(ask("GET POST PUT", "PUT")).toEqual([405]);
  expect(ask("GET POST", "GET")).toEqual([200]);
  const limit = ["<Directory /srv/www>", "<Limit PUT>", "Require all denied", "</Limit>", "</Directory>"];
  expect(causesOf(limit, "/index.html", { method: "PUT" })).toEqual([403]);
});

test("a pattern of SetEnvIf matches a part of a value", () => {
  const set = 'SetEnvIf X-A "10.1.1.1" bad';
  const lines = ["<Location />", "<RequireAll>", "Require all granted", "Require not env bad", "</RequireAll>"];
  const ask = (value: string) => causesOf([set, ...lines, "</Location>"], "/index.html", { headers: { "X-A": value } });
  expect(ask("10.1.1.15")[1]).toBe(`\`${set}\` applies: \`10.1.1.1\` matches \`10.1.1.1\` in \`10.1.1.15\``);
  expect(ask("10.1.1.1")[1]).toBe(`\`${set}\` applies: \`10.1.1.1\` matches \`10.1.1.1\``);
  expect(ask("10.2.1.1")).toEqual([200]);
});

describe("the first virtual host, if none has the name of the request", () => {
  const host = (name: string) => [
    "<VirtualHost *:80>",
    `ServerName ${name}`,
    "DocumentRoot /srv/www",
    "</VirtualHost>",
  ];
  const text = "no virtual host has the name `oak.test`, so the first one at this address answers";

  test.each([
    ["one virtual host", host("elm.test"), { host: "oak.test" }],
    ["several", [...host("elm.test"), ...host("ash.test")], { host: "oak.test:80" }],
  ])("is named: %s", (_, lines, sent) => {
    expect(causesOf(lines, "/index.html", sent)).toEqual([200, text]);
  });

  test.each([
    ["a virtual host with the name", host("oak.test"), { host: "oak.test" }],
    ["no virtual host", [], { host: "oak.test" }],
    ["an address in place of a name", host("elm.test"), { host: "192.0.2.9" }],
    ["a virtual host with the name at another port", [...host("elm.test"), ...host("oak.test").map(atPort)], {}],
  ])("is not named: %s", (_, lines, sent) => {
    expect(causesOf(lines, "/index.html", { host: "oak.test", ...sent })).toEqual([200]);
  });
});

test("the main server does not answer for a name that no virtual host has", () => {
  const host = (root: string) => [
    "<VirtualHost *:80>",
    "ServerName elm.test",
    `DocumentRoot ${root}`,
    "</VirtualHost>",
  ];
  const asked = { host: "localhost" };
  const text = "no virtual host has the name `localhost`, so the first one at this address answers";
  const lines = host("/srv/www/app");
  const found = [
    `${text}, and not the main server, which has the path in its document root`,
    'help: add `<VirtualHost *:80>` with `ServerName localhost` and `DocumentRoot "/srv/www"`',
  ];
  expect(causesOf(lines, "/docs/a.html", asked)).toEqual([404, ...found]);
  const added = ["<VirtualHost *:80>", "ServerName localhost", 'DocumentRoot "/srv/www"', "</VirtualHost>"];
  expect(causesOf([...lines, ...added], "/docs/a.html", asked)).toEqual([200]);
  // Twins: the main server does not have the path either; the virtual host has it; both have the same document root.
  expect(causesOf(lines, "/docs/other.html", asked)).toEqual([404, text]);
  expect(causesOf(host("/srv/www/docs"), "/a.html", asked)).toEqual([200, text]);
  expect(causesOf(host("/srv/www"), "/docs/other.html", asked)).toEqual([404, text]);
});

describe("a virtual host whose address is a name", () => {
  const lines = [
    ...["<VirtualHost *:80>", "ServerName b.test", "DocumentRoot /srv/www/docs", "</VirtualHost>"],
    ...["<VirtualHost web.test:80>", "ServerName a.test", "DocumentRoot /srv/www/app", "</VirtualHost>"],
  ];
  const fileFor = (hosts: string, sent: Partial<Asked> = {}) =>
    answerFor(lines, "/a.html", { files: ["/srv/www/docs/a.html", "/srv/www/app/a.html"], hosts, ...sent }).cases.map(
      ({ destination }) => destination.file,
    );

  test.each([
    ["10.0.0.5 web web.test", "10.0.0.5", "/srv/www/app/a.html"],
    ["127.0.1.1 web.test\n10.0.0.5 WEB.test", "10.0.0.5", "/srv/www/app/a.html"],
    ["127.0.1.1 web.test", "10.0.0.5", "/srv/www/docs/a.html"],
  ])("has the addresses of the hosts file: %j", (hosts, serverIp, file) => {
    expect(fileFor(hosts, { serverIp })).toEqual([file]);
  });

  test("may answer if the hosts file does not have the name, or nobody asks about an address", () => {
    const both = ["/srv/www/app/a.html", "/srv/www/docs/a.html"];
    expect(fileFor("127.0.1.1 other.test", { serverIp: "10.0.0.5" }).toSorted()).toEqual(both);
    expect(fileFor("127.0.1.1 web.test").toSorted()).toEqual(both);
    const found = answerFor(lines, "/a.html", { files: both });
    expect(shownCaseOf(found)).toBeUndefined();
  });
});

describe("a listing", () => {
  const files = ["/srv/www/f/a.pdf", "/srv/www/f/b.pdf", "/srv/www/f/.x"];
  const listed = ["LoadModule autoindex_module x", "<Directory /srv/www>", "Options Indexes", "</Directory>"];
  const found = (...lines: readonly string[]) =>
    causesOf([...listed.slice(0, -1), ...lines, "</Directory>"], "/f/", { files });

  test.each([
    ["IndexIgnore *", "to show them, delete this line"],
    ["IndexIgnore * *.bak", "to show them, use `IndexIgnore *.bak`"],
    ["IndexIgnore *.pdf", "to show them, delete this line"],
    ["IndexIgnore a.??? b*", "to show them, delete this line"],
  ])("has no names with `%s`", (line, help) => {
    expect(found(line)).toEqual([200, `\`${line}\` leaves all names out of the listing`, `help: ${help}`]);
    const without = help.includes("use") ? ["IndexIgnore *.bak"] : [];
    expect(found(...without)).toEqual([200]);
  });

  test.each([
    "IndexIgnore a.pdf *.PDF",
    "IndexIgnore .??* *~ HEADER*",
    "IndexIgnore *\n</Directory>\n<Directory /srv/www/f>\nIndexIgnoreReset On",
  ])("has names with: %s", (lines) => {
    expect(found(...lines.split("\n"))).toEqual([200]);
  });

  test("is the headline", () => {
    expect(headlineOf(answerFor(listed, "/f/", { files })).title).toBe("200, a listing of /srv/www/f/");
    expect(headlineOf(answerFor(listed, "/f/a.pdf", { files })).title).toBe("200 from /srv/www/f/a.pdf");
  });
});

function atPort(line: string): string {
  return line.replace("*:80", "*:8080");
}

describe("a rule without conditions, after one with a condition on the host", () => {
  const condition = "RewriteCond %{HTTP_HOST} ^def\\.a\\.test$";
  const other = "RewriteRule ^energy$ https://b.test/energy [R=302,L]";
  const rule = "RewriteRule ^water$ https://b.test/water [R=302,L]";
  const textFor = (...lines: readonly string[]) =>
    causesOf([], "/app/water", { htaccess: ["RewriteEngine On", ...lines].join("\n") });

  test("is said to have none, if the condition excludes the request", () => {
    const text = `\`${rule}\` has no condition: \`${condition}\` applies only to the rule right after it`;
    expect(textFor(condition, other, rule)).toEqual([302, text]);
    expect(textFor("RewriteCond %{REQUEST_METHOD} GET", condition, other, rule)).toEqual([302, text]);
  });

  test.each([
    ["a condition that allows the request", [condition.replace("def\\.", ""), other, rule]],
    ["a condition on something else", ["RewriteCond %{HTTPS} on", other, rule]],
    ["an exclusion", [condition.replace(" ^", " !^"), other, rule]],
    ["a rule for all paths, with a purpose of its own", [condition, "RewriteRule ^(.*)$ https://c.test/$1", rule]],
    ["a rule that leads elsewhere", [condition, other.replace("b.test", "c.test"), rule]],
    ["a rule for a path of the server", [condition, other, "RewriteRule ^water$ /index.html [R=302,L]"]],
    ["a condition of its own", [condition, other, "RewriteCond %{HTTP_HOST} ^a\\.test$", rule]],
    ["alternatives", [`${condition} [OR]`, "RewriteCond %{HTTP_HOST} ^a\\.test$", other, rule]],
  ])("is not said of %s", (_, lines) => {
    expect(textFor(...lines)).toEqual([302]);
  });
});

describe("a condition on a header with several values", () => {
  const rule = "RewriteRule ^ws$ https://b.test/ws [R=302,L]";
  const missesFor = (condition: string, value: string) =>
    closeMissesOf([], "/app/ws", {
      htaccess: ["RewriteEngine On", `RewriteCond ${condition}`, rule].join("\n"),
      headers: { Connection: value },
    });

  test("that allows only one of them", () => {
    expect(missesFor("%{HTTP:Connection} ^Upgrade$ [NC]", "keep-alive, Upgrade")).toEqual([
      "RewriteCond %{HTTP:Connection} ^Upgrade$ [NC]: it does not match `keep-alive, Upgrade`: the header has several values, and the pattern allows only one",
      "help: use `RewriteCond %{HTTP:Connection} \\bUpgrade\\b [NC]`",
    ]);
  });

  test.each([
    ["one value", "%{HTTP:Connection} ^Upgrade$ [NC]", "keep-alive"],
    ["other values", "%{HTTP:Connection} ^Upgrade$ [NC]", "keep-alive, TE"],
    ["a pattern that matches", "%{HTTP:Connection} Upgrade [NC]", "keep-alive, Upgrade"],
  ])("is not reported with %s", (_, condition, value) => {
    expect(missesFor(condition, value).filter((each) => each.includes("several values"))).toEqual([]);
  });
});

describe("TLS for several ports of a virtual host", () => {
  const host = (addresses: string) => [
    "LoadModule ssl_module modules/mod_ssl.so",
    `<VirtualHost ${addresses}>`,
    "ServerName a.test",
    "SSLEngine on",
    "</VirtualHost>",
  ];

  test("is said of a request without TLS, with the virtual hosts to write", () => {
    expect(causesOf(host("*:80 *:443"), "/", { scheme: "http" })).toEqual([
      400,
      "`SSLEngine on` applies to all addresses of `<VirtualHost *:80 *:443>`, also to port 80",
      "help: use `<VirtualHost *:443>` here, and add `<VirtualHost *:80>`, `ServerName a.test`, `Redirect permanent / https://a.test/` and `</VirtualHost>`",
    ]);
    // The names of the virtual host stay.
    const withAlias = host("*:80 *:443").flatMap((line) =>
      line.startsWith("ServerName") ? [line, "ServerAlias www.a.test"] : line,
    );
    expect(causesOf(withAlias, "/", { scheme: "http", host: "www.a.test" }).at(-1)).toContain(
      "`ServerName a.test`, `ServerAlias www.a.test`, `Redirect permanent / https://a.test/`",
    );
  });

  test.each([["*:443"], ["*"]])("is not said of %s", (addresses) => {
    expect(causesOf(host(addresses), "/", { scheme: "http", port: 443 })).toEqual([400]);
  });
});

describe("an inherited `Satisfy Any` of 2.2", () => {
  const login = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];
  const outer = ["<Directory /srv/www>", ...login, "Satisfy any", "</Directory>"];
  const withUsers = { files: [...usual, "/etc/users"] };
  const asked = { ...withUsers, release: "2.2", user: "alice" } as const;

  // 2.2.34 allows alice, and asks other clients for a login.
  test("bypasses the denial of an inner section", () => {
    expect(causesOf(outer, "/app/index.php", { ...asked, htaccess: "deny from all" }).slice(1)).toEqual([
      "the outer `Satisfy any` applies to `deny from all`, too: a login is enough",
      "help: to deny every client, add `Satisfy All` to its `.htaccess` file",
    ]);
  });

  test.each([
    ["Order deny,allow\nDeny from all\nAllow from 192.0.2.0/24"],
    ["Order allow,deny\nAllow from all\nDeny from 192.0.2.99"],
    ["<Limit POST>\nDeny from all\n</Limit>"],
  ])("is not named if the inner section allows clients: %j", (htaccess) => {
    const { user, ...anonymous } = asked;
    for (const each of [anonymous, { ...anonymous, user }])
      expect(causesOf(outer, "/app/index.php", { ...each, htaccess }).join()).not.toContain("the outer");
    expect(causesOf(outer, "/app/index.php", { ...asked, htaccess: "Order deny,allow\nDeny from all" })[1]).toContain(
      "the outer",
    );
  });

  test("is not named if the inner section has its own, or if it denies the client", () => {
    expect(causesOf(outer, "/app/index.php", { ...asked, htaccess: "Satisfy All\ndeny from all" })[0]).toBe(403);
    expect(causesOf(outer, "/app/index.php", { ...asked, htaccess: "Options None" })).not.toContainEqual(
      expect.stringContaining("outer"),
    );
    const denied = { ...withUsers, release: "2.2", htaccess: "deny from all" } as const;
    expect(causesOf(outer, "/app/index.php", denied)).toEqual([401]);
    // In 2.4, the denial replaces it.
    expect(causesOf(outer, "/app/index.php", { ...withUsers, user: "alice", htaccess: "deny from all" })[0]).toBe(403);
  });
});

describe("the file name that a FastCGI server of the same machine gets", () => {
  const pass = (url: string) => `ProxyPassMatch ^/(.*\\.php)$ ${url}`;

  test.each([
    ["fcgi://127.0.0.1:9000/var/www/html/$1", "`fcgi://127.0.0.1:9000/srv/www/$1`"],
    ["unix:/run/php.sock|fcgi://localhost/var/www/html/$1", "`unix:/run/php.sock|fcgi://localhost/srv/www/$1`"],
  ])("is not below DocumentRoot: %s", (url, written) => {
    expect(causesOf([pass(url)], "/info.php")).toEqual([
      200,
      "the FastCGI server gets the file name `/var/www/html/info.php`, which is not below the `DocumentRoot` `/srv/www`",
      `help: use ${written}`,
    ]);
  });

  test.each([
    "fcgi://127.0.0.1:9000/srv/www/$1",
    "unix:/run/php.sock|fcgi://localhost/srv/www/$1",
    // Another machine may have the files elsewhere.
    "fcgi://php:9000/var/www/html/$1",
    "http://127.0.0.1:9000/var/www/html/$1",
  ])("has no such note: %s", (url) => {
    expect(causesOf([pass(url)], "/info.php")).toEqual([200]);
  });
});

describe("a directory without its slash", () => {
  const rule = "RewriteRule ^(about|docs)$ index.php?page=$1 [L]";
  const files = [...usual, "/srv/www/app/docs/a.png"];
  const ask = (path: string, ...more: readonly string[]) =>
    causesOf([], path, { htaccess: ["RewriteEngine on", rule, ...more].join("\n"), files });

  test("is redirected before the target of a rule is used", () => {
    expect(ask("/app/docs")).toEqual([
      301,
      `\`docs\` is a directory: httpd redirects to its path with a slash before it uses the target of \`${rule}\``,
      "help: next to this rule, add `DirectorySlash Off`, or rename the directory",
    ]);
    const { trace } = answerFor([], "/app/docs", { htaccess: `RewriteEngine on\n${rule}`, files });
    expect(trace.map(({ effect }) => effect)).toContain("sets the target `/app/index.php?page=docs`");
  });

  test("is not, for other paths and without that redirect", () => {
    expect(ask("/app/about")).toEqual([200]);
    expect(ask("/app/docs", "DirectorySlash Off")).toEqual([200]);
    expect(causesOf([], "/app/docs", { files })).toEqual([301]);
    expect(causesOf([], "/app/docs", { htaccess: "RewriteEngine on\nRewriteRule ^about$ index.php", files })).toEqual([
      301,
    ]);
  });
});

describe("a redirect with a part of the request line", () => {
  const ask = (condition: string, rule: string, path = "/find/new york") =>
    causesOf(["RewriteEngine on", `RewriteCond ${condition}`, `RewriteRule ${rule}`], path, {
      sent: { method: "GET", path: path.replaceAll(" ", "%20"), clientIp: "192.0.2.7" },
    });
  const condition = '%{THE_REQUEST} "^[A-Z]+ /find/([^ ?]+)"';

  test("escapes it again without the flag NE", () => {
    expect(ask(condition, "^/find/ http://b.test/all/%1 [R=301,L]")).toEqual([
      301,
      "`%{THE_REQUEST}` has the URL as the client sent it, and the redirect escapes its `%20` again, to `%2520`; the flag `NE` prevents that",
      "help: use `RewriteRule ^/find/ http://b.test/all/%1 [R=301,L,NE]`",
    ]);
  });

  test.each([
    [condition, "^/find/ http://b.test/all/%1 [R=301,L,NE]", "/find/new york"],
    [condition, "^/find/ http://b.test/all/%1 [R=301,L]", "/find/york"],
    [condition, "^/find/(.*) http://b.test/all/$1 [R=301,L]", "/find/new york"],
    ['%{REQUEST_URI} "^/find/(.+)"', "^/find/ http://b.test/all/%1 [R=301,L]", "/find/new york"],
  ])("has no such note: %s, %s, %s", (line, rule, path) => {
    expect(ask(line, rule, path)).toEqual([301]);
  });
});

describe("a rule for all missing files", () => {
  const lines = (condition = "%{REQUEST_FILENAME} !-f", target = "index.html", pattern = ".") =>
    `RewriteEngine on\nRewriteCond ${condition}\nRewriteRule ${pattern} ${target} [L]`;
  const files = [...usual, "/srv/www/app/index.html", "/srv/www/app/a.js"];
  const ask = (path: string, htaccess: string) => causesOf([], path, { htaccess, files });
  const exclusion = "RewriteCond %{REQUEST_URI} !\\.(?:css|gif|ico|jpe?g|m?js|png|svg|webp|woff2?)$";

  test.each([["/app/assets/old.js"], ["/app/old.PNG"], ["/app/a/b.woff2"]])("returns a page in place of %s", (path) => {
    expect(ask(path, lines())).toEqual([
      200,
      `\`${path}\` does not exist, and this rule returns the page \`/app/index.html\` in its place`,
      `help: to return 404 for missing files that pages load, add \`${exclusion}\` right before the rule`,
    ]);
    const fixed = lines().replace("\nRewriteRule", `\n${exclusion}\nRewriteRule`);
    if (!path.endsWith("PNG")) expect(ask(path, fixed)[0]).toBe(404);
  });

  test.each([
    ["/app/user/7", lines()],
    ["/app/a.js", lines()],
    ["/app/old.js", lines("%{REQUEST_FILENAME} !-f", "index.php")],
    ["/app/old.js", lines("%{REQUEST_FILENAME} !-f", "index.html", "^old\\.js$")],
    ["/app/old.js", lines("%{REQUEST_URI} !=/app/index.html")],
  ])("has no such note: %s", (path, htaccess) => {
    expect(ask(path, htaccess)).toEqual([200]);
  });
});

describe("a file whose type the lines for compression do not have", () => {
  const gzip = {
    headers: { "Accept-Encoding": "gzip, deflate, br" },
    files: ["/srv/www/a.css", "/srv/www/a.js", "/srv/www/a.png"],
  };
  const add = (...words: readonly string[]) => `AddOutputFilterByType ${words.join(" ")}`;

  test.each<[path: string, lines: readonly string[], expected: readonly string[]]>([
    [
      "/a.css",
      [add("DEFLATE", "text/html", "text/plain")],
      [
        "httpd does not compress `a.css`: `AddOutputFilterByType DEFLATE text/html text/plain` does not have its type `text/css`",
        "help: use `AddOutputFilterByType DEFLATE text/html text/plain text/css`",
      ],
    ],
    [
      "/a.js",
      ["AddType text/javascript .js", add("DEFLATE", "application/x-javascript"), add("DEFLATE", "text/html")],
      [
        "httpd does not compress `a.js`: the `AddOutputFilterByType` lines do not have its type `text/javascript`",
        "help: use `AddOutputFilterByType DEFLATE application/x-javascript text/javascript`",
      ],
    ],
    [
      "/a.css",
      ["LoadModule brotli_module m.so", add("BROTLI_COMPRESS;DEFLATE", "text/html")],
      [
        "httpd does not compress `a.css`: `AddOutputFilterByType BROTLI_COMPRESS;DEFLATE text/html` does not have its type `text/css`",
        "help: use `AddOutputFilterByType BROTLI_COMPRESS;DEFLATE text/html text/css`",
      ],
    ],
  ])("is not compressed: %s with %j", (path, lines, expected) => {
    expect(causesOf(lines, path, gzip)).toEqual([200, ...expected]);
  });

  test.each<[why: string, path: string, lines: readonly string[], more?: object]>([
    ["its type is in the list", "/a.css", [add("DEFLATE", "text/html", "text/css")]],
    ["its type is in another line", "/a.css", [add("DEFLATE", "text/css"), add("DEFLATE", "text/html")]],
    [
      "its type is in the list of another section",
      "/a.css",
      [add("DEFLATE", "text/css"), `<Location />\n${add("DEFLATE", "text/html")}\n</Location>`],
    ],
    [
      "another line sets the filter",
      "/a.css",
      [add("DEFLATE", "text/html"), "<Location />\nSetOutputFilter DEFLATE\n</Location>"],
    ],
    ["the filter is another one", "/a.css", [add("INCLUDES", "text/html")]],
    ["no line compresses", "/a.css", []],
    ["its type may be one of several", "/a.js", [add("DEFLATE", "text/javascript")]],
    ["an image is compressed already", "/a.png", [add("DEFLATE", "text/html")]],
    [
      "the client does not accept it",
      "/a.css",
      [add("DEFLATE", "text/html")],
      { headers: { "Accept-Encoding": "br, gzip;q=0" } },
    ],
    ["the request has no such header", "/a.css", [add("DEFLATE", "text/html")], { headers: {} }],
    [
      "the name has an encoding",
      "/a.css.gz",
      ["AddEncoding x-gzip .gz", add("DEFLATE", "text/html")],
      { files: ["/srv/www/a.css.gz"] },
    ],
    ["it does not exist", "/b.css", [add("DEFLATE", "text/html")]],
    ["a backend answers", "/p/a.css", ["ProxyPass /p/ http://127.0.0.1:3000/", add("DEFLATE", "text/html")]],
  ])("twin: %s", (_, path, lines, more = {}) => {
    expect(JSON.stringify(causesOf(lines, path, { ...gzip, ...more }))).not.toContain("compress");
  });
});

describe("the usual case of a virtual host whose rule tests `%{REQUEST_FILENAME}`", () => {
  const host = (condition: string) => [
    ...["<VirtualHost *>", "ServerName b.test", "DocumentRoot /srv/www", "RewriteEngine On"],
    ...[`RewriteCond ${condition} !-f`, "RewriteRule ^ /app/index.php [L]", "</VirtualHost>"],
  ];
  const fileOf = (condition: string, path: string) => {
    const asked = answerFor(host(condition), path, { isPart: true, host: "b.test" });
    return asked.cases[0]?.destination.file;
  };

  test.each<[condition: string, path: string, file: string]>([
    ["%{REQUEST_FILENAME}", "/docs/a.html", "/srv/www/app/index.php"],
    ["%{REQUEST_FILENAME}", "/none/a.html", "/srv/www/app/index.php"],
    ["%{DOCUMENT_ROOT}%{REQUEST_URI}", "/docs/a.html", "/srv/www/docs/a.html"],
    ["%{DOCUMENT_ROOT}%{REQUEST_URI}", "/none/a.html", "/srv/www/app/index.php"],
  ])("%s for %s leads to %s", (condition, path, file) => {
    expect(fileOf(condition, path)).toBe(file);
  });
});
