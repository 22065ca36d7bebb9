import { describe, expect, test } from "vitest";
import { findLineAdvice } from "../../../src/apps/line-advice.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { renderAnswerText } from "../../../src/report/answers/answer-text.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";

interface Asked extends Partial<Request> {
  readonly htaccess?: string;
  /** Further files of the configuration, by their paths. */
  readonly others?: Readonly<Record<string, string>>;
  readonly release?: "2.2" | "2.4";
}

const files = createListedFiles(["/srv/www/a.html", "/srv/www/a.php", "/srv/www/a.jpg", "/srv/www/.htaccess"]);
const grant = "<Directory /srv/www>\nRequire all granted\nAllowOverride All\n</Directory>";

/** Returns the text of an answer, as the command shows it. */
function textFor(
  lines: readonly string[],
  path: string,
  { htaccess, others, release = "2.4", ...sent }: Asked = {},
): string {
  const access = memoryAccess({
    ...others,
    "/etc/httpd.conf": `${lines.join("\n")}\n`,
    ...(htaccess === undefined ? {} : { "/srv/www/.htaccess": `${htaccess}\n` }),
  });
  const loaded = loadProject("/etc/httpd.conf", { access, release, htaccess: true, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  const project = loaded.value;
  const request = { method: "GET", path, host: "a.test", clientIp: "192.0.2.7", ...sent };
  const found = answer(project, request, { files });
  const advice = findLineAdvice(project, files, found);
  const style = { colours: false, width: 1000, base: "/" } as const;
  return [...renderAnswerText({ answer: found, startup: [], advice, showsAll: true }, style)].join("");
}

const server = (...lines: readonly string[]) => ["ServerName a.test", "DocumentRoot /srv/www", grant, ...lines];

/** Returns the places with their roles: `2: change this line`. */
function rolesIn(text: string): readonly string[] {
  return [...text.matchAll(/^(?:\S*\/)?(\.htaccess|httpd\.conf):(\d+):\d+: (.+)$/gm)].map(
    ([, file, line, role]) => `${file === ".htaccess" ? "file " : ""}${line}: ${role}`,
  );
}

describe("the line to change", () => {
  const login = ["<Location />", "AuthType Basic", "AuthUserFile /etc/users", "Require valid-user", "</Location>"];
  test("is none if a line is missing", () => {
    const text = textFor(server(...login), "/a.html");
    expect(text).toContain("help: add `AuthName`");
    expect(rolesIn(text).filter((role) => role.includes("change"))).toEqual([]);
  });

  test("is none if the server does not allow what a file contains", () => {
    const lines = [
      "ServerName a.test",
      "DocumentRoot /srv/www",
      "<Directory /srv/www>",
      "Require all granted",
      "</Directory>",
    ];
    const text = textFor(lines, "/a.html", { htaccess: "RewriteEngine On" });
    expect(text).toContain("help: add `AllowOverride FileInfo`");
    expect(rolesIn(text).filter((role) => role.includes("change"))).toEqual([]);
  });

  test("is the Limit section around a line that stays", () => {
    const limited = ["<Limit GET>", "Require ip 10", "</Limit>"];
    expect(rolesIn(textFor(server("<Location />", ...limited, "</Location>"), "/a.html", { method: "PUT" }))[0]).toBe(
      "8: change this section",
    );
  });

  test("is the rule that led to the answer, before one that did not match", () => {
    const rules = [
      "RewriteEngine On",
      "RewriteCond %{REQUEST_FILENAME} !-f",
      "RewriteRule ^api/(.*)$ api.php?path=$1 [QSA,L]",
      "RewriteRule ^(.*)$ index.php?path=$1 [QSA,L]",
    ];
    const htaccess = rules.join("\n");
    expect(rolesIn(textFor(server(), "/a.jpg", { htaccess }))[0]).toBe("file 4: change this line");
    // Twin: the other rule led to this one.
    expect(rolesIn(textFor(server(), "/api/x", { htaccess }))[0]).toBe("file 3: change this line");
  });

  test("is the line of a loop, before the name that another virtual host has as well", () => {
    const host = (...lines: readonly string[]) => [
      "<VirtualHost *:80>",
      "ServerName a.test",
      "DocumentRoot /srv/www",
      ...lines,
      "</VirtualHost>",
    ];
    const lines = [grant, ...host("Redirect / http://a.test/"), ...host()];
    expect(rolesIn(textFor(lines, "/a.html"))[0]).toBe("8: change this line");
    expect(rolesIn(textFor([grant, ...host(), ...host()], "/a.html"))[0]).toBe("6: change this line");
  });

  test("is none if another line makes this one ineffective", () => {
    const login = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "AuthGroupFile /etc/groups"];
    const text = textFor(
      server("<Location />", ...login, "Require valid-user", "Require group admins", "</Location>"),
      "/a.html",
      { user: "bob" },
    );
    expect(text).toContain("help: to allow only the named users, delete `Require valid-user`");
    expect(rolesIn(text).filter((role) => role.includes("change"))).toEqual([]);
  });

  test("is none for an Include that skips a file, which is named if no virtual host has the name of the request", () => {
    const host = (name: string) => `<VirtualHost *:80>\nServerName ${name}\nDocumentRoot /srv/www\n</VirtualHost>\n`;
    const others = { "/etc/sites/first.conf": host("first.test"), "/etc/sites/shop": host("shop.test") };
    const text = (name: string) =>
      textFor(["Listen 80", grant, "IncludeOptional sites/*.conf"], "/a.html", { host: name, others });
    expect(text("shop.test")).toContain("help: rename it to `shop.conf`");
    // The Include stays.
    expect(rolesIn(text("shop.test")).filter((role) => role.includes("change"))).toEqual([]);
    expect(text("shop.test")).toContain("no virtual host has the name `shop.test`");
    expect(text("first.test")).not.toContain("shop.conf");
  });

  test("is the one that the fix changes", () => {
    const lines = ["<Location />", "Order allow,deny", "Deny from all", "Allow from 192.0.2.7", "</Location>"];
    expect(rolesIn(textFor(server(...lines), "/a.html"))[0]).toBe("8: change this line");
  });

  test("is the one that the remedy replaces", () => {
    const text = textFor(server(), "/x", { htaccess: "RewriteEngine On\nRewriteRule x|y - [F]\nRewriteRule ^a$ b" });
    expect(rolesIn(text).filter((role) => role.includes("change"))).toEqual([]);
    const inner = textFor(server(), "/xa/b", { htaccess: "RewriteEngine On\nRewriteRule xa|ya - [F]" });
    expect(rolesIn(inner)[0]).toBe("file 2: returns 403");
    const word = textFor(server(), "/xab/b", { htaccess: "RewriteEngine On\nRewriteRule xa|ya - [F]" });
    expect(rolesIn(word)[0]).toBe("file 2: change this line");
  });

  test("is not the one that does not apply although it is right", () => {
    const host = (name: string) => [
      "<VirtualHost *:80>",
      `ServerName ${name}`,
      "DocumentRoot /srv/www",
      "</VirtualHost>",
    ];
    const grant22 = "<Directory /srv/www>\nOrder allow,deny\nAllow from all\n</Directory>";
    const lines = ["Listen 80", grant22, ...host("b.test"), ...host("a.test")];
    const text = textFor(lines, "/a.html", { release: "2.2" });
    expect(text).toContain("help: add `NameVirtualHost *:80` before the virtual hosts");
    expect(rolesIn(text)[0]).toBe("10: does not apply");
  });
});

describe("a port without a Listen line", () => {
  const host = ["<VirtualHost *:8080>", "DocumentRoot /srv/www", "</VirtualHost>"];
  test("has no connection, also with a virtual host", () => {
    const text = textFor(server("Listen 80", ...host), "/a.html", { port: 8080, host: "a.test:8080" });
    expect(text).toContain(
      "no connection: a `<VirtualHost>` opens no port; httpd listens only on `80`, so a client of port 8080 cannot connect (etc/httpd.conf:7:1)",
    );
    expect(text).toContain(
      "help: add `Listen 8080`; if a proxy or a container maps this port to another one, name that with `--port`",
    );
    expect(text).toContain("with such a line, the response would be:\n200 from /srv/www/a.html");
  });

  const https: Asked = { scheme: "https" };
  test("has no connection if it is the default of https", () => {
    expect(textFor(server("Listen 80", ...host), "/a.html", https)).toContain(
      "no connection: httpd listens only on `80`, so a client of port 443 cannot connect",
    );
    const skipped = ["<IfModule ssl_module>", "Listen 443", "</IfModule>"];
    const text = textFor(
      ["LoadModule dir_module modules/mod_dir.so", ...server("Listen 80", ...skipped)],
      "/a.html",
      https,
    );
    expect(text).toContain(
      "no connection: httpd skips the `Listen 443` in `<IfModule ssl_module>`, because `ssl_module` is not loaded, and listens only on `80`",
    );
    expect(text).toContain(
      "help: add a `LoadModule` line for `ssl_module`; `--modules=+ssl` shows the response with it",
    );
    // Other lines of such sections decide as well.
    expect(text).not.toContain("the response would be");
  });

  test("has no connection at an address on which httpd does not listen", () => {
    const loopback = server("Listen 127.0.0.1:80", ...host);
    expect(textFor(loopback, "/a.html", { serverIp: "10.0.0.5" })).toContain(
      "no connection: httpd listens only on `127.0.0.1:80`, so a client of 10.0.0.5 cannot connect",
    );
    expect(textFor(loopback, "/a.html", { serverIp: "10.0.0.5" })).toContain(
      "help: use `Listen 80` to listen on all addresses",
    );
    const own = server("Listen 10.0.0.5:80", ...host);
    expect(textFor(own, "/a.html", { serverIp: "127.0.0.1" })).toContain("no connection");
    // Twins: the address itself, any address, and a request that names none.
    for (const [lines, sent] of [
      [own, { serverIp: "10.0.0.5" }],
      [server("Listen 0.0.0.0:80", ...host), { serverIp: "10.0.0.5" }],
      [server("Listen [::]:80", ...host), { serverIp: "10.0.0.5" }],
      [server("Listen 127.0.0.1:80", "Listen 80", ...host), { serverIp: "10.0.0.5" }],
      [loopback, {}],
    ] as const)
      expect(textFor(lines, "/a.html", sent)).not.toContain("no connection");
  });

  test.each<[about: string, lines: readonly string[], sent: Asked]>([
    ["that is the default of https and listened on", server("Listen 80", "Listen 443", ...host), https],
    ["that is the default of http", server("Listen 8080", ...host), { scheme: "http" }],
    ["of a server without any Listen line", server(...host), https],
    ["that is listened on", server("Listen 80", "Listen 8080", ...host), { port: 8080 }],
    ["with an address", server("Listen 127.0.0.1:8080", ...host), { port: 8080 }],
    ["that the request does not name", server("Listen 8080", ...host), {}],
    ["of a server without any", server(...host), { port: 8080 }],
    ["with an unknown value", server("Listen ${PORT}", "Listen 80"), { port: 8080 }],
  ])("is not one %s", (_, lines, sent) => {
    expect(textFor(lines, "/a.html", sent)).not.toContain("no connection");
  });
});

describe("a backend", () => {
  test("gets its own name as the Host header", () => {
    const detail = "the backend gets `Host: 127.0.0.1:9090`; with `ProxyPreserveHost On`, `Host: a.test`";
    expect(textFor(server("ProxyPass / http://127.0.0.1:9090/"), "/x")).toContain(detail);
    expect(textFor(server("ProxyPass / http://u:secret@127.0.0.1:9090/"), "/x")).toContain(detail);
    const rule = ["RewriteEngine On", "RewriteRule ^/(.*) http://127.0.0.1:9090/$1 [P]"];
    expect(textFor(server(...rule), "/x")).toContain(detail);
  });

  test.each([
    ["ProxyPreserveHost On\nProxyPass / http://127.0.0.1:9090/"],
    ["ProxyPass / http://a.test/"],
    ["ProxyPass / balancer://b/\n<Proxy balancer://b>\nBalancerMember http://b.test\n</Proxy>"],
    ["ProxyPass / fcgi://127.0.0.1:9000/"],
    ['RequestHeader set Host "b.test"\nProxyPass / http://127.0.0.1:9090/'],
  ])("does not with: %s", (lines) => {
    expect(textFor(server(lines), "/x")).not.toContain("the backend gets");
  });

  test.each([
    ["ProxyPass / http://127.0.0.1:9090/ retry=0", "/x", "ProxyPassReverse / http://127.0.0.1:9090/"],
    ["ProxyPass /app http://127.0.0.1:9090/in", "/app/x", "ProxyPassReverse /app http://127.0.0.1:9090/in"],
    ["ProxyPass / unix:/run/a.sock|http://b.test/", "/x", "ProxyPassReverse / http://b.test/"],
    ["<Location /app>\nProxyPass http://b.test\n</Location>", "/app/x", "ProxyPassReverse http://b.test"],
    ["ProxyPass / http://b.test/\nProxyPassReverse / http://c.test/", "/x", "ProxyPassReverse / http://b.test/"],
  ])("redirects to itself with: %s", (lines, path, written) => {
    expect(textFor(server(lines), path)).toMatch(
      /a redirect of the backend to `http:[^/]*\/\/[^/`]*` reaches the client unchanged; with `(.*)` after this line, it leads/,
    );
    expect(textFor(server(lines), path)).toContain(`with \`${written}\` after this line`);
  });

  test.each([
    ["ProxyPass / http://b.test/\nProxyPassReverse / http://b.test/"],
    ["ProxyPass / http://b.test/\nProxyPassReverse / /"],
    ["ProxyPass / http://b.test/\n<Location />\nProxyPassReverse http://b.test/\n</Location>"],
    ["ProxyPass / http://b.test/\nHeader edit Location ^http://b.test https://a.test"],
    ["ProxyPass / http://b.test/\nProxyPreserveHost On"],
    ["ProxyPass / ws://b.test/"],
    ["ProxyPass / fcgi://127.0.0.1:9000/"],
    ["ProxyPass / balancer://b/\n<Proxy balancer://b>\nBalancerMember http://b.test\n</Proxy>"],
  ])("has redirects that need no line, or none, with: %s", (lines) => {
    expect(textFor(server(lines), "/x")).not.toContain("a redirect of the backend");
  });

  test("answers before a file with lines for the URL is read", () => {
    const lines = server("ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/www/$1");
    const htaccess = "RewriteEngine On\nRewriteRule ^old\\.php$ /new.html [R=301,L]";
    const text = textFor(lines, "/old.php", { htaccess });
    expect(text).toContain(
      "`.htaccess`: httpd does not read this file for the URL: `ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/www/$1` passes the request on before it is mapped to a directory",
    );
    expect(text).toContain('`<FilesMatch "\\.php$">`, `SetHandler "proxy:fcgi://127.0.0.1:9000"` and `</FilesMatch>`');
    // Twins: a file without a line for this URL, or with one for any.
    for (const other of ["RewriteEngine On\nRewriteRule ^x$ y", "RewriteEngine On\nRewriteRule . index.php"])
      expect(textFor(lines, "/old.php", { htaccess: other })).not.toContain("does not read this file");
    const handler = server('<FilesMatch "\\.php$">\nSetHandler "proxy:fcgi://127.0.0.1:9000"\n</FilesMatch>');
    expect(textFor(handler, "/old.php", { htaccess })).toContain("301 → http://a.test/new.html");
  });
});

