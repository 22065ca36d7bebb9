import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, onServer, section, wholeServer } from "../../test/support/rules.js";
import { shadowedLine } from "./shadowed-line.js";

const rule = onlyVariant(shadowedLine, "refused-redirect");
const rewrite = [
  "RewriteEngine On",
  "RewriteCond %{HTTPS} off",
  "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]",
];
const redirect = "Redirect permanent / https://www.example.com/";
const check = (...lines: readonly string[]) => findingsOf([rule], `${lines.join("\n")}\n`, { kind: "htaccess" });
const modules = ["ssl", "rewrite", "alias"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
const checkServer = (...lines: readonly string[]) => findingsOf([rule], wholeServer(...modules, "Listen 80", ...lines));
const inDirectory = (...lines: readonly string[]) =>
  onServer(section('Directory "/srv"', "Options FollowSymLinks", ...lines)).trim();

test("reports a line that refuses the requests of a redirect", () => {
  expect(check("SSLRequireSSL", ...rewrite)).toMatchObject([
    {
      text: "SSLRequireSSL",
      message: "`SSLRequireSSL` refuses requests without TLS: they are never redirected to https",
      notes: [
        expect.stringMatching(/^GET `.*` from 203\.0\.113\.9 returns 403$/),
        "in this place, httpd applies `RewriteRule` after it has checked access",
      ],
      help: ["redirect in the virtual host of port 80, where no line refuses requests first"],
      related: [".htaccess:4:1: redirects to https"],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["Require ssl", ["Require ssl", ...rewrite]],
    ["a Redirect", ["SSLRequireSSL", redirect]],
    ["a Redirect with Require", ["Require ssl", redirect]],
    ["a test of the port", ["SSLRequireSSL", rewrite[0], "RewriteCond %{SERVER_PORT} 80", rewrite[2]]],
    ["a pattern for all", ["SSLRequireSSL", ...rewrite.slice(0, 2), "RewriteRule ^(.*)$ https://a.test/$1 [R,L]"]],
    ["a line after the redirect", [...rewrite, "SSLRequireSSL"]],
  ])("%s", (_, lines) => {
    expect(check(...lines.map(String))).toHaveLength(1);
  });

  test("a directory of a server", () => {
    expect(checkServer(inDirectory("Require all granted", "SSLRequireSSL", ...rewrite))).toHaveLength(1);
    expect(checkServer(inDirectory("Require ssl", redirect))).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["no redirect", ["SSLRequireSSL"]],
    ["no requirement", rewrite],
    ["a redirect of one path", ["SSLRequireSSL", "Redirect /a https://a.test/a"]],
    ["a redirect to http", ["SSLRequireSSL", "Redirect /a http://a.test/"]],
    ["a redirect for a name", ["SSLRequireSSL", rewrite[0], "RewriteCond %{HTTP_HOST} ^a", rewrite[2]]],
    ["a redirect for some paths", ["SSLRequireSSL", ...rewrite.slice(0, 2), "RewriteRule ^a https://a.test/ [R]"]],
    ["a test of another port", ["SSLRequireSSL", rewrite[0], "RewriteCond %{SERVER_PORT} =8443", rewrite[2]]],
    ["a test for TLS", ["SSLRequireSSL", rewrite[0], "RewriteCond %{HTTPS} on", rewrite[2]]],
    ["a rule before it", ["SSLRequireSSL", rewrite[0], "RewriteRule ^api/ - [L]", ...rewrite.slice(1)]],
    ["rules that are off", ["SSLRequireSSL", "RewriteEngine Off", ...rewrite.slice(1)]],
    ["an error document", ["SSLRequireSSL", "ErrorDocument 403 https://a.test/", ...rewrite]],
    ["an alternative", ["Require ssl", "Require ip 10.0.0.0/8", ...rewrite]],
    ["another requirement", ["Require all granted", ...rewrite]],
    ["Satisfy any", ["Satisfy any", "SSLRequireSSL", ...rewrite]],
  ])("%s", (_, lines) => {
    expect(check(...lines.map(String))).toEqual([]);
  });

  test("a redirect that comes before", () => {
    const own = inDirectory("Require all granted", "SSLRequireSSL");
    expect(checkServer(own, redirect)).toEqual([]);
    expect(checkServer(own, ...rewrite)).toEqual([]);
    expect(checkServer(own, section("Location /", redirect.replace(" /", "")).trim())).toEqual([]);
    expect(checkServer(section("Location /", "SSLRequireSSL", redirect.replace(" /", "")).trim())).toEqual([]);
    expect(checkServer(redirect, inDirectory("Require all granted", "SSLRequireSSL", ...rewrite))).toEqual([]);
  });

  test("a server with TLS", () => {
    const host = section("VirtualHost *:443", "SSLEngine on", inDirectory("SSLRequireSSL", ...rewrite));
    expect(checkServer(host.trim())).toEqual([]);
  });
});
