import type { Request } from "../../../src/server/model/request.js";

/** A server with its `.htaccess` files by directory. */
export interface Config {
  readonly main: readonly string[];
  readonly htaccess?: Readonly<Record<string, string>>;
}

export interface Asked extends Partial<Request> {
  readonly files?: readonly string[];
  readonly release?: "2.2" | "2.4";
}

/** The files of a server by default. */
export const usual = ["/srv/www/index.html", "/srv/www/a.html", "/srv/www/docs/index.html", "/srv/www/docs/a.html"];
/** Returns the lines that a remedy contains, without the quotes of configuration that it names after these words. */
function writtenIn(help: string | undefined, after = ""): readonly string[] {
  const text = help?.slice(help.indexOf(after) + after.length) ?? "";
  return [...text.matchAll(/`([^`]+)`/g)].map(([, line = ""]) => line);
}

/** Returns a configuration with a text replaced, which must be in it. */
function replaced(config: Config, before: string, after: string, everywhere = false): Config {
  const all = JSON.stringify(config);
  const [from, to] = [before, after].map((text) => JSON.stringify(text).slice(1, -1));
  if (from === undefined || to === undefined || !all.includes(from))
    throw new Error(`not in the configuration: ${before}`);
  const changed: Config = JSON.parse(everywhere ? all.replaceAll(from, () => to) : all.replace(from, () => to));
  return changed;
}

/** A question: the line in question, and what the remedy makes of the answer. */
export interface Question {
  readonly config: Config;
  readonly path: string;
  readonly asked?: Asked;
  readonly before: string;
  readonly told: readonly string[];
  /** The line that the remedy replaces, or that it adds lines before, and the number of the remedy. */
  readonly line: string;
  readonly remedy?: number;
  readonly adds?: "before" | "after" | "instead" | "everywhere";
  readonly after: string;
  /** Whether the line still does not apply, since another one now does what it was for. */
  readonly stays?: true;
}

export const rules = (...lines: readonly string[]): Config => ({
  main: [],
  htaccess: { "/srv/www": ["RewriteEngine On", ...lines].join("\n") },
});

export const login = (...lines: readonly string[]): Config => ({
  main: ["<Location />", "AuthType Basic", "AuthName a", "AuthUserFile /etc/users", ...lines, "</Location>"],
});

export const hosts = (...names: readonly string[]): Config => ({
  main: names.flatMap((name, index) => [
    "<VirtualHost *:80>",
    `ServerName ${name}`,
    `DocumentRoot /srv/www/${index}`,
    "</VirtualHost>",
  ]),
});

/** Questions of readers, by what is wrong, with the result before and after the remedy. */
export const questions: Readonly<Record<string, Question>> = {
  "a pattern matches a part of a word": {
    config: rules("RewriteRule (cli|tests|db) - [R=404,L]"),
    path: "/api/client/list.html",
    asked: { files: ["/srv/www/api/client/list.html"] },
    before: "404",
    told: [
      "`(cli|tests|db)` matches `cli` in `client`",
      "to match only whole names in the path, use `RewriteRule (?:^|/)(cli|tests|db)(?:/|$) - [R=404,L]`",
    ],
    line: "RewriteRule (cli|tests|db) - [R=404,L]",
    after: "200 /srv/www/api/client/list.html",
  },
  "a pattern of RedirectMatch matches a part of a word": {
    config: { main: ["RedirectMatch 403 /git|svn"] },
    path: "/gitter/a.html",
    asked: { files: ["/srv/www/gitter/a.html"] },
    before: "403",
    told: [
      "`/git|svn` matches `/git` in `/gitter`",
      "to match only whole names in the path, use `RedirectMatch 403 (?:/git|svn)(?:/|$)`",
    ],
    line: "RedirectMatch 403 /git|svn",
    after: "200 /srv/www/gitter/a.html",
  },
  "a section with a pattern denies a part of a word": {
    config: { main: ["<LocationMatch admin>", "Require all denied", "</LocationMatch>"] },
    path: "/administer/a.html",
    asked: { files: ["/srv/www/administer/a.html"] },
    before: "403 /srv/www/administer/a.html",
    told: [
      "`admin` matches `admin` in `administer`",
      "to match only whole names in the path, use `<LocationMatch (?:^|/)admin(?:/|$)>`",
    ],
    line: "<LocationMatch admin>",
    after: "200 /srv/www/administer/a.html",
  },
  "a dot stands for any character": {
    config: {
      main: [
        'SetEnvIfNoCase Referer "ads.gold" spam',
        "<Location />",
        "<RequireAll>",
        "Require all granted",
        "Require not env spam",
        "</RequireAll>",
        "</Location>",
      ],
    },
    path: "/a.html",
    asked: { headers: { Referer: "https://b.test/threads/gold" } },
    before: "403 /srv/www/a.html",
    told: [
      "`ads.gold` matches `ads/gold`: a `.` stands for any character, `\\.` for a dot",
      'use `SetEnvIfNoCase Referer "ads\\.gold" spam`',
    ],
    line: 'SetEnvIfNoCase Referer "ads.gold" spam',
    after: "200 /srv/www/a.html",
  },
  "names that begin with a dot are denied, with those for clients": {
    config: { main: ["RedirectMatch 404 /\\."] },
    path: "/.well-known/a.txt",
    asked: { files: ["/srv/www/.well-known/a.txt"] },
    before: "404",
    told: [
      "`/\\.` is for all names that begin with a dot, also for `.well-known`, whose files are for clients",
      "to leave them out, use `RedirectMatch 404 /\\.(?!well-known/)`",
    ],
    line: "RedirectMatch 404 /\\.",
    after: "200 /srv/www/.well-known/a.txt",
  },
  "a line for a client differs from its name in case": {
    config: {
      main: [
        "SetEnvIf User-Agent SneakyBot bot",
        "<Location />",
        "<RequireAll>",
        "Require all granted",
        "Require not env bot",
        "</RequireAll>",
        "</Location>",
      ],
    },
    path: "/a.html",
    asked: { headers: { "User-Agent": "sneakyBot/2" } },
    before: "200 /srv/www/a.html",
    told: [
      "SetEnvIf User-Agent SneakyBot bot: its pattern `SneakyBot` does not match `sneakyBot/2`: letters differ in case",
      "use `SetEnvIfNoCase User-Agent SneakyBot bot`",
    ],
    line: "SetEnvIf User-Agent SneakyBot bot",
    after: "403 /srv/www/a.html",
  },
  "a FallbackResource has no slash": {
    config: { main: [], htaccess: { "/srv/www/docs": "FallbackResource index.html" } },
    path: "/docs/x/y",
    before: "500 /srv/www/docs/x/y",
    told: [
      "`FallbackResource index.html` is relative to the URL: for `/docs/x/y`, httpd looks up `/docs/x/index.html`, and so on",
      "use `FallbackResource /docs/index.html`",
    ],
    line: "FallbackResource index.html",
    after: "200 /srv/www/docs/index.html",
  },
  "an option of a file is not allowed": {
    config: {
      main: ["<Directory /srv/www/docs>", "AllowOverride FileInfo", "</Directory>"],
      htaccess: { "/srv/www/docs": "Options -MultiViews" },
    },
    path: "/docs/a.html",
    before: "500 /srv/www/docs",
    told: [
      "`/srv/www/docs/.htaccess`: `Options` is not allowed by AllowOverride (`AllowOverride FileInfo` applies)",
      "to allow it, use `AllowOverride FileInfo Options=All,MultiViews`",
      "or delete the lines that are not allowed: `Options -MultiViews` is the first",
    ],
    line: "AllowOverride FileInfo",
    after: "200 /srv/www/docs/a.html",
  },
  "a virtual host has no name": {
    config: {
      main: [
        ...["<VirtualHost *:80>", "ServerName b.test", "DocumentRoot /srv/www", "</VirtualHost>"],
        ...["<VirtualHost *:80>", "DocumentRoot /srv/www/docs", "</VirtualHost>"],
      ],
    },
    path: "/only.html",
    asked: { host: "c.test", files: ["/srv/www/docs/only.html"] },
    before: "404 /srv/www/only.html",
    told: [
      "<VirtualHost *:80>: it has no `ServerName`, so httpd does not choose it for `c.test`",
      "add `ServerName c.test` to this virtual host",
    ],
    line: "DocumentRoot /srv/www/docs",
    adds: "after",
    after: "200 /srv/www/docs/only.html",
  },
  "a section for the other release would deny access": {
    config: {
      main: [],
      htaccess: { "/srv/www/docs": "<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>" },
    },
    path: "/docs/a.html",
    before: "200 /srv/www/docs/a.html",
    told: [
      "<IfModule !mod_authz_core.c>: httpd skips this section, which would deny access: the server has `mod_authz_core.c`",
      "next to it, add `<IfModule mod_authz_core.c>`, `Require all denied` and `</IfModule>`",
    ],
    line: "Deny from all\n</IfModule>",
    adds: "after",
    after: "403 /srv/www/docs/a.html",
  },
  "a redirect keeps the query": {
    config: rules("RewriteCond %{QUERY_STRING} ^id=7$", "RewriteRule ^old$ https://b.test/new [R=301,L]"),
    path: "/old?id=7",
    before: "301 https://b.test/new?id=7",
    told: [
      "its target has no query, so httpd keeps that of the request, `id=7`",
      "to drop it, use `RewriteRule ^old$ https://b.test/new [R=301,L,QSD]`",
    ],
    line: "RewriteRule ^old$ https://b.test/new [R=301,L]",
    after: "301 https://b.test/new",
  },
  "a redirect of 2.2 keeps the query": {
    config: rules("RewriteCond %{QUERY_STRING} ^id=7$", "RewriteRule ^old$ https://b.test/new [R=301,L]"),
    path: "/old?id=7",
    asked: { release: "2.2" },
    before: "301 https://b.test/new?id=7",
    told: [
      "its target has no query, so httpd keeps that of the request, `id=7`",
      "to drop it, use `RewriteRule ^old$ https://b.test/new? [R=301,L]`",
    ],
    line: "RewriteRule ^old$ https://b.test/new [R=301,L]",
    after: "301 https://b.test/new",
  },
  "the target of a proxy drops the path": {
    config: { main: ["RewriteEngine On", "RewriteRule ^/(.*) http://127.0.0.1:9090/ [P,L]"] },
    path: "/system/logs",
    before: "200 http://127.0.0.1:9090/",
    told: [
      "the target has no `$1`, so `system/logs`, which `(.*)` matches, is dropped",
      "use `RewriteRule ^/(.*) http://127.0.0.1:9090/$1 [P,L]`",
    ],
    line: "RewriteRule ^/(.*) http://127.0.0.1:9090/ [P,L]",
    after: "200 http://127.0.0.1:9090/system/logs",
  },
  "an exclusion needs a slash": {
    config: rules("RewriteCond %{REQUEST_URI} !^/docs/", "RewriteRule ^(.*)$ http://b.test/$1 [R=302,L]"),
    path: "/docs",
    before: "302 http://b.test/docs",
    told: [
      "`RewriteCond %{REQUEST_URI} !^/docs/` does not exclude `/docs`: it has no slash at the end",
      "use `RewriteCond %{REQUEST_URI} !^/docs(?:/|$)`",
    ],
    line: "RewriteCond %{REQUEST_URI} !^/docs/",
    after: "301 http://a.test/docs/",
  },
  "an exclusion differs in case": {
    config: rules("RewriteCond %{REQUEST_URI} !^/DOCS", "RewriteRule ^(.*)$ http://b.test/$1 [R=302,L]"),
    path: "/docs/a.html",
    before: "302 http://b.test/docs/a.html",
    told: [
      "`RewriteCond %{REQUEST_URI} !^/DOCS` does not exclude `/docs/a.html`: letters differ in case, and it has no `NC`",
      "use `RewriteCond %{REQUEST_URI} !^/DOCS [NC]`",
    ],
    line: "RewriteCond %{REQUEST_URI} !^/DOCS",
    after: "200 /srv/www/docs/a.html",
  },
  "an exclusion of a host has a scheme": {
    config: rules("RewriteCond %{HTTP_HOST} !^http://a\\.test", "RewriteRule ^(.*)$ http://b.test/$1 [R=302,L]"),
    path: "/a.html",
    before: "302 http://b.test/a.html",
    told: [
      "`RewriteCond %{HTTP_HOST} !^http://a\\.test` does not exclude `a.test`: the name has no scheme and no path",
      "use `RewriteCond %{HTTP_HOST} !^a\\.test`",
    ],
    line: "RewriteCond %{HTTP_HOST} !^http://a\\.test",
    after: "200 /srv/www/a.html",
  },
  "a redirect leads below its own path": {
    config: { main: ["Redirect 301 /docs/ /docs/new/"] },
    path: "/docs/new/a.html",
    asked: { files: ["/srv/www/docs/new/a.html"] },
    before: "301 http://a.test/docs/new/new/a.html",
    told: [
      "a client that follows it is redirected again each time: `http://a.test/docs/new/a.html` → `http://a.test/docs/new/new/a.html` → `http://a.test/docs/new/new/new/a.html` → …; `/docs/new/` is below `/docs/`, so httpd redirects it as well",
      'to redirect only `/docs/`, use `RedirectMatch 301 "^/docs/$" /docs/new/`',
      'to redirect everything else, use `RedirectMatch 301 "^/docs/(?!new/)(.*)" /docs/new/$1`',
    ],
    line: "Redirect 301 /docs/ /docs/new/",
    remedy: 2,
    after: "200 /srv/www/docs/new/a.html",
  },
  "a rule without a condition redirects its own target": {
    config: rules("RewriteRule ^(.*)$ https://a.test/$1 [R,L]"),
    path: "/a.html",
    asked: { scheme: "https" },
    before: "302 https://a.test/a.html",
    told: [
      "a client that follows it requests `https://a.test/a.html` again, for ever",
      "to exclude the target, add `RewriteCond %{HTTPS} !=on [OR]` and `RewriteCond %{HTTP_HOST} !=a.test` right before the rule",
    ],
    line: "RewriteRule ^(.*)$ https://a.test/$1 [R,L]",
    adds: "before",
    after: "200 /srv/www/a.html",
  },
  "a rule redirects what another one leads to": {
    config: rules(
      "RewriteBase /",
      "RewriteRule ^(.+)\\.html$ /$1 [R=301,L]",
      "RewriteCond %{REQUEST_FILENAME}.html -f",
      "RewriteRule ^(.+)$ $1.html [L]",
    ),
    path: "/a",
    before: "301 http://a.test/a",
    told: [
      "a client that follows it requests `http://a.test/a` again, for ever; `RewriteRule ^(.+)$ $1.html [L]` leads to `/a.html`, for which the rules run again",
      "use `RewriteRule ^(.+)$ $1.html [END]`",
    ],
    line: "RewriteRule ^(.+)$ $1.html [L]",
    after: "200 /srv/www/a.html",
  },
  "a rule adds a directory again and again": {
    config: rules("RewriteRule ^(.*)$ /new/$1 [R=302,L]"),
    path: "/new/a.html",
    asked: { files: ["/srv/www/new/a.html"] },
    before: "302 http://a.test/new/new/a.html",
    told: [
      "a client that follows it is redirected again each time: `http://a.test/new/a.html` → `http://a.test/new/new/a.html` → `http://a.test/new/new/new/a.html` → …",
      "to exclude the target, add `RewriteCond %{REQUEST_URI} !^/new(?:/|$)` right before the rule",
    ],
    line: "RewriteRule ^(.*)$ /new/$1 [R=302,L]",
    adds: "before",
    after: "200 /srv/www/new/a.html",
  },
  "a Redirect to all comes before an Alias": {
    config: {
      main: ["Alias /.well-known/ /srv/www/docs/", "Redirect permanent / https://b.test/"],
    },
    path: "/.well-known/a.html",
    before: "301 https://b.test/.well-known/a.html",
    told: [
      "Alias /.well-known/ /srv/www/docs/: matches as well, but `Redirect permanent / https://b.test/` is applied first",
      "instead of `Redirect permanent / https://b.test/`, use `RedirectMatch 301 ^/(?!\\.well-known/)(.*) https://b.test/$1`, which leaves out this path",
    ],
    line: "Redirect permanent / https://b.test/",
    after: "200 /srv/www/docs/a.html",
  },
  "a Redirect without a slash comes before an Alias": {
    config: { main: ["Alias /a/b /srv/www/docs", "Redirect /a https://b.test/x"] },
    path: "/a/b/a.html",
    before: "302 https://b.test/x/b/a.html",
    told: [
      "Alias /a/b /srv/www/docs: matches as well, but `Redirect /a https://b.test/x` is applied first",
      "instead of `Redirect /a https://b.test/x`, use `RedirectMatch 302 ^/a(?!/b)(/.*)?$ https://b.test/x$1`, which leaves out this path",
    ],
    line: "Redirect /a https://b.test/x",
    after: "200 /srv/www/docs/a.html",
  },
  "a Redirect of a file has the path below its directory": {
    config: { main: [], htaccess: { "/srv/www/docs": "Redirect 301 /old.html /docs/a.html" } },
    path: "/docs/old.html",
    before: "404 /srv/www/docs/old.html",
    told: [
      "Redirect 301 /old.html /docs/a.html: its path `/old.html` does not match `/docs/old.html`: `Redirect` compares the whole path of the URL, also in a section or a `.htaccess` file",
      "use `Redirect 301 /docs/old.html /docs/a.html`",
    ],
    line: "Redirect 301 /old.html /docs/a.html",
    after: "301 http://a.test/docs/a.html",
  },
  "a RedirectMatch of a file has the path below its directory": {
    config: { main: [], htaccess: { "/srv/www/docs": "RedirectMatch 301 ^/old(.*)$ /docs/a.html" } },
    path: "/docs/old.html",
    before: "404 /srv/www/docs/old.html",
    told: [
      "RedirectMatch 301 ^/old(.*)$ /docs/a.html: its pattern `^/old(.*)$` does not match `/docs/old.html`: `RedirectMatch` compares the whole path of the URL, also in a section or a `.htaccess` file",
      "use `RedirectMatch 301 ^/docs/old(.*)$ /docs/a.html`",
    ],
    line: "RedirectMatch 301 ^/old(.*)$ /docs/a.html",
    after: "301 http://a.test/docs/a.html",
  },
  "a Directory section is for what is in the directory": {
    config: {
      main: [
        "<Directory /srv/www>",
        "Require all denied",
        "</Directory>",
        '<Directory "/srv/www/docs/*">',
        "Require all granted",
        "</Directory>",
      ],
    },
    path: "/docs/",
    before: "403 /srv/www/docs/",
    told: [
      '<Directory "/srv/www/docs/*">: its `*` stands for a name in `/srv/www/docs`, so it does not match that directory itself',
      'use `<Directory "/srv/www/docs">`',
    ],
    line: '<Directory "/srv/www/docs/*">',
    after: "200 /srv/www/docs/index.html",
  },
  "an Alias ends in a slash": {
    config: { main: ["Alias /x/ /srv/www/docs/"] },
    path: "/x",
    before: "404 /srv/www/x",
    told: [
      "Alias /x/ /srv/www/docs/: its path `/x/` does not match `/x`: the URL has no slash at the end",
      "use `Alias /x /srv/www/docs`",
    ],
    line: "Alias /x/ /srv/www/docs/",
    after: "301 http://a.test/x/",
  },
  "a type of a file replaces that of the server": {
    config: {
      main: ["AddType application/x-httpd-php .php"],
      htaccess: { "/srv/www": "AddType text/html .html .php" },
    },
    path: "/a.php",
    asked: { files: ["/srv/www/a.php"] },
    before: "200 /srv/www/a.php",
    told: [
      "AddType application/x-httpd-php .php: `AddType text/html .html .php` replaces it for `.php`, so that httpd sends the source text of the file",
      "use `AddType text/html .html`",
    ],
    line: "AddType text/html .html .php",
    after: "200 /srv/www/a.php",
  },
  "a rule of an outer file is for a directory with rules of its own": {
    config: {
      main: [],
      htaccess: {
        "/srv/www": "RewriteEngine On\nRewriteRule ^blog offline.html [L]",
        "/srv/www/blog": "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /blog/index.php [L]",
      },
    },
    path: "/blog/2011/hello",
    asked: { files: ["/srv/www/offline.html", "/srv/www/blog/index.php"] },
    before: "200 /srv/www/blog/index.php",
    told: [
      "RewriteRule ^blog offline.html [L]: the rewrite rules of a later section or file replace those of this one; `RewriteOptions` does not inherit them",
      "to the `.htaccess` file of `/srv/www/blog`, before the rules there, add `RewriteRule ^ /offline.html [L]`",
    ],
    line: "RewriteCond %{REQUEST_FILENAME} !-f",
    adds: "before",
    after: "200 /srv/www/offline.html",
    stays: true,
  },
  "a rule of an outer file with a rest is for a directory with rules of its own": {
    config: {
      main: [],
      htaccess: {
        "/srv/www": "RewriteEngine On\nRewriteRule ^blog/(.*)$ /new/$1 [R=301,L]",
        "/srv/www/blog": "RewriteEngine On\nRewriteRule ^x$ y",
      },
    },
    path: "/blog/a",
    asked: { files: ["/srv/www/blog/a"] },
    before: "200 /srv/www/blog/a",
    told: [
      "RewriteRule ^blog/(.*)$ /new/$1 [R=301,L]: the rewrite rules of a later section or file replace those of this one; `RewriteOptions` does not inherit them",
      "to the `.htaccess` file of `/srv/www/blog`, before the rules there, add `RewriteRule ^(.*)$ /new/$1 [R=301,L]`",
    ],
    line: "RewriteRule ^x$ y",
    adds: "before",
    after: "301 http://a.test/new/a",
    stays: true,
  },
  "a rule of an outer file also matches the path below": {
    config: {
      main: [],
      htaccess: {
        "/srv/www": "RewriteEngine On\nRewriteRule hello /a.html [L]",
        "/srv/www/blog": "RewriteEngine On\nRewriteRule ^ - [L]",
      },
    },
    path: "/blog/hello",
    asked: { files: ["/srv/www/a.html", "/srv/www/blog/index.php"] },
    before: "404 /srv/www/blog/hello",
    told: [
      "RewriteRule hello /a.html [L]: the rewrite rules of a later section or file replace those of this one; `RewriteOptions` does not inherit them",
      "to the `.htaccess` file of `/srv/www/blog`, next to `RewriteEngine On`, add `RewriteOptions InheritBefore`",
    ],
    line: "RewriteRule ^ - [L]",
    adds: "before",
    after: "200 /srv/www/a.html",
  },
  "a name begins with the label that a redirect adds": {
    config: rules("RewriteCond %{HTTPS} off", "RewriteRule ^(.*)$ https://www.%{HTTP_HOST}%{REQUEST_URI} [L,R=301]"),
    path: "/a",
    asked: { host: "www.a.test" },
    before: "301 https://www.www.a.test/a",
    told: [
      "the target puts `www.` before `www.a.test`, which begins with it already",
      "add `RewriteCond %{HTTP_HOST} ^(?:www\\.)?(.+)$ [NC]` right before the rule, and use `RewriteRule ^(.*)$ https://www.%1%{REQUEST_URI} [L,R=301]`",
    ],
    line: "RewriteRule ^(.*)$ https://www.%{HTTP_HOST}%{REQUEST_URI} [L,R=301]",
    adds: "instead",
    after: "301 https://www.a.test/a",
  },
  "a redirect adds a label to a subdomain": {
    config: rules(
      "RewriteCond %{HTTP_HOST} !^www\\. [NC]",
      "RewriteRule ^ http://www.%{HTTP_HOST}%{REQUEST_URI} [L,R=301]",
    ),
    path: "/a.html",
    asked: { host: "api.b.test" },
    before: "301 http://www.api.b.test/a.html",
    told: [
      "the rule puts `www.` before each name that its conditions allow, also before `api.b.test`",
      "to leave this name as it is, add `RewriteCond %{HTTP_HOST} !^api\\.b\\.test$ [NC]` right before the rule",
      "to change only one name, add `RewriteCond %{HTTP_HOST} ^b\\.test$ [NC]` instead",
    ],
    line: "RewriteRule ^ http://www.%{HTTP_HOST}%{REQUEST_URI} [L,R=301]",
    adds: "before",
    after: "200 /srv/www/a.html",
  },
  "only one name shall get a label": {
    config: rules(
      "RewriteCond %{HTTP_HOST} !^www\\. [NC]",
      "RewriteRule ^ http://www.%{HTTP_HOST}%{REQUEST_URI} [L,R=301]",
    ),
    path: "/a.html",
    asked: { host: "api.b.test" },
    before: "301 http://www.api.b.test/a.html",
    told: [
      "the rule puts `www.` before each name that its conditions allow, also before `api.b.test`",
      "to leave this name as it is, add `RewriteCond %{HTTP_HOST} !^api\\.b\\.test$ [NC]` right before the rule",
      "to change only one name, add `RewriteCond %{HTTP_HOST} ^b\\.test$ [NC]` instead",
    ],
    line: "RewriteRule ^ http://www.%{HTTP_HOST}%{REQUEST_URI} [L,R=301]",
    remedy: 2,
    adds: "before",
    after: "200 /srv/www/a.html",
  },
  "a browser asks before a request with a login": {
    config: login("Require valid-user"),
    path: "/a.html",
    asked: { method: "OPTIONS", headers: { "Access-Control-Request-Method": "POST" } },
    before: "401 /srv/www/a.html",
    told: [
      "browsers send no login with a preflight request (`OPTIONS`)",
      "to allow it without a login, add `Require method OPTIONS` next to `Require valid-user`",
    ],
    line: "Require valid-user",
    adds: "after",
    after: "200 /srv/www/a.html",
  },
  "a container requires an address and a login": {
    config: login("<RequireAll>", "Require ip 192.0.2", "Require valid-user", "</RequireAll>"),
    path: "/a.html",
    before: "401 /srv/www/a.html",
    told: [
      "`<RequireAll>` requires all of its lines: `Require ip 192.0.2` allows this request, `Require valid-user` does not",
      "if one of them is enough, use `<RequireAny>` and `</RequireAny>` instead",
    ],
    line: "RequireAll>",
    adds: "everywhere",
    after: "200 /srv/www/a.html",
  },
  "a container requires two addresses": {
    config: {
      main: ["<Location />", "<RequireAll>", "Require ip 192.0.2", "Require ip 10", "</RequireAll>", "</Location>"],
    },
    path: "/a.html",
    before: "403 /srv/www/a.html",
    told: [
      "`<RequireAll>` requires all of its lines: `Require ip 192.0.2` allows this request, `Require ip 10` does not",
      "if one of them is enough, use `<RequireAny>` and `</RequireAny>` instead",
    ],
    line: "RequireAll>",
    adds: "everywhere",
    after: "200 /srv/www/a.html",
  },
  "no line asks for a login": {
    config: login("# none"),
    path: "/a.html",
    before: "200 /srv/www/a.html",
    told: [
      "`AuthType Basic` only sets up a login: no `Require` line of `<Location />` asks for it; `Require all granted` of an earlier section applies",
      "add `Require valid-user` next to it",
    ],
    line: "AuthType Basic",
    adds: "after",
    after: "401 /srv/www/a.html",
  },
  "a request without TLS is refused and not redirected": {
    config: {
      main: [
        "<VirtualHost *:80>",
        "ServerName mail.test",
        "<Directory /srv/www>",
        "SSLRequireSSL",
        "</Directory>",
        "</VirtualHost>",
      ],
    },
    path: "/a.html",
    asked: { host: "mail.test" },
    before: "403 /srv/www/a.html",
    told: [
      "`SSLRequireSSL` refuses the request, and does not redirect it",
      "to redirect instead, add `Redirect permanent / https://mail.test/` to `<VirtualHost *:80>`",
    ],
    line: "ServerName mail.test",
    adds: "after",
    after: "301 https://mail.test/a.html",
  },
  "a section denies the document of an error": {
    config: {
      main: [
        "ErrorDocument 403 /error/a.html",
        "Alias /error/ /srv/error/",
        "<Directory />\nRequire all denied\n</Directory>",
        "<Location /intern>\nRequire ip 10\n</Location>",
      ],
    },
    path: "/intern/x",
    asked: { files: ["/srv/error/a.html", "/srv/www/intern/x"] },
    before: "403 /srv/error/a.html",
    told: [
      "httpd denies the request for the document of `ErrorDocument 403 /error/a.html`: `Require all denied` of `<Directory />` applies to `/srv/error/a.html`",
      'add `<Directory "/srv/error">`, `<Files "a.html">`, `Require all granted`, `</Files>` and `</Directory>` after the other sections',
    ],
    line: "<Location /intern>\nRequire ip 10\n</Location>",
    adds: "after",
    after: "403 /srv/error/a.html",
  },
  "a redirect drops the body of a request": {
    config: rules("RewriteRule ^a https://b.test/ [L,R=301]"),
    path: "/a",
    asked: { method: "POST" },
    before: "301 https://b.test/",
    told: [
      "after 301, clients send GET instead of POST, without the body",
      "to keep the method and the body, use `RewriteRule ^a https://b.test/ [L,R=308]`",
    ],
    line: "RewriteRule ^a https://b.test/ [L,R=301]",
    after: "308 https://b.test/",
  },
  "a rule without a status drops the body of a request": {
    config: rules("RewriteRule ^a https://b.test/ [R,L]"),
    path: "/a",
    asked: { method: "POST" },
    before: "302 https://b.test/",
    told: [
      "after 302, clients send GET instead of POST, without the body",
      "to keep the method and the body, use `RewriteRule ^a https://b.test/ [R=307,L]`",
    ],
    line: "RewriteRule ^a https://b.test/ [R,L]",
    after: "307 https://b.test/",
  },
  "a Redirect drops the body of a request": {
    config: { main: ["Redirect permanent /a https://b.test/x"] },
    path: "/a",
    asked: { method: "POST" },
    before: "301 https://b.test/x",
    told: [
      "after 301, clients send GET instead of POST, without the body",
      "to keep the method and the body, use `Redirect 308 /a https://b.test/x`",
    ],
    line: "Redirect permanent /a https://b.test/x",
    after: "308 https://b.test/x",
  },
  "a RedirectTemp of 2.2 drops the body of a request": {
    config: { main: ["RedirectTemp /a https://b.test/x"] },
    path: "/a",
    asked: { method: "POST", release: "2.2" },
    before: "302 https://b.test/x",
    told: [
      "after 302, clients send GET instead of POST, without the body",
      "to keep the method and the body, use `Redirect 307 /a https://b.test/x`",
    ],
    line: "RedirectTemp /a https://b.test/x",
    after: "307 https://b.test/x",
  },
  "a Redirect without a status drops the body of a request": {
    config: { main: ["Redirect /a https://b.test/x"] },
    path: "/a",
    asked: { method: "POST" },
    before: "302 https://b.test/x",
    told: [
      "after 302, clients send GET instead of POST, without the body",
      "to keep the method and the body, use `Redirect 307 /a https://b.test/x`",
    ],
    line: "Redirect /a https://b.test/x",
    after: "307 https://b.test/x",
  },
  "an index file has another name": {
    config: { main: ["DirectoryIndex index.html"] },
    path: "/x/",
    asked: { files: ["/srv/www/x/index.txt"] },
    before: "404 /srv/www/x/",
    told: [
      "`DirectoryIndex index.html` names no file in `/srv/www/x`, but `index.txt` is there",
      "use `DirectoryIndex index.html index.txt`",
    ],
    line: "DirectoryIndex index.html",
    after: "200 /srv/www/x/index.txt",
  },
  "the index file is in a directory for clients": {
    config: { main: ["DocumentRoot /srv/www/app"] },
    path: "/",
    asked: { files: ["/srv/www/app/x.json", "/srv/www/app/public/index.html"] },
    before: "404 /srv/www/app/",
    told: [
      "`DirectoryIndex index.html` (the default) names no file in `/srv/www/app`, but `/srv/www/app/public/index.html` exists",
      "use `DocumentRoot /srv/www/app/public`",
    ],
    line: "DocumentRoot /srv/www/app",
    after: "200 /srv/www/app/public/index.html",
  },
  "another index file comes first": {
    config: { main: ["DirectoryIndex index.html index.php"] },
    path: "/",
    asked: { files: ["/srv/www/index.html", "/srv/www/index.php"] },
    before: "200 /srv/www/index.html",
    told: [
      "`index.html` comes first in `DirectoryIndex index.html index.php`; `index.php` exists as well",
      "for `index.php`, use `DirectoryIndex index.php index.html`",
    ],
    line: "DirectoryIndex index.html index.php",
    after: "200 /srv/www/index.php",
  },
  "an internal redirect renames a variable": {
    config: rules("RewriteCond %{REQUEST_FILENAME} !-f", "RewriteRule . /a.html [E=LOGIN:%{HTTP:X-Login},L]"),
    path: "/x/y",
    asked: { headers: { "X-Login": "bob" } },
    before: "200 /srv/www/a.html",
    told: [
      "`RewriteRule . /a.html [E=LOGIN:%{HTTP:X-Login},L]` sets `LOGIN`, and the internal redirect to `/a.html` renames it to `REDIRECT_LOGIN`",
      "to set it for each URL, add `RewriteRule ^ - [E=LOGIN:%{HTTP:X-Login}]` before the other rules",
    ],
    line: "RewriteCond %{REQUEST_FILENAME} !-f",
    adds: "before",
    after: "200 /srv/www/a.html",
  },
  "a rule sets a variable after access is checked": {
    config: rules("RewriteCond %{QUERY_STRING} (^|&)k=abc(&|$)", "RewriteRule ^ - [E=letin:1]", "Require env letin"),
    path: "/a.html?k=abc",
    before: "403 /srv/www/a.html",
    told: [
      "`RewriteRule ^ - [E=letin:1]` sets `letin` only after access is checked",
      'use `Require expr "%{QUERY_STRING} =~ m#(^|&)k=abc(&|$)#"`',
    ],
    line: "Require env letin",
    after: "200 /srv/www/a.html",
  },
  "a rule with two conditions sets a variable after access is checked": {
    config: rules(
      "RewriteCond %{HTTP_USER_AGENT} Bot [NC]",
      "RewriteCond %{REMOTE_ADDR} !^10",
      "RewriteRule .* - [E=letin:1]",
      "Require env letin",
    ),
    path: "/a.html",
    asked: { headers: { "User-Agent": "a bot" } },
    before: "403 /srv/www/a.html",
    told: [
      "`RewriteRule .* - [E=letin:1]` sets `letin` only after access is checked",
      'use `Require expr "%{HTTP_USER_AGENT} =~ m#Bot#i && %{REMOTE_ADDR} !~ m#^10#"`',
    ],
    line: "Require env letin",
    after: "200 /srv/www/a.html",
  },
  "a pattern of RedirectMatch has a dot at its start": {
    config: { main: [], htaccess: { "/srv/www/docs": "RedirectMatch 403 .txp" } },
    path: "/docs/txp_default/a.css",
    asked: { files: ["/srv/www/docs/txp_default/a.css"] },
    before: "403",
    told: ["`.txp` matches `/txp`: a `.` stands for any character, `\\.` for a dot", "use `RedirectMatch 403 \\.txp`"],
    line: "RedirectMatch 403 .txp",
    after: "200 /srv/www/docs/txp_default/a.css",
  },
  "a section for hidden files has a dot": {
    config: { main: ['<Files ~ "^.ht">', "Require all denied", "</Files>"] },
    path: "/xht.html",
    asked: { files: ["/srv/www/xht.html"] },
    before: "403 /srv/www/xht.html",
    told: ["`^.ht` matches `xht`: a `.` stands for any character, `\\.` for a dot", 'use `<Files ~ "^\\.ht">`'],
    line: '<Files ~ "^.ht">',
    after: "200 /srv/www/xht.html",
  },
  "a pattern with a rest of any text begins with a part of a word": {
    config: rules("RewriteRule ^(build|occ).* - [R=404,L]"),
    path: "/occasions/a.html",
    asked: { files: ["/srv/www/occasions/a.html"] },
    before: "404",
    told: [
      "`^(build|occ).*` matches `occ` in `occasions`",
      "to match only whole names in the path, use `RewriteRule ^(build|occ)(?:/|$) - [R=404,L]`",
    ],
    line: "RewriteRule ^(build|occ).* - [R=404,L]",
    after: "200 /srv/www/occasions/a.html",
  },
  "a condition excludes a part of a word": {
    config: rules("RewriteCond %{REQUEST_URI} !(api|saml)", "RewriteRule ^ /a.html [END]"),
    path: "/x/x9apiZ",
    before: "404 /srv/www/x/x9apiZ",
    told: [
      "RewriteCond %{REQUEST_URI} !(api|saml): it excludes this request: `(api|saml)` matches `api` in `x9apiZ`",
      "to match only whole names in the path, use `RewriteCond %{REQUEST_URI} !(?:^|/)(api|saml)(?:/|$)`",
    ],
    line: "RewriteCond %{REQUEST_URI} !(api|saml)",
    after: "200 /srv/www/a.html",
  },
  "a condition wants a word at the beginning": {
    config: rules("RewriteCond %{HTTP_USER_AGENT} ^Spider [NC]", "RewriteRule ^ - [F]"),
    path: "/a.html",
    asked: { headers: { "User-Agent": "Safari; Spider" } },
    before: "200 /srv/www/a.html",
    told: [
      "RewriteCond %{HTTP_USER_AGENT} ^Spider [NC]: it does not match `Safari; Spider`: `^` stands for the beginning of the text",
      "use `RewriteCond %{HTTP_USER_AGENT} Spider [NC]`",
    ],
    line: "RewriteCond %{HTTP_USER_AGENT} ^Spider [NC]",
    after: "403",
  },
  "a condition lacks the slash of the path": {
    config: rules("RewriteCond %{REQUEST_URI} ^docs", "RewriteRule ^ https://b.test/ [R]"),
    path: "/docs/a.html",
    before: "200 /srv/www/docs/a.html",
    told: [
      "RewriteCond %{REQUEST_URI} ^docs: it does not match `/docs/a.html`: the path begins with a slash",
      "use `RewriteCond %{REQUEST_URI} ^/docs`",
    ],
    line: "RewriteCond %{REQUEST_URI} ^docs",
    after: "302 https://b.test/",
  },
  "a redirect drops the path": {
    config: rules("RewriteRule ^ http://b.test/ [L,R=301]"),
    path: "/docs/a.html",
    before: "301 http://b.test/",
    told: [
      "the target has no path, so `/docs/a.html` is dropped",
      "to keep the path, use `RewriteRule ^ http://b.test%{REQUEST_URI} [L,R=301]`",
    ],
    line: "RewriteRule ^ http://b.test/ [L,R=301]",
    after: "301 http://b.test/docs/a.html",
  },
  "a rule redirects to another host what another one leads to": {
    config: rules(
      "RewriteRule ^index\\.html/ http://b.test/ [R,L]",
      "RewriteCond %{REQUEST_FILENAME} !-f",
      "RewriteRule ^(.*)$ /index.html/$1 [L]",
    ),
    path: "/x",
    before: "302 http://b.test/",
    told: [
      "the rules run again for `/index.html/x`: `L` ends only one round; with `END` instead, they do not",
      "use `RewriteRule ^(.*)$ /index.html/$1 [END]`",
    ],
    line: "RewriteRule ^(.*)$ /index.html/$1 [L]",
    after: "404 /srv/www/index.html",
  },
  "a rule puts a decoded space into the query": {
    config: rules("RewriteCond %{REQUEST_FILENAME} !-f", "RewriteRule ^(.*)$ a.html?q=$1 [QSA,L]"),
    path: "/red%20car/1",
    before: "403",
    told: [
      "the path is decoded before the rule uses it, so `%20` is a space in the query; the flag `B` encodes it again",
      "use `RewriteRule ^(.*)$ a.html?q=$1 [QSA,L,B]`",
    ],
    line: "RewriteRule ^(.*)$ a.html?q=$1 [QSA,L]",
    after: "200 /srv/www/a.html",
  },
  "a variable is set before an internal redirect": {
    config: {
      main: [
        ...['SetEnvIf Request_URI "^/in" allow', "<Directory /srv/www>", "Require env allow", "</Directory>"],
        // Without another section, access is not checked again.
        ...["<Files a.html>", "DirectoryIndex none", "</Files>"],
      ],
      htaccess: { "/srv/www": "RewriteEngine On\nRewriteRule ^in /a.html [L]" },
    },
    path: "/in",
    before: "403 /srv/www/a.html",
    told: [
      '`SetEnvIf Request_URI "^/in" allow` sets `allow` for `/in`, and the internal redirect to `/a.html` renames it to `REDIRECT_allow`',
      "use `Require env allow REDIRECT_allow`",
    ],
    line: "Require env allow",
    after: "200 /srv/www/a.html",
  },
  "a variable of Allow is set before an internal redirect": {
    config: {
      main: [
        ...['SetEnvIf Request_URI "^/in" allow', "<Directory /srv/www>", "Order deny,allow", "Deny from all"],
        ...["Allow from env=allow", "</Directory>", "<Files a.html>", "DirectoryIndex none", "</Files>"],
      ],
      htaccess: { "/srv/www": "RewriteEngine On\nRewriteRule ^in /a.html [L]" },
    },
    path: "/in",
    before: "403 /srv/www/a.html",
    told: [
      '`SetEnvIf Request_URI "^/in" allow` sets `allow` for `/in`, and the internal redirect to `/a.html` renames it to `REDIRECT_allow`',
      "use `Allow from env=allow env=REDIRECT_allow`",
    ],
    line: "Allow from env=allow",
    after: "200 /srv/www/a.html",
  },
  "a pattern of RedirectMatch has letters in another case": {
    config: { main: ["<Directory /srv/www>", 'RedirectMatch 302 "^/DOCS/(.*)$" https://b.test/$1', "</Directory>"] },
    path: "/docs/none.html",
    before: "404 /srv/www/docs/none.html",
    told: [
      'RedirectMatch 302 "^/DOCS/(.*)$" https://b.test/$1: its pattern `^/DOCS/(.*)$` does not match `/docs/none.html`: letters differ in case',
      'use `RedirectMatch 302 "(?i)^/DOCS/(.*)$" https://b.test/$1`',
    ],
    line: 'RedirectMatch 302 "^/DOCS/(.*)$" https://b.test/$1',
    after: "302 https://b.test/none.html",
  },
  "an alias of a host has a port": {
    config: hosts("b.test", "a.test:80\nServerAlias x.test www.c.test:80"),
    path: "/a.html",
    asked: { host: "www.c.test" },
    before: "404 /srv/www/0/a.html",
    told: [
      "<VirtualHost *:80>: its `ServerAlias x.test www.c.test:80` never matches `www.c.test`: a ServerAlias is a name without a port",
      "use `ServerAlias x.test www.c.test`",
    ],
    line: "ServerAlias x.test www.c.test:80",
    after: "404 /srv/www/1/a.html",
  },
  "the aliases of a host have commas": {
    config: hosts("b.test", "a.test:80\nServerAlias X.test, c.test;d.test, e.test"),
    path: "/a.html",
    asked: { host: "c.test" },
    before: "404 /srv/www/0/a.html",
    told: [
      "<VirtualHost *:80>: its `ServerAlias X.test, c.test;d.test, e.test` never matches `c.test`: spaces separate names, and a comma or semicolon is part of the name",
      "use `ServerAlias X.test c.test d.test e.test`",
    ],
    line: "ServerAlias X.test, c.test;d.test, e.test",
    after: "404 /srv/www/1/a.html",
  },
  "the name of a host has a slash": {
    config: hosts("b.test", "c.test/"),
    path: "/a.html",
    asked: { host: "c.test" },
    before: "404 /srv/www/0/a.html",
    told: [
      "<VirtualHost *:80>: its `ServerName c.test/` never matches `c.test`: a name has no slash",
      "use `ServerName c.test`",
    ],
    line: "ServerName c.test/",
    after: "404 /srv/www/1/a.html",
  },
  "the name of a host is two names": {
    config: hosts("b.test", "c.test,d.test"),
    path: "/a.html",
    asked: { host: "d.test" },
    before: "404 /srv/www/0/a.html",
    told: [
      "<VirtualHost *:80>: its `ServerName c.test,d.test` never matches `d.test`: spaces separate names, and a comma or semicolon is part of the name",
      "use `ServerName c.test` and `ServerAlias d.test`",
    ],
    line: "ServerName c.test,d.test",
    adds: "instead",
    after: "404 /srv/www/1/a.html",
  },
  "the alias of a host is a URL": {
    config: hosts("b.test", "a.test\nServerAlias http://c.test/"),
    path: "/a.html",
    asked: { host: "c.test" },
    before: "404 /srv/www/0/a.html",
    told: [
      "<VirtualHost *:80>: its `ServerAlias http://c.test/` never matches `c.test`: a name has no scheme",
      "use `ServerAlias c.test`",
    ],
    line: "ServerAlias http://c.test/",
    after: "404 /srv/www/1/a.html",
  },
  "the alias of a host begins with a dot": {
    config: hosts("b.test", "a.test\nServerAlias .c.test"),
    path: "/a.html",
    asked: { host: "x.c.test" },
    before: "404 /srv/www/0/a.html",
    told: [
      "<VirtualHost *:80>: its `ServerAlias .c.test` never matches `x.c.test`: a dot at the beginning does not stand for other names, `*.` does",
      "use `ServerAlias *.c.test`",
    ],
    line: "ServerAlias .c.test",
    after: "404 /srv/www/1/a.html",
  },
};

/** Returns the configuration of a question with its remedy. */
export function withRemedy({ config, told, line, remedy = 1, adds }: Question): Config {
  const help = told[remedy];
  const written = writtenIn(help, adds && adds !== "everywhere" ? "add " : "use ").filter(
    // The remedy may name the line next to which it adds others, or the host.
    (each) => each !== line && !each.startsWith("<VirtualHost"),
  );
  const lines = {
    before: [...written, line],
    after: [line, ...written],
    instead: written,
    everywhere: [written[0]?.replace(/^</, "") ?? ""],
    none: written.slice(0, 1),
  }[adds ?? "none"];
  return replaced(config, line, lines.join("\n"), adds === "everywhere");
}
