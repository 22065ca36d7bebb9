import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory } from "../../test/support/rules.js";
import { conditionWithoutRule } from "./condition-without-rule.js";

const check = (text: string, given?: Given) => findingsOf([conditionWithoutRule], text, given).map(({ at }) => at);

describe("reports", () => {
  test("conditions at the end of a file, in one finding", () => {
    const text = "RewriteRule ^a /b\nRewriteCond %{HTTP_HOST} ^a\nRewriteCond %{HTTP_HOST} ^b\n";
    expect(check(text)).toEqual(["2:1-2:28"]);
    expect(findingsOf([conditionWithoutRule], text)[0]?.related).toHaveLength(1);
  });

  test("conditions whose rule is in an inner section", () => {
    expect(check(inDirectory("RewriteCond %{HTTP_HOST} ^a", "<Files x>", "RewriteRule ^ - [F]", "</Files>"))).toEqual([
      "2:1-2:28",
    ]);
  });
});

describe("does not report", () => {
  test.each([
    "RewriteCond %{HTTP_HOST} ^a\nRewriteRule ^a /b\n",
    "RewriteCond %{HTTP_HOST} ^a\n<IfModule !mod_x.c>\nRewriteRule ^a /b\n</IfModule>\n",
    "RewriteRule ^a /b\n",
    "RewriteCond %{HTTP_HOST} ^a\n<IfModule mod_x.c>\nRewriteRule ^a /b\n</IfModule>\n",
  ])("%j", (text) => {
    expect(check(text)).toEqual([]);
  });

  test("a fragment, which may be included before a rule", () => {
    expect(check("RewriteCond %{HTTP_HOST} ^a\n", { kind: "fragment" })).toEqual([]);
  });
});
