import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant } from "../../test/support/rules.js";
import { undefinedReference } from "./undefined-reference.js";

const undefinedBackReference = onlyVariant(undefinedReference, "undefined-back-reference");

const check = (text: string) =>
  findingsOf([undefinedBackReference], text, { kind: "htaccess" }).map(({ text, notes }) => [text, notes?.[0]]);

describe("reports", () => {
  test.each([
    ["RewriteRule ^a(.*)$ /b/$2", "$2", "the pattern `^a(.*)$` has only 1 group"],
    ["RewriteRule ^a$ /b/$1", "$1", "the pattern `^a$` has no group"],
    ["RewriteRule !^(a)$ /b/$1", "$1", "a negated pattern captures nothing"],
    ["RewriteRule ^(a)$ /b/%1", "%1", "the rule has no condition that captures a text"],
    [
      "RewriteCond %{HTTP_HOST} ^a\nRewriteRule ^ /b/%1",
      "%1",
      "no condition of this rule that must match has that many groups",
    ],
    [
      "RewriteCond %{HTTP_HOST} !^(a)\nRewriteRule ^ /b/%1",
      "%1",
      "no condition of this rule that must match has that many groups",
    ],
    ["RewriteCond $1 ^x\nRewriteRule ^a$ /b", "$1", "the pattern `^a$` has no group"],
    ["RewriteRule ^(?:a)(b)$ /b/$2", "$2", "the pattern `^(?:a)(b)$` has only 1 group"],
  ])("%j", (lines, text, note) => {
    expect(check(`${lines}\n`)).toEqual([[text, note]]);
  });
});

describe("does not report", () => {
  test.each([
    "RewriteRule ^a(.*)$ /b/$1",
    "RewriteRule ^a(.*)$ /b/$0",
    "RewriteRule ^a$ /b/\\$1",
    "RewriteRule ^a$ /b?q=%20c",
    "RewriteRule ^a$ $ENV",
    "RewriteCond %{HTTP_HOST} ^(a)\nRewriteRule ^ /b/%1",
    "RewriteCond %{HTTP_HOST} ^(a)\nRewriteCond %{REQUEST_URI} !x\nRewriteRule ^ /b/%1",
    'RewriteCond expr "%{HTTP_HOST} =~ /(a)/"\nRewriteRule ^ /b/%1',
    "RewriteRule ^(?|(a)|(b))$ /b/$1",
    "RewriteRule ^(?<name>a)$ /b/$1",
  ])("%j", (lines) => {
    expect(check(`${lines}\n`)).toEqual([]);
  });
});
