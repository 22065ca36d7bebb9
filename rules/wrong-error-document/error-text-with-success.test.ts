import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section } from "../../test/support/rules.js";
import { wrongErrorDocument } from "./wrong-error-document.js";

const rule = onlyVariant(wrongErrorDocument, "error-text-with-success");
const check = (text: string) => findingsOf([rule], `RewriteEngine On\n${text}\n`);

test("reports a rule with status 200", () => {
  expect(check("RewriteRule ^(.*)$ $1 [R=200,L]")).toMatchObject([
    {
      severity: "info",
      text: "RewriteRule ^(.*)$ $1 [R=200,L]",
      message: "responses with status 200 have the text of an internal error",
      help: ["use `R=204`, which sends no text, and `-` as the target", "or set the text with `ErrorDocument 200`"],
    },
  ]);
});

describe("reports", () => {
  test.each([
    "RewriteRule ^health$ - [R=200]",
    "RewriteCond %{REQUEST_METHOD} OPTIONS\nRewriteRule ^ - [R=200,L]",
    "RewriteRule ^a$ /b [redirect=201]",
    "RewriteRule ^a$ - [R=202,END]",
    "RewriteRule ^a$ - [R=226]",
    section("Directory /srv", "RewriteRule ^a$ - [R=200]").trim(),
    "Redirect 200 /health",
    "RedirectMatch 200 ^/health$",
    "ErrorDocument 404 /404.html\nRedirect 201 /made",
    "Redirect 208 /a",
    "Redirect 226 /a",
  ])("%s", (text) => {
    expect(check(text)).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    "RewriteRule ^a$ - [R=204,L]",
    "Redirect 204 /a",
    // Statuses that httpd does not know are answered with 500.
    "Redirect 299 /a",
    "Redirect 209 /a",
    "RedirectMatch 250 ^/a$",
    "RewriteRule ^a$ /b [R=301,L]",
    "RewriteRule ^a$ /b [R]",
    "RewriteRule ^a$ - [R=404]",
    "RewriteRule ^a$ - [F]",
    "RewriteRule ^a$ - [G]",
    "RewriteRule ^a$ /b [L]",
    "Redirect 410 /a",
    "Redirect /a /b",
    "RedirectPermanent /a /b",
    'ErrorDocument 200 "ok"\nRewriteRule ^a$ - [R=200]',
    'ErrorDocument 200 "ok"\nRedirect 200 /health',
  ])("%s", (text) => {
    expect(check(text)).toEqual([]);
  });
});

test("does not report a status that only 2.4 knows for 2.2", () => {
  const check22 = (line: string) => findingsOf([rule], `${line}\n`, { release: "2.2" });
  expect(check22("Redirect 226 /a")).toEqual([]);
  expect(check22("Redirect 202 /a")).toHaveLength(1);
});
