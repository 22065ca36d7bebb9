import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { constantCondition } from "../constant-condition/constant-condition.js";
import { misreadLine } from "./misread-line.js";

const attachedFlags = onlyVariant(misreadLine, "attached-flags");

const findIn = (line: string) => findingsOf([attachedFlags], `${line}\n`, { kind: "htaccess" });

test("names the argument and the flags", () => {
  expect(findIn("RewriteRule ^a$ /b[R=301,L]")).toEqual([
    {
      rule: "misread-line",
      severity: "warning",
      at: "1:17-1:28",
      text: "/b[R=301,L]",
      message: "the flags `[R=301,L]` are part of the target",
      notes: ["`RewriteRule` separates its arguments with spaces, and reads no flags here"],
      help: ["put a space before `[R=301,L]`"],
      related: [],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["RewriteRule ^a$ https://a.example/b$1[R=302,NE,L]", "target"],
    ["RewriteRule ^a$ -[f]", "target"],
    ["RewriteRule ^a$ /b[R=301] [L]", "target"],
    ["RewriteRule ^a$ /b[E=A:b,L]", "target"],
    ["RewriteRule ^a$[NC] /b [L]", "pattern"],
    ['RewriteRule ^a$ "/b [L]"', "target"],
    ["RewriteCond %{HTTP_HOST} ^a$[NC]", "pattern"],
    ["RewriteCond %{HTTP_HOST} ^a[NC,OR]", "pattern"],
    ['RewriteCond %{HTTP_HOST} "^a$ [NC]"', "pattern"],
    ["RewriteCond %{HTTP_HOST} !=a[OR]", "pattern"],
  ])("%s", (line, part) => {
    const [finding, ...others] = findIn(line);
    expect(finding?.message).toMatch(new RegExp(`are part of the ${part}$`));
    expect(others).toEqual([]);
  });
});

describe("reports flags in place of the target", () => {
  test.each([
    ["RewriteRule .?{REQUEST_URI} [R=301,L]", "[R=301,L]", "add the target before the flags"],
    ["RewriteRule ^a$ [R]", "[R]", "add the target before the flags"],
    ["RewriteRule ^a$ [F]", "[F]", "use `- [F]` to keep the URL"],
    ["RewriteRule ^a$ [R=404, L]", "[R=404,", "flags"],
    ['RewriteRule "^a b$" [NC,L]', "[NC,L]", "use `- [NC,L]` to keep the URL"],
    ["RewriteRule ^a$ [E=A:b,L]", "[E=A:b,L]", "use `- [E=A:b,L]` to keep the URL"],
  ])("%s", (line, flags, help) => {
    const found = findIn(line);
    // With a space in them, httpd rejects the line.
    if (line.includes(", ")) return expect(found).toEqual([]);
    expect(found).toMatchObject([
      { text: flags, message: `the flags \`${flags}\` are in place of the target`, help: [help] },
    ]);
  });
});

describe("does not report", () => {
  test.each([
    "RewriteRule ^a$ [x]",
    "RewriteRule ^a$ [L",
    "RewriteRule ^a$ - [F]",
    "RewriteRule ^[NC]$ [L]/x",
    "RewriteRule ^a$ /b [R=301,L]",
    'RewriteRule "^a$" "/b" [L]',
    'RewriteRule "^a b$" "/b" [L]',
    "RewriteRule ^a$ /b[1]",
    "RewriteRule ^a$ /b?c[L]=1",
    "RewriteRule ^a$ /b[]",
    "RewriteRule ^a$ /b?c[d]=1[x]",
    "RewriteRule ^a$ /b?filter[type]",
    "RewriteRule ^a[NC] /b [L]",
    "RewriteRule ^[NL]$ /b [L]",
    "RewriteCond %{HTTP_HOST} ^a$ [NC]",
    "RewriteCond %{HTTP_HOST} colo[ur]",
    "RewriteCond %{HTTP_HOST} col[or]",
    "RewriteCond %{HTTP_HOST} ^[NC]",
    "RewriteCond %{HTTP_HOST} ^[NC]$ [NC]",
    "RewriteCond %{HTTP_HOST} [OR]",
    "RewriteCond %{HTTP_HOST} ^a[A-Z]",
  ])("%s", (line) => {
    expect(findIn(line)).toEqual([]);
  });
});

describe("the fix of", () => {
  test.each([
    ["RewriteRule ^a$ /b[L]\n", "RewriteRule ^a$ /b [L]\n"],
    ["RewriteCond %{HTTP_HOST} ^a$[NC,OR]\n", "RewriteCond %{HTTP_HOST} ^a$ [NC,OR]\n"],
    ["RewriteRule ^a$[NC] /b [L]\n", undefined],
    ['RewriteRule ^a$ "/b [L]"\n', undefined],
  ])("%j", (before, after) => {
    const [finding] = lintText([attachedFlags], before, { kind: "htaccess" });
    expect(finding?.fix && applyEdits(before, finding.fix.edits)).toBe(after);
  });
});

test("supersedes the finding that the condition never holds", () => {
  const text = "RewriteEngine On\nRewriteCond %{HTTP_HOST} ^a$[NC]\nRewriteRule ^ - [F]\n";
  const rules = [attachedFlags, constantCondition];
  expect(findingsOf(rules, text, { kind: "htaccess" }).map(({ rule }) => rule)).toEqual(["misread-line"]);
});
