import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, lintText, onServer, section } from "../../test/support/rules.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { redundantHostRules } from "./redundant-host-rules.js";

const check = (text: string, given?: Given) => findingsOf([redundantHostRules], text, given);
const users = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];
const off = ["Order allow,deny", "Allow from all", "Satisfy all"];

test("reports lines that only disable host access control", () => {
  const text = onServer(section('Directory "/srv"', ...users, ...off));
  expect(check(text)).toEqual([
    {
      rule: "redundant-host-rules",
      severity: "info",
      at: "7:1-7:17",
      text: "Order allow,deny",
      message: "`Order`, `Allow` and `Satisfy` have no effect: they allow every client",
      notes: [
        "`Require` already asks for a user",
        "GET `/index.html` from 203.0.113.9 returns 401 with and without them",
      ],
      help: ["delete them"],
      related: ["httpd.conf:8:1: also has no effect", "httpd.conf:9:1: also has no effect"],
    },
  ]);
});

test("has a safe fix that deletes the lines if a proof shows that this changes nothing", () => {
  const text = onServer(section('Directory "/srv"', ...users, ...off));
  const [fix] = lintText([redundantHostRules], text).map((finding) => finding.fix);
  expect(fix?.safety).toBe("safe");
  const fixed = [...(fix?.edits ?? [])]
    .reverse()
    .reduce(
      (before, { span, text: inserted }) => before.slice(0, span.start) + inserted + before.slice(span.end),
      text,
    );
  expect(fixed).toBe(onServer(section('Directory "/srv"', ...users)));
});

describe("lines that state something", () => {
  const login = section('Directory "/srv"', ...users);
  const outcome = (text: string) =>
    lintText([redundantHostRules], text).map(({ message, help, fix }) => ({
      message,
      help,
      fix: fix && [fix.title, fix.safety, applyEdits(text, fix.edits)],
    }));

  test("that every client is allowed, below an inherited login, become `Require all granted`", () => {
    const inner = section('Directory "/srv/pub"', "Options None", "    Order allow,deny", "    Allow from all");
    expect(outcome(onServer(login, inner))).toEqual([
      {
        message: "`Order` and `Allow` allow every client, but the inherited `Require valid-user` applies",
        help: ["to allow every client without a login, use `Require all granted` instead"],
        fix: [
          "Replace with `Require all granted`",
          "unsafe",
          onServer(login, section('Directory "/srv/pub"', "Options None", "    Require all granted")),
        ],
      },
    ]);
  });

  test("that the Satisfy is the default, below an inherited login, are deleted only as an unsafe fix", () => {
    const inner = section('Directory "/srv/pub"', "Satisfy all");
    expect(outcome(onServer(login, inner))[0]?.fix?.slice(0, 2)).toEqual(["Delete the redundant lines", "unsafe"]);
  });

  test("about some clients are not deleted", () => {
    const listed = section('Directory "/srv"', ...users, "Order deny,allow", "Allow from 192.0.2.7");
    expect(outcome(onServer(listed))).toEqual([
      {
        message: "`Order` and `Allow` restrict nothing: the section has no `Deny`",
        help: [
          "to require a login from a listed address, use `Order allow,deny`",
          "to allow the listed clients without a login, add `Deny from all` and `Satisfy any`",
        ],
        fix: undefined,
      },
    ]);
  });
});

test("has an unsafe fix if too many hosts prevent a proof", () => {
  const lines = section('Directory "/srv"', ...users, ...off);
  const hosts = Array.from({ length: 200 }, (_, n) => section("VirtualHost *:80", `ServerName h${n}.test`));
  const safetyOf = (text: string) => lintText([redundantHostRules], text).map(({ fix }) => fix?.safety);
  expect(safetyOf(onServer(lines, ...hosts.slice(0, 3)))).toEqual(["safe"]);
  expect(safetyOf(onServer(lines, ...hosts))).toEqual(["unsafe"]);
});

test("reports `Satisfy All` as the default, which does not allow clients", () => {
  const text = onServer(section("Location /a", ...users, "Satisfy All"));
  expect(check(text).map(({ message }) => message)).toEqual(["`Satisfy All` has no effect: it is the default"]);
});

