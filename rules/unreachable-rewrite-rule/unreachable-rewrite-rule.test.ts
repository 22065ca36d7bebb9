import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory } from "../../test/support/rules.js";
import { unreachableRewriteRule } from "./unreachable-rewrite-rule.js";

const check = (text: string) =>
  findingsOf([unreachableRewriteRule], text, { kind: "htaccess" }).map((finding) => finding.text);

const later = "RewriteRule ^a - [F]";

describe("reports a rule after", () => {
  test.each([
    "RewriteRule ^ - [L]",
    "RewriteRule .* - [END]",
    "RewriteRule ^(.*)$ /x [F]",
    "RewriteRule (.*) - [G,NC]",
    "RewriteRule ^ index.php [L]",
    "RewriteRule ^(.*)$ index.php?q=$1 [QSA,L]",
  ])("%s", (line) => {
    expect(check(`${line}\n${later}\n`)).toEqual([later]);
  });

  test("with the number of rules", () => {
    const [finding] = findingsOf([unreachableRewriteRule], `RewriteRule ^ - [L]\n${later}\n${later}\n${later}\n`);
    expect(finding?.notes?.[1]).toBe("this and the 2 rules after it have no effect");
  });
});

describe("does not report a rule after", () => {
  test.each([
    "RewriteRule ^ - [R=301]",
    "RewriteRule ^a - [L]",
    "RewriteRule !^ - [L]",
    "RewriteCond %{HTTPS} off\nRewriteRule ^ - [L]",
    "RewriteRule . - [L]",
    "RewriteRule ^b - [C]\nRewriteRule ^ - [L]",
    "RewriteRule ^b - [S=1]\nRewriteRule ^ - [L]",
    "RewriteRule ^ - [L,NS]",
  ])("%j", (lines) => {
    expect(check(`${lines}\n${later}\n`)).toEqual([]);
  });

  test("one in another section", () => {
    expect(check(`RewriteRule ^ - [L]\n<Files x>\n${later}\n</Files>\n`)).toEqual([]);
    expect(check(inDirectory("RewriteRule ^ - [L]") + inDirectory(later))).toEqual([]);
  });
});