describe("hosts with one name", () => {
  const host = (...lines: readonly string[]) => [
    "<VirtualHost *:80>",
    ...lines,
    "DocumentRoot /srv/www",
    "</VirtualHost>",
  ];
  test("are told apart by their order if the first one has a wildcard", () => {
    const [first, second] = [host("ServerName b.test", "ServerAlias *.test"), host("ServerName a.test")];
    expect(textFor(server(...first, ...second), "/a.html")).toContain(
      "help: move this virtual host before the `<VirtualHost *:80>` with `ServerAlias *.test`",
    );
    expect(textFor(server(...second, ...first), "/a.html")).not.toContain("help: move");
  });

  test("lose the name that the first one has as an alias", () => {
    const lines = [...host("ServerName b.test", "ServerAlias c.test a.test"), ...host("ServerName a.test")];
    expect(textFor(server(...lines), "/a.html")).toContain("help: delete `a.test` from `ServerAlias c.test a.test`");
  });
});

describe("other changes", () => {
  test("are for a client of a proxy that an address rule allows", () => {
    const lines = server("<Location /a.html>", "Require local", "</Location>");
    const headers = { "X-Forwarded-For": "203.0.113.9" };
    const sent = { clientIp: "127.0.0.1", peerIp: "127.0.0.1", headers };
    expect(textFor(lines, "/a.html", sent)).toContain("httpd ignores `X-Forwarded-For`, so the client is 127.0.0.1");
    expect(textFor(server(), "/a.html", sent)).not.toContain("httpd ignores");
  });

  test("load the module of a section with rules", () => {
    const modules = ["unixd", "authz_core", "dir"].map((name) => `LoadModule ${name}_module modules/mod_${name}.so`);
    const section = (name: string) => `<IfModule ${name}>\nRewriteEngine On\nRewriteRule ^x a.html\n</IfModule>`;
    const skipped = "httpd skips this section: `rewrite_module` is not loaded";
    for (const name of ["mod_rewrite.c", "rewrite_module"]) {
      const text = textFor([...modules, ...server()], "/x", { htaccess: section(name) });
      expect(text).toContain(`\`<IfModule ${name}>\`: ${skipped}`);
      expect(text).toContain("help: add a `LoadModule` line for `rewrite_module`");
    }
    // Twins: the file exists, another module, and modules that are not known.
    const asked = { htaccess: section("mod_rewrite.c") };
    expect(textFor([...modules, ...server()], "/a.html", asked)).not.toContain(skipped);
    expect(textFor([...modules, ...server()], "/x", { htaccess: section("mod_expires.c") })).not.toContain("skips");
    expect(textFor(server(), "/x", asked)).not.toContain(skipped);
  });

  test("separate two words of a condition", () => {
    const text = (line: string) =>
      textFor(server(), "/a.html", { htaccess: `RewriteEngine On\n${line}\nRewriteRule ^x$ y` });
    expect(text("RewriteCond %{REQUEST_FILENAME}!-f")).toContain("add a space: `RewriteCond %{REQUEST_FILENAME} !-f`");
    expect(text("RewriteRule ^a$index.php")).toContain("add a space: `RewriteRule ^a$ index.php`");
    expect(text("RewriteCond %{HTTPS}")).toContain("help: add the missing argument");
    expect(text("RewriteRule ^a$")).toContain("help: add the missing argument");
  });

  test("are for a file with an inner extension", () => {
    const lines = server("AddHandler application/x-httpd-php .php");
    expect(textFor(lines, "/a.php.jpg")).toContain('help: use `<FilesMatch "\\.php$">` with');
    expect(textFor(lines, "/a.php")).not.toContain("FilesMatch");
  });
});

