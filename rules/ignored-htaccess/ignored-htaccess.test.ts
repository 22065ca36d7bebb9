import { describe, expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { ignoredHtaccess } from "./ignored-htaccess.js";

const check = (text: string, lines: string, ...files: readonly string[]) =>
  findingsOf([ignoredHtaccess], text, {
    files: {
      "/srv/a/.htaccess": `${lines}\n`,
      ...Object.fromEntries(["/srv/a/f.txt", ...files].map((path) => [path, "x"])),
    },
  });
const inRoot = (...lines: readonly string[]) => onServer(section('Directory "/srv"', ...lines));
const open = inRoot("AllowOverride None", "Require all granted");

test("reports a file that no request reads", () => {
  expect(check(open, "Require all denied")).toEqual([
    {
      rule: "ignored-htaccess",
      severity: "error",
      at: "1:1-1:19",
      text: "Require all denied",
      message: "`Require all denied` has no effect: `AllowOverride None` applies",
      notes: ["httpd does not read this file", "GET `/a/f.txt` from 203.0.113.9 returns 200"],
      help: ["move the lines to a `<Directory>` section, or set `AllowOverride AuthConfig`"],
      related: ["httpd.conf:3:1: ignores the file"],
    },
  ]);
});

test.each([
  ["a required user", "AuthType Basic\nAuthName a\nAuthUserFile /u\nRequire valid-user", "AuthConfig"],
  ["a required address", "Require ip 10", "AuthConfig"],
  ["mod_access_compat", "Order allow,deny\nDeny from all", "Limit"],
])("reports %s", (_, lines, override) => {
  expect(check(open, lines).map(({ help }) => help)).toEqual([
    [`move the lines to a \`<Directory>\` section, or set \`AllowOverride ${override}\``],
  ]);
});

test.each([
  ["a file that is read", inRoot("AllowOverride AuthConfig", "Require all granted"), "Require all denied"],
  ["a server without AllowOverride, which returns 500", inRoot("Require all granted"), "Require all denied"],
  ["a file that allows every client", open, "Require all granted"],
  ["a file with alternatives", open, "Require ip 10\nRequire all granted"],
  ["a file without access rules", open, "Options None"],
  ["a server that also denies the client", inRoot("AllowOverride None", "Require all denied"), "Require all denied"],
  ["a section that overrides the file", open + section("Location /a", "Require all granted"), "Require all denied"],
  ["the same rule in a section", open + section('Directory "/srv/a"', "Require all denied"), "Require all denied"],
  ["a server on the loopback address", `Listen 127.0.0.1:80\n${open}`, "Require all denied"],
])("does not report %s", (_, text, lines) => {
  expect(check(text, lines)).toEqual([]);
});

describe("a file with other lines", () => {
  const front = "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /a/f.txt [L]";
  const links = inRoot("AllowOverride None", "Options FollowSymLinks", "Require all granted");

  test("is reported with a request that gets another answer", () => {
    expect(check(links, front)).toEqual([
      {
        rule: "ignored-htaccess",
        severity: "warning",
        at: "3:1-3:27",
        text: "RewriteRule . /a/f.txt [L]",
        message: "`RewriteRule . /a/f.txt [L]` has no effect: `AllowOverride None` applies",
        notes: [
          "httpd does not read this file",
          "GET `/a/page` from 203.0.113.9 returns 404; with the file, the status would be 200",
        ],
        help: ["move the lines to a `<Directory>` section, or set `AllowOverride All` there"],
        related: ["httpd.conf:3:1: ignores the file"],
      },
    ]);
  });

  test.each([
    ["a Redirect", links, "Redirect /a/old /a/f.txt"],
    ["a RedirectMatch", links, "RedirectMatch ^/a/o.d$ /a/f.txt"],
    ["a rule that redirects", links, "RewriteEngine On\nRewriteRule ^old$ /a/f.txt [R=301]"],
    ["an index file", links, "DirectoryIndex f.txt"],
    ["a server on the loopback address", `Listen 127.0.0.1:80\n${links}`, front],
    [
      "a virtual host",
      section('Directory "/"', "AllowOverride None") + section("VirtualHost *:80", "ServerName a.test", links),
      front,
    ],
    [
      "a directory with an Alias",
      `Alias /x /srv/a\n${section("Directory /srv/a", "AllowOverride None", "Options FollowSymLinks", "Require all granted")}`,
      "Redirect /x/old /x/f.txt",
    ],
  ])("is reported: %s", (_, text, lines) => {
    expect(check(text, lines)).toHaveLength(1);
  });

  test.each([
    ["a server that reads it", links.replace("None", "All"), front],
    ["the same rules in a section", links + section('Directory "/srv/a"', front), front],
    ["lines that only other modules use", links, "ExpiresActive On\nphp_value a b"],
    ["rules that are off", links, front.replace("On", "Off")],
    ["a rule that denies", links, "RewriteEngine On\nRewriteRule ^old$ - [F]"],
    ["a directory that no server serves", section('Directory "/srv/a"', "AllowOverride None"), front],
    ["a server that denies the directory", links + section('Directory "/srv/a"', "Require all denied"), front],
  ])("is not reported: %s", (_, text, lines) => {
    expect(check(text, lines)).toEqual([]);
  });
});

test("does not report a directory without files", () => {
  const files = { "/srv/a/.htaccess": "Require all denied\n", "/srv/x.txt": "x" };
  expect(findingsOf([ignoredHtaccess], open, { files })).toEqual([]);
});

describe("a file that one virtual host reads", () => {
  const inDirectory = (override: string) =>
    section("Directory /srv", `AllowOverride ${override}`, "Require all granted");
  const host = (name: string, root: string, ...lines: readonly string[]) =>
    section("VirtualHost *:80", `ServerName ${name}`, `DocumentRoot "${root}"`, ...lines);
  const reader = host("a.test", "/srv", inDirectory("All"));
  const granted = section("Directory /srv", "Require all granted");

  test.each([
    [
      "another virtual host with the directory as its DocumentRoot",
      host("b.test", "/srv/a", inDirectory("None")),
      "http://b.test/f.txt",
    ],
    [
      "another virtual host with an Alias",
      host("b.test", "/www", 'Alias "/x" "/srv"', inDirectory("None")),
      "http://b.test/x/a/f.txt",
    ],
  ])("is reported for %s", (_, other, url) => {
    expect(check(`Listen 80\n${reader}${other}`, "Require all denied")).toMatchObject([
      {
        message: "a virtual host ignores `Require all denied`: `AllowOverride None` applies",
        notes: [
          "the virtual host also serves this directory, but does not read this file",
          `GET \`${url}\` from 203.0.113.9 returns 200`,
        ],
      },
    ]);
  });

  test.each([
    ["another virtual host that reads it", reader + host("b.test", "/srv/a", inDirectory("All"))],
    [
      "an AllowOverride of the main server",
      section("Directory /srv", "AllowOverride All") + granted + reader + host("b.test", "/srv/a"),
    ],
    ["a virtual host with another directory", reader + host("b.test", "/www", inDirectory("None"))],
  ])("is not reported for %s", (_, text) => {
    expect(check(`Listen 80\n${text}`, "Require all denied")).toEqual([]);
  });

  const rules = "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /a/f.txt [L]";
  const follows = (...lines: readonly string[]) =>
    section("Directory /srv", "Options FollowSymLinks", "Require all granted", ...lines);
  const readsRules = host("a.test", "/srv", follows("AllowOverride All"));
  const none = section("Directory /", "AllowOverride None");

  test.each<[what: string, text: string]>([
    ["AllowOverride None", readsRules + host("b.test", "/srv", follows("AllowOverride None"))],
    ["no AllowOverride of its own", none + readsRules + host("b.test", "/srv", follows())],
  ])("is reported with its rules for another virtual host with %s", (_, text) => {
    expect(check(`Listen 80\n${text}`, rules)).toMatchObject([
      {
        severity: "warning",
        message: "a virtual host ignores `RewriteRule . /a/f.txt [L]`: `AllowOverride None` applies",
        notes: [
          "the virtual host also serves this directory, but does not read this file",
          "GET `http://b.test/a/page` from 203.0.113.9 returns 404; with the file, the status would be 200",
        ],
        help: ["set `AllowOverride All` in a `<Directory>` section of this virtual host, too"],
      },
    ]);
  });

  test.each<[what: string, text: string]>([
    ["reads it", readsRules + host("b.test", "/srv", follows("AllowOverride FileInfo"))],
    ["redirects each request", readsRules + none + host("b.test", "/srv", "Redirect / https://a.test/")],
    ["serves another directory", readsRules + host("b.test", "/www", follows("AllowOverride None"))],
    [
      "has the rules itself",
      readsRules +
        host("b.test", "/srv", follows("AllowOverride None"), section("Directory /srv/a", ...rules.split("\n"))),
    ],
  ])("is not reported with its rules for another virtual host that %s", (_, text) => {
    expect(check(`Listen 80\n${text}`, rules)).toEqual([]);
  });
});
