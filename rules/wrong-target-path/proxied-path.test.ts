import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const proxiedPath = onlyVariant(wrongTargetPath, "proxied-path");

const check = (...lines: readonly string[]) =>
  findingsOf(
    [proxiedPath],
    wholeServer(
      ...["alias", "dir", "mime", "proxy", "proxy_http", "proxy_fcgi", "rewrite"].map(
        (name) => `LoadModule ${name}_module mod_${name}.so`,
      ),
      "Listen 80",
      section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv", ...lines),
    ),
  ).map(({ severity, text, notes }) => [severity, text, notes?.[0]]);

describe("a ProxyPassMatch without a reference", () => {
  test.each([
    ["ProxyPassMatch ^/app/.*$ http://b.test/app/", "warning"],
    ["ProxyPassMatch ^/app/(.*)$ http://b.test/app", "warning"],
    ["ProxyPassMatch ^/a/b/ ws://b.test:81/a/b/", "warning"],
    ["ProxyPassMatch ^/x/.*\\.jsp$ http://b.test/", "info"],
  ])("%s", (line, severity) => {
    expect(check(line)).toMatchObject([[severity, line.split(" ")[2], expect.stringContaining(" leads to ")]]);
  });

  test.each([
    "ProxyPassMatch ^/app/(.*)$ http://b.test/app/$1",
    "ProxyPassMatch ^/.*\\.jsp$ http://b.test:8080",
    "ProxyPassMatch ^/app/.*$ http://b.test/v1",
    "ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/www",
    "ProxyPassMatch ^/app/ !",
    "ProxyPass /app/ http://b.test/app/",
    // Another line takes the requests.
    "ProxyPass / http://b.test/\nProxyPassMatch ^/app/.*$ http://b.test/app/",
  ])("not %j", (lines) => {
    expect(check(lines)).toEqual([]);
  });
});

describe("in a part of a server", () => {
  const inPart = (...lines: readonly string[]) =>
    findingsOf([proxiedPath], section("VirtualHost *:80", "ServerName a.test", ...lines), { kind: "fragment" }).map(
      ({ text }) => text,
    );

  test.each([
    ["ProxyPassMatch ^/app/.*$ http://b.test/app/", "http://b.test/app/"],
    ["ProxyPassMatch ^/api/v1(.*)$ http://b.test:81/api/v1", "http://b.test:81/api/v1"],
  ])("%s", (line, target) => {
    expect(inPart(line)).toEqual([target]);
  });

  test.each([
    "ProxyPassMatch ^/app/(.*)$ http://b.test/app/$1",
    "ProxyPassMatch ^/app/.*$ http://b.test",
    "ProxyPassMatch ^/x/.*\\.jsp$ http://b.test/",
    "ProxyPassMatch ^/app/.*$ balancer://b",
    "ProxyPassMatch ^/app/.*$ ws://b.test/socket/",
    "ProxyPass /test.html/ !\nProxyPass / http://b.test/",
  ])("not %j", (lines) => {
    expect(inPart(lines)).toEqual([]);
  });

  test("not outside of a virtual host", () => {
    const line = "ProxyPassMatch ^/app/.*$ http://b.test/app/\n";
    expect(findingsOf([proxiedPath], line, { kind: "fragment" })).toEqual([]);
  });
});

describe("an exception for a file with a slash at its end", () => {
  const all = "ProxyPass / http://b.test/";

  test.each(["/test.html/", "/sitemap.xml/", "/a/b.php/"])("%s", (path) => {
    const line = `ProxyPass ${path} !`;
    expect(check(line, all)).toEqual([["warning", line, expect.stringContaining("http://b.test/")]]);
    expect(check(line)).toEqual([]);
    expect(check(line.replace("/ !", " !"), all)).toEqual([]);
  });

  test.each(["/media/", "/v1.2/", "/.well-known/"])("not the directory %s", (path) => {
    expect(check(`ProxyPass ${path} !`, all)).toEqual([]);
  });
});

