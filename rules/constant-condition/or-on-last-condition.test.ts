import { describe, expect, test } from "vitest";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { constantCondition } from "./constant-condition.js";

const orOnLastCondition = onlyVariant(constantCondition, "or-on-last-condition");

const check = (text: string) => findingsOf([orOnLastCondition], text, { kind: "htaccess" }).map(({ text }) => text);

describe("reports", () => {
  test.each([
    ["RewriteCond %{HTTP_HOST} ^a [OR]\nRewriteRule ^ - [F]", "[OR]"],
    ["RewriteCond %{HTTP_HOST} ^a [NC,OR]\nRewriteRule ^ - [F]", "[NC,OR]"],
    ["RewriteCond %{HTTP_HOST} ^a\nRewriteCond %{HTTP_HOST} ^b [ornext]\nRewriteRule ^ - [F]", "[ornext]"],
  ])("%j", (lines, text) => {
    expect(check(`${lines}\n`)).toEqual([text]);
  });
});

describe("does not report", () => {
  test.each([
    "RewriteCond %{HTTP_HOST} ^a [OR]\nRewriteCond %{HTTP_HOST} ^b\nRewriteRule ^ - [F]",
    "RewriteCond %{HTTP_HOST} ^a [NC]\nRewriteRule ^ - [F]",
    "RewriteCond %{HTTP_HOST} ^a [OR]",
  ])("%j", (lines) => {
    expect(check(`${lines}\n`)).toEqual([]);
  });
});

test("notes the status that every request receives, and the other conditions", () => {
  const text = "RewriteCond %{HTTPS} off\nRewriteCond %{HTTP_HOST} ^a [OR]\nRewriteRule ^ - [F]\n";
  expect(findingsOf([orOnLastCondition], text)[0]?.notes?.slice(1)).toEqual([
    "the conditions without `[OR]` still have to hold",
    "every request that the pattern matches gets status 403",
  ]);
});

test.each([
  ["[OR]", ""],
  ["[NC,OR]", "[NC]"],
])("fixes %s", (flags, text) => {
  const [finding] = lintText([orOnLastCondition], `RewriteCond %{HTTP_HOST} ^a ${flags}\nRewriteRule ^ - [F]\n`);
  expect(finding?.fix?.edits[0]?.text).toBe(text);
});
