import { expect, test } from "vitest";
import { findingsOf, fixFirst, onServer, section } from "../../test/support/rules.js";
import { openRedirect } from "./open-redirect.js";

const check = (...lines: readonly string[]) => findingsOf([openRedirect], onServer(`${lines.join("\n")}\n`));
const rewrite = (...lines: readonly string[]) => check("RewriteEngine On", ...lines);

test("reports a target that ends in the host", () => {
  expect(check('Redirect "/" "https://www.example.com"')).toEqual([
    {
      rule: "open-redirect",
      severity: "warning",
      at: "2:1-2:39",
      text: 'Redirect "/" "https://www.example.com"',
      message: '`Redirect "/" "https://www.example.com"` redirects to a host that the client chooses',
      notes: [
        "GET `/.evil.example/` from 203.0.113.9 returns 302 with `Location: https://www.example.com.evil.example/`",
      ],
      help: ["add a slash after the host: `https://www.example.com/`"],
      related: [],
    },
  ]);
});

test.each([
  ["Redirect 301 /old/ https://example.com"],
  ["Redirect permanent / https://example.com"],
  ["RedirectPermanent / https://example.com"],
  ["RedirectMatch 301 ^/old(.*) https://example.com$1"],
  ["RedirectMatch ^/(.*)$ https://example.com$1"],
])("reports %s", (line) => {
  expect(check(line)).toHaveLength(1);
});

test.each([
  ["RewriteRule ^/old(.*) https://example.com$1 [R=301,L]"],
  [section("Directory /srv", "RewriteEngine On", "RewriteRule ^(.*)$ https://example.com$1 [R]").trimEnd()],
])("reports %s", (line) => {
  expect(rewrite(line)).toHaveLength(1);
});

test.each([
  ["Redirect / https://example.com/"],
  ["Redirect /old https://example.com"],
  ["Redirect /old/ https://example.com/new"],
  ["Redirect gone /"],
  ["RedirectMatch ^/old(/.*) https://example.com$1"],
  ["RedirectMatch ^/old/(.*) https://example.com/$1"],
  ["Listen 127.0.0.1:80\nRedirect / https://example.com"],
  ['ProxyPass "/" "http://b.test/"\nRedirect / https://example.com'],
])("does not report %s", (lines) => {
  expect(check(lines)).toEqual([]);
});

test.each([
  ["RewriteRule ^(.*)$ https://example.com$1 [R]"],
  ["RewriteRule ^/old(.*) https://%{HTTP_HOST}$1 [R]"],
  ["RewriteRule ^/old(.*) /new$1 [R]"],
  ["RewriteCond %{REQUEST_URI} ^/old/\nRewriteRule ^/old(.*) https://example.com$1 [R]"],
])("does not report %s", (lines) => {
  expect(rewrite(lines)).toEqual([]);
});

test.each([
  ['Redirect "/" "https://www.example.com"', 'Redirect "/" "https://www.example.com/"'],
  ["Redirect 301 /old/ https://example.com", "Redirect 301 /old/ https://example.com/"],
  ["RedirectMatch ^/(.*)$ https://example.com$1", "RedirectMatch ^/(.*)$ https://example.com/$1"],
])("fixes %s", (before, after) => {
  expect(fixFirst(openRedirect, onServer(`${before}\n`))).toBe(onServer(`${after}\n`));
  expect(check(after)).toEqual([]);
});

test("does not offer a fix if the appended path may begin with a slash", () => {
  expect(fixFirst(openRedirect, onServer("RedirectMatch ^/old(.*) https://example.com$1\n"))).toBeUndefined();
});
