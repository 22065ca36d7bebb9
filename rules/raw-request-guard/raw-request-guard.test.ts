import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { rawRequestGuard } from "./raw-request-guard.js";

const granted = section('Directory "/srv"', "Require all granted");
const check = (...lines: readonly string[]) =>
  findingsOf([rawRequestGuard], onServer(granted, `RewriteEngine On\n${lines.join("\n")}\n`));
const guarded = section(
  "Location /",
  "<RequireAll>",
  "Require all granted",
  "Require not env guarded",
  "</RequireAll>",
);

test("reports a RewriteCond with the request line", () => {
  expect(check('RewriteCond %{THE_REQUEST} " /admin"', "RewriteRule ^ - [F]")).toEqual([
    {
      rule: "raw-request-guard",
      severity: "error",
      at: "6:1-6:37",
      text: 'RewriteCond %{THE_REQUEST} " /admin"',
      message: '`RewriteCond %{THE_REQUEST} " /admin"` depends on the spelling of the URL',
      notes: [
        "httpd compares the URL as the client sends it, and decodes it later",
        "GET `/admin` from 203.0.113.9 returns 403",
        "GET `/%61dmin` from 203.0.113.9 returns 200",
      ],
      help: ["compare the decoded path, with the pattern of `RewriteRule` or with `%{REQUEST_URI}`"],
      related: [],
    },
  ]);
});

test.each([
  ["a method", ['RewriteCond %{THE_REQUEST} "^POST /admin"', "RewriteRule ^ - [F]"], "POST `/%61dmin`"],
  ["any method", ['RewriteCond %{THE_REQUEST} "^[A-Z]{3,} /admin"', "RewriteRule ^ - [F]"], "GET `/%61dmin`"],
  ["the end of the path", ['RewriteCond %{THE_REQUEST} "/.*\\.git"', "RewriteRule ^ - [G]"], "GET `/x.gi%74`"],
  ["a name without a slash", ['RewriteCond %{THE_REQUEST} "admin\\.php"', "RewriteRule ^ - [F]"], "GET `/%61dmin.php`"],
  [
    "a section with a condition",
    [section('If "%{THE_REQUEST} =~ m# /admin#"', "Require all denied")],
    "GET `/%61dmin`",
  ],
  ["SetEnvIf", ['SetEnvIf Request_URI "^/admin" guarded', guarded], "GET `/%61dmin`"],
])("reports %s", (_, lines, request) => {
  expect(check(...lines).flatMap(({ notes }) => notes?.at(-1))).toEqual([expect.stringContaining(request)]);
});

test.each([
  ["a rule for the path", ['RewriteRule "^/admin" "-" [F]']],
  ["the decoded path in a condition", ['RewriteCond %{REQUEST_URI} "^/admin"', "RewriteRule ^ - [F]"]],
  ["a protection against loops", ['RewriteCond %{THE_REQUEST} " /index\\.html"', 'RewriteRule "^/index" "/" [R]']],
  ["a condition for the query", ['RewriteCond %{THE_REQUEST} "\\?.*(union|select)"', "RewriteRule ^ - [F]"]],
  ["a condition for the method only", ['RewriteCond %{THE_REQUEST} "^TRACE"', "RewriteRule ^ - [F]"]],
  ["a condition for requests that do not match", ['RewriteCond %{THE_REQUEST} "! /public"', "RewriteRule ^ - [F]"]],
  [
    "a second rule for the path",
    ['RewriteCond %{THE_REQUEST} " /admin"', "RewriteRule ^ - [F]", 'RewriteRule "^/admin" "-" [F]'],
  ],
  ["SetEnvIf in a section", [section("Location /", 'SetEnvIf Request_URI "^/admin" guarded'), guarded]],
  ["SetEnvIf for a log", ['SetEnvIf Request_URI "^/admin" quiet']],
  [
    "a server on the loopback address",
    ["Listen 127.0.0.1:80", 'RewriteCond %{THE_REQUEST} " /admin"', "RewriteRule ^ - [F]"],
  ],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});
