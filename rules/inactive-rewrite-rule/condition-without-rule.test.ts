import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { inactiveRewriteRule } from "./inactive-rewrite-rule.js";

const conditionWithoutRule = onlyVariant(inactiveRewriteRule, "condition-without-rule");

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

describe("reports beside a conditional section that does not apply", () => {
  const condition = "RewriteCond %{HTTP_HOST} ^a";
  const inactive = section("IfDefine Nope", "RewriteRule ^a /b");
  test.each([
    ["before the conditions", `${inactive}${condition}\n`, "4:1-4:28"],
    [
      "in another virtual host",
      section("VirtualHost *:80", inactive.trimEnd()) + section("VirtualHost *:80", condition),
      "7:1-7:28",
    ],
    [
      "whose rule is in an inner section",
      `${condition}\n${section("IfModule mod_x.c", "<Location /x>", "RewriteRule ^ - [F]", "</Location>")}`,
      "1:1-1:28",
    ],
  ])("%s", (_, text, at) => {
    expect(check(text)).toEqual([at]);
  });

  test("in another `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All"));
    expect(check(main, { files: { "/srv/a/.htaccess": `${condition}\n`, "/srv/b/.htaccess": inactive } })).toHaveLength(
      1,
    );
    expect(check(main, { files: { "/srv/a/.htaccess": `${condition}\n${inactive}` } })).toEqual([]);
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
