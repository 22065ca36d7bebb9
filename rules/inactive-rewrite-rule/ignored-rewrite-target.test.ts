import { describe, expect, test } from "vitest";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { inactiveRewriteRule } from "./inactive-rewrite-rule.js";

const ignoredRewriteTarget = onlyVariant(inactiveRewriteRule, "ignored-rewrite-target");

const check = (text: string) =>
  findingsOf([ignoredRewriteTarget], text).map((finding) => [finding.severity, finding.text, finding.notes?.[0]]);

describe("reports", () => {
  test.each([
    ["RewriteRule ^/a /b [R=404]", "warning", "/b", 404],
    ["RewriteRule ^/a /b [R=410,L]", "warning", "/b", 410],
    ["RewriteRule ^/a http://example.org/ [F]", "info", "http://example.org/", 403],
    ["RewriteRule ^/a /b [G]", "info", "/b", 410],
  ])("%s", (line, severity, text, status) => {
    expect(check(`${line}\n`)).toEqual([
      [severity, text, `the rule ends with status ${status}, which is not a redirect`],
    ]);
  });
});

describe("does not report", () => {
  test.each([
    "RewriteRule ^/a - [F]",
    "RewriteRule ^/a /b [R=301]",
    "RewriteRule ^/a /b [R]",
    "RewriteRule ^/a /b [L]",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});

test("the fix replaces the target", () => {
  const [finding] = lintText([ignoredRewriteTarget], "RewriteRule ^/a /b [F]\n");
  expect(finding?.fix).toMatchObject({ safety: "unsafe", edits: [{ text: "-" }] });
});

test.each(["/b [R=404]", "/b [R=410,L]", "https://example.org/ [F]", "https://example.org/ [G]"])(
  "keeps the target of a redirect with a wrong status: %s",
  (rest) => {
    const [finding] = lintText([ignoredRewriteTarget], `RewriteRule ^/a ${rest}\n`);
    expect(finding?.fix).toBeUndefined();
    expect(finding?.help?.[0]).toBe("to redirect to the target, use only the flag `R`, with a status from 300 to 399");
  },
);