describe("a handler with a backend of HTTP", () => {
  // A server answers from `http://127.0.0.1:8080/srv/app` (2.4.62).
  test.each([
    ["Location /app", "proxy:http://127.0.0.1:8080"],
    ["Location /app", "proxy:http://127.0.0.1:8080/"],
    ["Location /app", "proxy:unix:/run/app.sock|http://localhost"],
    ["Directory /srv/app", "proxy:http://10.0.0.5:8009"],
  ])("<%s> %s", (tag, handler) => {
    expect(check(section(tag, `SetHandler "${handler}"`))).toEqual([
      ["warning", `"${handler}"`, expect.stringContaining("/srv/app")],
    ]);
  });

  test.each([
    section("Location /app", 'SetHandler "proxy:fcgi://127.0.0.1:9000"'),
    section("Location /app", "ProxyPass http://127.0.0.1:8080"),
    section("Location /app", "SetHandler server-status"),
    // Another line takes the requests.
    `ProxyPass /app http://10.0.0.5/app\n${section("Location /app", 'SetHandler "proxy:http://127.0.0.1:8080"')}`,
  ])("not %j", (lines) => {
    expect(check(lines)).toEqual([]);
  });
});

describe("a rule of a directory that proxies its index file", () => {
  const inDirectory = (...lines: readonly string[]) =>
    check(section("Directory /srv", "Options FollowSymLinks", "Require all granted", "RewriteEngine On", ...lines));
  const rule = "RewriteRule ^(.*)$ http://10.0.0.5:8080/$1 [P]";

  // A server asks the backend for `/index.html`, also without such a file (2.4.62).
  test.each([[[rule]], [["DirectoryIndex home.html", rule]], [["RewriteRule (.*) http://10.0.0.5:8080/$1 [P,L]"]]])(
    "%j",
    (lines) => {
      expect(inDirectory(...lines)).toEqual([
        ["warning", lines.at(-1), expect.stringMatching(/8080\/(?:index|home)\.html/)],
      ]);
      expect(inDirectory(...lines, "DirectoryIndex disabled")).toEqual([]);
    },
  );

  test.each([
    "RewriteRule ^api/(.*)$ http://10.0.0.5:8080/$1 [P]",
    "RewriteRule ^(.*)$ http://10.0.0.5:8080/$1 [R]",
    "RewriteRule ^ http://10.0.0.5:8080/index.html [P]",
    "RewriteRule ^(.+)\\.jsp$ http://10.0.0.5:8080/$1.jsp [P]",
  ])("not %s", (line) => {
    expect(inDirectory(line)).toEqual([]);
  });

  test("not in a virtual host, where rules run before the index is looked up", () => {
    expect(check("RewriteEngine On", "RewriteRule ^/(.*)$ http://10.0.0.5:8080/$1 [P]")).toEqual([]);
  });
});

describe("of a file on its own, a rule of a directory that proxies its index file", () => {
  const found = (text: string, kind: "fragment" | "htaccess") =>
    findingsOf([onlyVariant(wrongTargetPath, "proxied-path")], text, { kind }).map(({ text: line }) => line);
  const rules = "RewriteEngine On\nRewriteRule ^(.*)$ http://10.0.0.5:8080/$1 [P]\n";
  const host = (lines: string) => section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv", lines);

  test("is reported", () => {
    const line = "RewriteRule ^(.*)$ http://10.0.0.5:8080/$1 [P]";
    expect(found(rules, "htaccess")).toEqual([line]);
    expect(found(host(section("Directory /srv", rules)), "fragment")).toEqual([line]);
  });

  test.each([
    ["DirectoryIndex disabled", `${rules}DirectoryIndex disabled\n`],
    ["a part of the paths", rules.replace("^(.*)", "^api/(.*)")],
    ["a condition on files", rules.replace("Rule", "Cond %{REQUEST_URI} \\.php$\nRewriteRule")],
  ])("is not reported with %s", (_, text) => {
    expect(found(text, "htaccess")).toEqual([]);
    expect(found(host(section("Directory /srv", text)), "fragment")).toEqual([]);
  });
});