describe("a line that changes the response", () => {
  const twice = ['Header always set X-A "1"', "<Directory /srv/www>", 'Header set X-A "1"', "</Directory>"];
  const modules = (...names: readonly string[]) =>
    names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`);
  const usual = modules("headers", "expires", "dir", "alias", "mime", "authz_core", "deflate");

  test.each<[about: string, lines: readonly string[], path: string, shown: string]>([
    ["a header that is sent twice", twice, "/a.html", "help: delete one of the lines"],
    ["a type that no file has", ["ExpiresActive On", "ExpiresByType image/jpg A60"], "/a.jpg", "use `image/jpeg`"],
    ["a list of types", ["ExpiresActive On", 'ExpiresByType "text/html,text/css" A60'], "/a.html", "use one line for"],
    ["swapped arguments", ["AddCharset .html utf-8"], "/a.html", "help: swap the arguments"],
    ["an unknown filter", ["SetOutputFilter DEFLAT"], "/a.html", "help: use `DEFLATE`"],
  ])("is shown with its finding: %s", (_, lines, path, shown) => {
    expect(textFor([...usual, ...server(...lines)], path)).toContain(shown);
  });

  const section = (name: string, ...lines: readonly string[]) => [`<${name}>`, ...lines, `</${name.split(" ")[0]}>`];
  test.each<[about: string, lines: readonly string[], path: string, hidden: string]>([
    ["for another type", ["ExpiresActive On", "ExpiresByType image/jpg A60"], "/a.html", "image/jpeg"],
    ["for another extension", ["AddCharset .css utf-8"], "/a.html", "swap the arguments"],
    [
      "in a section for other paths",
      section("Location /b", ...twice.slice(0, 1), 'Header set X-A "1"'),
      "/a.html",
      "X-A",
    ],
    ["of a response that is denied", [...twice, ...section("Location /", "Require all denied")], "/a.html", "X-A"],
    ["of a redirect", [...twice, "Redirect /a.html http://b.test/"], "/a.html", "X-A"],
    ["of a response that another cause explains", [...twice, "Redirect / http://a.test/"], "/a.html", "X-A"],
  ])("is not shown %s", (_, lines, path, hidden) => {
    const text = textFor([...usual, ...server(...lines)], path);
    const end = text.indexOf("response headers\n");
    expect(text.slice(0, end < 0 ? text.indexOf("steps, in order") : end)).not.toContain(hidden);
    expect(text).not.toContain("`check` reports");
  });
});

describe("an exposed file", () => {
  const text = (lines: readonly string[], path: string, listed: readonly string[]) => {
    const access = memoryAccess({ "/etc/httpd.conf": `${lines.join("\n")}\n` });
    const loaded = loadProject("/etc/httpd.conf", { access, release: "2.4", htaccess: true, kind: "server" });
    if (!loaded.ok) throw new Error(loaded.error);
    const tree = createListedFiles(listed.map((each) => `/srv/www/${each}`));
    const request = { method: "GET", path, host: "a.test", clientIp: "192.0.2.7" };
    const found = answer(loaded.value, request, { files: tree });
    return findLineAdvice(loaded.value, tree, found).map(({ rule }) => rule);
  };
  const alias = ["Alias /files /srv/www/intern"];
  const login = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];
  const guarded = ["<Location /intern>", ...login, "</Location>"];
  const listed = ["index.html", ".env", ".git/config", ".git/HEAD", "a.css", "intern/a.txt", "intern/b.txt"];

  test.each<[about: string, path: string, lines: readonly string[]]>([
    ["that is private", "/.env", []],
    ["of a repository", "/.git/config", []],
    ["of a repository, another one", "/.git/HEAD", []],
  ])("%s", (_, path, lines) => {
    expect(text(server(...lines), path, listed)).toEqual(["exposed-private-file"]);
  });

  test.each(["/files/a.txt", "/files/b.txt"])("that another URL protects: %s", (path) => {
    expect(text(server(...alias, ...guarded), path, listed)).toEqual(["open-second-url"]);
  });

  test.each<[about: string, path: string, lines: readonly string[]]>([
    ["another file of the same directory", "/a.css", []],
    ["one that is denied", "/.env", ["<Files .env>", "Require all denied", "</Files>"]],
    ["one of another directory than the protected one", "/a.css", [...alias, ...guarded]],
    ["one that is protected", "/intern/a.txt", [...alias, ...guarded]],
    [
      "one that is protected at both URLs",
      "/files/a.txt",
      [...alias, ...guarded, ...guarded.with(0, "<Location /files>")],
    ],
  ])("is not %s", (_, path, lines) => {
    const rules = text(server(...lines), path, listed);
    expect(rules.filter((rule) => rule === "open-second-url" || rule === "exposed-private-file")).toEqual([]);
  });
});