describe("reports", () => {
  test.each([
    ["only Satisfy All", section("Location /a", ...users, "Satisfy ALL")],
    ["only Allow from all", section("Location /a", ...users, "Allow from all")],
    ["only an Order", section("Location /a", ...users, "Order deny,allow")],
    ["an Allow that changes nothing", section("Location /a", ...users, "Order deny,allow", "Allow from 10")],
    ["lines beside an inherited required user", section('Directory "/srv"', ...users), section("Location /a", ...off)],
    [
      "lines that replace equal inherited lines",
      section('Directory "/srv"', ...off),
      section("Location /a", ...users, ...off),
    ],
    [
      "lines beside a container",
      section(
        "Location /a",
        ...users.slice(0, 3),
        "<RequireAll>",
        "Require ip 10",
        "Require valid-user",
        "</RequireAll>",
        ...off,
      ),
    ],
    [
      "lines beside unrelated sections",
      section('Directory "/srv/b"', "Deny from all"),
      section('Files ".ht*"', "Deny from all"),
      section("VirtualHost 192.0.2.1:80", section("Location /", "Deny from all")),
      section('Directory "/srv/a"', ...users, ...off),
    ],
    [
      "lines beside a Location with another path",
      section("Location /b", "Deny from all"),
      section("Location /a", ...users, ...off),
    ],
    ["lines in a virtual host", section("VirtualHost *:80", section("Location /a", ...users, ...off))],
    ["lines for files", section('FilesMatch "\\.cgi$"', ...users, ...off)],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections)).at(-1)?.text).toMatch(/^(?:Order|Allow|Satisfy) /);
  });

  test("lines in a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All"));
    expect(check(main, { files: { "/srv/a/.htaccess": [...users, ...off].join("\n") } })).toHaveLength(1);
  });
});

describe("does not report", () => {
  const closed = section('Directory "/srv"', "Order deny,allow", "Deny from all");
  test.each([
    ["Satisfy Any, with which no user is required", section("Location /a", ...users, "Allow from all", "Satisfy any")],
    ["lines that deny some clients", section("Location /a", ...users, "Order allow,deny", "Allow from 10")],
    ["a Deny", section("Location /a", ...users, "Order deny,allow", "Deny from 10.66")],
    ["lines that override inherited ones", closed, section("Location /a", ...users, ...off)],
    [
      "lines that override those of files by name",
      section('Files "x.inc"', "Deny from all"),
      section("LocationMatch ^/", ...users, ...off),
    ],
    [
      "lines that override those of files below",
      section("Files index.html", "Order allow,deny", "Allow from all", "Deny from 10"),
      section("Location /e", ...users, ...off),
    ],
    [
      "lines that override those of a directory below",
      section('Directory "/srv/e/f"', "Deny from all"),
      section("Location /e", ...users, ...off),
    ],
    [
      "lines that override those of a Location below",
      section("Location /e/f", "Deny from all"),
      section("Location /e", ...users, ...off),
    ],
    [
      "lines that may override those of a directory pattern",
      section('Directory "/srv/*/f"', "Deny from all"),
      section('DirectoryMatch "^/srv/e"', ...users, ...off),
    ],
    [
      "a line that overrides an inherited Satisfy Any",
      section('Directory "/srv"', "Satisfy any"),
      section("Location /a", ...users, "Satisfy all"),
    ],
    ["lines without a Require", section("Location /a", ...off)],
    ["lines beside a Require for clients", section("Location /a", "Require ip 10", ...off)],
    ["lines for some methods", section("Location /a", ...users, "<Limit GET>", ...off, "</Limit>")],
    ["a required user without an AuthType", section("Location /a", "Require valid-user", ...off)],
    [
      "a conditional section that does not apply",
      section("Location /a", ...users, "<IfModule !mod_authz_core.c>", ...off, "</IfModule>"),
    ],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections))).toEqual([]);
  });

  test("2.2", () => {
    expect(check(onServer(section("Location /a", ...users, ...off)), { release: "2.2" })).toEqual([]);
  });

  test("the same lines in other rules", () => {
    const text = onServer(
      section("Location /a", ...off, ...users.slice(0, 3), "<RequireAny>", "Require valid-user", "</RequireAny>"),
    );
    const rules = [redundantHostRules, mixedAccessControl, oldAccessControl];
    expect(findingsOf(rules, text).map(({ rule }) => rule)).toEqual(["redundant-host-rules"]);
  });
});

test("does not report a Satisfy from a variable that the environment may set", () => {
  const text = onServer(section('Directory "/srv"', ...users, "Satisfy ${HOW}"));
  expect(check(text)).toEqual([]);
});
