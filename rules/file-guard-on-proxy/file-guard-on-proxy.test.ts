import { describe, expect, test } from "vitest";
import { findingsOf, onServer, section, textOf } from "../../test/support/rules.js";
import { fileGuardOnProxy } from "./file-guard-on-proxy.js";

const granted = section('Directory "/srv"', "Require all granted");
const check = (...lines: readonly string[]) =>
  findingsOf([fileGuardOnProxy], onServer(granted, `${lines.join("\n")}\n`), {
    files: { "/srv/app/.htaccess": "Require all denied\n", "/srv/index.html": "" },
  });
const restricted = section('Directory "/srv/a"', "Require ip 192.0.2.1");
const proxied = 'ProxyPass "/" "http://192.0.2.9/"';
const php = 'ProxyPassMatch "^/(.*\\.php)$" "fcgi://127.0.0.1:9000/srv/$1"';

test("reports a directory that a backend serves", () => {
  expect(check('ProxyPass "/a" "http://192.0.2.9/a"', restricted)).toEqual([
    {
      rule: "file-guard-on-proxy",
      severity: "error",
      at: "7:1-7:21",
      text: "Require ip 192.0.2.1",
      message: "`Require ip 192.0.2.1` does not apply to proxied requests",
      notes: [
        "sections by directory or file name apply only to files of this server",
        "GET `/a/index.html` from 203.0.113.9 returns 200 from the backend",
      ],
      help: ['move the access rules into `<Location "/a">`'],
      related: ["httpd.conf:5:1: passes the request to the backend"],
    },
  ]);
});

const login = ["AuthType Basic", "AuthName a", "AuthUserFile /users", "Require valid-user"];

test.each([
  ["a file", [proxied, section('Files "admin.php"', ...login)], "GET `/admin.php`"],
  ["a denied directory", [proxied, section('Directory "/srv/a"', "Require all denied")], "GET `/a/index.html`"],
  ["the document root", [proxied, section('Directory "/srv"', ...login)], "GET `/index.html`"],
  ["scripts of a directory", [php, restricted], "GET `/a/index.php`"],
  [
    "scripts of a directory with a .htaccess file",
    [php, section('Directory "/srv"', "AllowOverride All")],
    "GET `/app/index.php`",
  ],
  [
    "the document root of an allowed network",
    [proxied, section('Directory "/srv"', "Require ip 203.0.113.0/24")],
    "GET `/index.html` from 198.51.100.9",
  ],
  [
    "a directory above the document root",
    [proxied, section('DirectoryMatch "^/s"', ...login)],
    "returns 200 from the backend",
  ],
  ["every file", [proxied, section('Files "*"', "Require ip 192.0.2.1")], "returns 200 from the backend"],
  ["a rule with P", ["RewriteEngine On", "RewriteRule ^/(.*)$ http://192.0.2.9/$1 [P]", restricted], "`/a/index.html`"],
  ["mod_access_compat", [proxied, section('Directory "/srv/a"', "Deny from all")], "GET `/a/index.html`"],
])("reports %s", (_, lines, request) => {
  expect(
    check(...lines)
      .map(textOf)
      .join(),
  ).toContain(request);
});

test.each([
  ["a section by URL", [proxied, section('Location "/a"', "Require ip 192.0.2.1")]],
  ["a backend for other URLs", ['ProxyPass "/b" "http://192.0.2.9/"', restricted]],
  ["a path that is excluded from the proxy", ['ProxyPass "/a" "!"', proxied, restricted]],
  ["the whole disk", [proxied, section('Directory "/"', "Require all denied")]],
  ["the whole document root", [proxied, section('Directory "/srv"', "Require all denied")]],
  ["hidden files", [proxied, section('FilesMatch "^\\.ht"', "Require all denied")]],
  ["a .htaccess file", [proxied, section('Directory "/srv"', "AllowOverride All")]],
  ["another virtual host", [restricted, section("VirtualHost *:80", 'DocumentRoot "/srv"', proxied)]],
  ["PHP by a handler", [section('FilesMatch "\\.php$"', 'SetHandler "proxy:fcgi://127.0.0.1:9000"'), restricted]],
  ["a section that allows every client", [proxied, section('Directory "/srv/a"', "Require all granted")]],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", proxied, restricted]],
  ["the same rules in a section by URL", [proxied, restricted, section('Location "/"', "Require ip 192.0.2.1")]],
  ["a part that is excluded", ['ProxyPass "/a/img" "!"', proxied, restricted]],
  ["a part that a section excludes", [section('Location "/a/img"', 'ProxyPass "!"'), proxied, restricted]],
  ["a part with an Alias", ['ProxyPass "/img" "!"', proxied, 'Alias "/img" "/srv/a/img"', restricted]],
  [
    "a rule with P of a directory",
    [
      section(
        'Directory "/srv/a"',
        "Require ip 192.0.2.1",
        "RewriteEngine On",
        "RewriteRule ^(.*)$ http://192.0.2.9/$1 [P]",
      ),
    ],
  ],
  [
    "a directory that another virtual host serves",
    [
      "RewriteEngine On",
      "RewriteRule ^/(.*)$ http://192.0.2.9/$1 [P]",
      section('Directory "/srv"', "Require ip 192.0.2.1"),
      section("VirtualHost *:80", "ServerName a.test", 'DocumentRoot "/srv"'),
    ],
  ],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});

describe("of a virtual host on its own, it reports", () => {
  const host = (...lines: readonly string[]) =>
    findingsOf([fileGuardOnProxy], section("VirtualHost *:80", "ServerName a.test", 'DocumentRoot "/srv"', ...lines), {
      kind: "fragment",
    }).map(({ help }) => help);
  const restrictedRoot = section('Directory "/srv"', "Require ip 192.0.2.1");

  test.each([
    ["a network", [restrictedRoot, proxied]],
    ["a login", [section('Directory "/srv"', ...login), proxied]],
    ["every directory", [section('Directory "/"', "Require ip 192.0.2.1"), proxied]],
  ])("%s", (_, lines) => {
    expect(host(...lines)).toEqual([['move the access rules into `<Location "/">`']]);
  });

  test.each([
    ["a section by URL", [restrictedRoot, section('Location "/"', "Require ip 192.0.2.1"), proxied]],
    ["other URLs", [restrictedRoot, 'ProxyPass "/app" "http://192.0.2.9/"']],
    ["an exception", [restrictedRoot, 'ProxyPass "/img" "!"', proxied]],
    ["a section that allows every client", [section('Directory "/srv"', "Require all granted"), proxied]],
  ])("nothing of %s", (_, lines) => {
    expect(host(...lines)).toEqual([]);
  });
});
