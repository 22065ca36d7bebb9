import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory, section } from "../../test/support/rules.js";
import { relativeRedirect } from "./relative-redirect.js";

const check = (text: string) =>
  findingsOf([relativeRedirect], `${text}\n`, { kind: "htaccess" }).map(({ text: target, message }) => [
    target,
    message,
  ]);

describe("reports", () => {
  test.each([
    ["RewriteRule ^a$ b.html [R=301,L]", "b.html"],
    ["RewriteRule ^(.*)/$ $1 [R]", "$1"],
    ['RewriteRule ^a$ "new/b?c=d" [R]', '"new/b?c=d"'],
  ])("%s", (line, target) => {
    const path = target.replaceAll('"', "");
    expect(check(line)).toEqual([[target, `redirect to \`${path}\` leads to the path of a directory`]]);
  });

  test("in a section", () => {
    expect(findingsOf([relativeRedirect], inDirectory("RewriteRule ^a$ b [R]"))).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    "RewriteRule ^a$ b.html [L]",
    "RewriteRule ^a$ /b.html [R=301,L]",
    "RewriteRule ^a$ https://example.org/b [R=301,L]",
    "RewriteRule ^a$ %{REQUEST_URI}/b [R]",
    "RewriteRule ^a$ %1 [R]",
    "RewriteRule ^a(/.*)?$ $1 [R]",
    "RewriteRule ^a$ http%1://example.org/b [R]",
    "RewriteRule ^a$ - [R=404]",
    "RewriteRule ^a$ b [P,R]",
    "RewriteBase /\nRewriteRule ^a$ b.html [R=301,L]",
  ])("%j", (lines) => {
    expect(check(lines)).toEqual([]);
  });

  test("a virtual host", () => {
    expect(findingsOf([relativeRedirect], section("VirtualHost *", "RewriteRule ^/a$ b [R]"))).toEqual([]);
  });
});
