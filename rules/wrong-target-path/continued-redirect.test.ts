import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const continuedRedirect = onlyVariant(wrongTargetPath, "continued-redirect");

const inFile = (...rules: readonly string[]) =>
  findingsOf([continuedRedirect], `RewriteEngine On\n${rules.join("\n")}\n`, { kind: "htaccess" }).map(
    ({ text, related }) => [text, related.length],
  );

const toHost = "RewriteRule ^go/(.*)$ http://b.test/$1 [R=301]";

describe("a redirect that goes on", () => {
  // A server answers 301 without a Location, or with the target of the later rule (2.4.62).
  test.each([
    [toHost, "RewriteRule !^index\\.php$ /index.php"],
    [toHost, "RewriteRule ^(.*)$ /other/$1 [R=302,L]"],
    [toHost, "RewriteRule . index.php [L]"],
    ["RewriteRule ^go/(.*)$ https://b.test/$1 [R]", "RewriteRule ^ index.php?page=1 [L,QSA]"],
  ])("%s, and %s", (rule, later) => {
    expect(inFile(rule, later)).toEqual([[rule, 1]]);
    expect(inFile(rule.replace("]", ",L]"), later)).toEqual([]);
    expect(inFile(later, rule).filter(([text]) => text === rule)).toEqual([]);
  });

  test("in a virtual host", () => {
    const rules = ["RewriteEngine On", "RewriteRule ^/go/(.*)$ http://b.test/$1 [R=301]", "RewriteRule ^ /index.php"];
    const text = wholeServer(
      "LoadModule rewrite_module mod_rewrite.so",
      "Listen 80",
      section("VirtualHost *:80", "ServerName a.test", ...rules),
    );
    expect(findingsOf([continuedRedirect], text)).toHaveLength(1);
    expect(findingsOf([continuedRedirect], text.replace("[R=301]", "[R=301,L]"))).toEqual([]);
  });
});

test.each([
  ["the next rule is for other paths", "RewriteRule ^shop/ /index.php [L]"],
  ["the next rule changes nothing", "RewriteRule ^ - [E=A:1]"],
  ["the next rule is a redirect of the same target", "RewriteRule ^(http://b\\.test/.*)$ $1?x [R,L]"],
  ["no rule follows", ""],
  ["the next rule is skipped", "RewriteRule ^go/ - [S=1]"],
])("is not reported if %s", (_, later) => {
  expect(inFile(toHost, later)).toEqual([]);
});

test("adds the flag", () => {
  const text = `RewriteEngine On\n${toHost}\nRewriteRule . index.php [L]\n`;
  expect(fixFirst(continuedRedirect, text, { kind: "htaccess" })).toContain("[L,R=301]");
});
