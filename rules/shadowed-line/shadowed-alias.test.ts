import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, inDirectory, lintText, section } from "../../test/support/rules.js";
import { shadowedLine } from "./shadowed-line.js";

const check = (...lines: readonly string[]) =>
  findingsOf([shadowedLine], `${lines.join("\n")}\n`).map(({ text }) => text);

describe("reports a line that never matches", () => {
  test.each([
    ["a longer path", "Alias /a /srv/a", "Alias /a/b /srv/b"],
    ["the same path", "Alias /a /srv/a", "Alias /a /srv/b"],
    ["the same path with a slash", "Alias /a /srv/a", "Alias /a/ /srv/b/"],
    ["doubled slashes", "Alias //a /srv/a", "Alias /a//b /srv/b"],
    ["another directive", "ScriptAlias /a /srv/a", "Alias /a/b /srv/b"],
    ["a pattern", "AliasMatch ^/a/(.*) /srv/a/$1", "Alias /a/b /srv/b"],
    ["a pattern without an end", "AliasMatch ^/a /srv/a", "Alias /ab /srv/b"],
    ["a Redirect", "Redirect /a http://x.test/", "Redirect /a/b http://y.test/"],
    ["a Redirect with a status", "Redirect permanent /a http://x.test/", "Redirect gone /a/b"],
    ["a Redirect of all", "Redirect 301 / https://x.test/", "RedirectTemp /a/b http://y.test/"],
    ["a Redirect by a pattern", "RedirectMatch 410 ^/a/", "Redirect /a/b http://y.test/"],
    ["a Redirect before an Alias", "Redirect / https://x.test/", "Alias /a /srv/a"],
  ])("%s", (_, first, second) => {
    expect(check(first, second)).toEqual([second]);
  });

  test("a Redirect after an Alias", () => {
    expect(check("Alias /a/b /srv/a", "Redirect /a http://x.test/")).toEqual(["Alias /a/b /srv/a"]);
  });

  test("with the first of several lines that match", () => {
    const text = "Alias /a/b /srv/ab\nAlias /a /srv/a\nAlias /a/b/c /srv/abc\n";
    expect(findingsOf([shadowedLine], text).map(({ message, related }) => [message, related])).toEqual([
      ["`Alias /a/b/c` never matches: `Alias /a/b` matches first", ["httpd.conf:1:1: matches first"]],
    ]);
  });

  test("a Redirect in a directory", () => {
    expect(check(inDirectory("Redirect /a http://x.test/", "Redirect /a/b http://y.test/"))).toHaveLength(1);
  });
});

test.each([
  ["a longer path before a shorter one", ["Alias /a/b /srv/b", "Alias /a /srv/a"]],
  ["a path with the same beginning", ["Alias /a /srv/a", "Alias /ab /srv/b"]],
  ["a slash that the other path lacks", ["Alias /a/ /srv/a/", "Alias /a /srv/b"]],
  ["a pattern with an end", ["AliasMatch ^/a$ /srv/a", "Alias /a/b /srv/b"]],
  ["a pattern for some files", ["AliasMatch ^/a/(.*\\.gif)$ /srv/$1", "Alias /a/b /srv/b"]],
  ["a later pattern", ["Redirect /a http://x.test/", "RedirectMatch /a/b http://y.test/"]],
  ["a Redirect below an Alias", ["Alias /a /srv/a", "Redirect /a/b http://x.test/"]],
  ["another server", ["Alias /a /srv/a", section("VirtualHost *", "Alias /a/b /srv/b")]],
  ["an Alias without a path", [section("Location /a", "Alias /srv/a"), section("Location /a/b", "Alias /srv/b")]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});

describe("the fix", () => {
  const fixed = (text: string) => {
    const [finding] = lintText([shadowedLine], text);
    return finding?.fix && [finding.fix.safety, applyEdits(text, finding.fix.edits)];
  };

  test("moves the line before the first one", () => {
    expect(fixed("Alias /a /srv/a\n# kept\nAlias /a/b /srv/b\n")).toEqual([
      "unsafe",
      "# kept\nAlias /a/b /srv/b\nAlias /a /srv/a\n",
    ]);
  });

  test.each([
    [
      "with its indentation and its own comment, before the comment of the other one",
      "<VirtualHost *:80>\n    # All.\n    Alias /a /srv/a\n\n    # Part.\n    Alias /a/b /srv/b\n</VirtualHost>\n",
      "<VirtualHost *:80>\n    # Part.\n    Alias /a/b /srv/b\n    # All.\n    Alias /a /srv/a\n\n</VirtualHost>\n",
    ],
    [
      "without the comment of its paragraph",
      "# Aliases.\n\n# Parts.\nAlias /a /srv/a\nAlias /a/b /srv/b\nAlias /c /srv/c\n",
      "# Aliases.\n\n# Parts.\nAlias /a/b /srv/b\nAlias /a /srv/a\nAlias /c /srv/c\n",
    ],
    [
      "with its continuation lines",
      "Listen 80\n\tAlias /a /srv/a\n  Alias /a/b \\\n      /srv/b\n",
      "Listen 80\n\tAlias /a/b \\\n\t    /srv/b\n\tAlias /a /srv/a\n",
    ],
    [
      "with the line endings of the file",
      "Listen 80\r\nAlias /a /srv/a\r\nAlias /a/b /srv/b",
      "Listen 80\r\nAlias /a/b /srv/b\r\nAlias /a /srv/a\r\n",
    ],
  ])("moves it %s", (_, text, after) => {
    expect(fixed(text)).toEqual(["unsafe", after]);
  });

  test.each([
    ["equal paths", "Alias /a /srv/a\nAlias /a /srv/b\n"],
    ["a Redirect", "Redirect /a http://x.test/\nAlias /a/b /srv/b\n"],
  ])("is not offered for %s", (_, text) => {
    expect(fixed(text)).toBeUndefined();
  });
});

describe("a Redirect of a virtual host for paths that each name has", () => {
  const alias = (path: string) => `Alias ${path} "/srv/acme"\n`;
  const host = (...lines: readonly string[]) => section("VirtualHost *:80", "ServerName a.test", ...lines);
  const found = (text: string) => findingsOf([shadowedLine], text).map(({ text: line, help }) => [line, help]);

  // A live 2.4.71 redirects `/.well-known/acme-challenge/x` to a path below `/cms/`.
  test.each([
    [
      "Redirect permanent / https://b.test/cms/",
      "use `RedirectMatch permanent ^/(?!\\.well-known/)(.*)$ https://b.test/cms/$1`",
    ],
    ["Redirect / https://b.test/cms/", "use `RedirectMatch ^/(?!\\.well-known/)(.*)$ https://b.test/cms/$1`"],
    ["Redirect /.well-known https://b.test/x", "use a more specific path for the `Redirect`"],
  ])("is reported: %s", (line, help) => {
    expect(found(alias("/.well-known/acme-challenge") + host(line))).toEqual([[line, [help]]]);
    expect(found(alias("/.well-known/acme-challenge/") + host(line))).toEqual([[line, [help]]]);
  });

  test.each([
    ["the same path of another name", "Redirect / https://b.test/"],
    ["a path that it leaves", "Redirect /cms https://b.test/cms/"],
    ["an exclusion", "RedirectMatch ^/(?!\\.well-known/)(.*)$ https://b.test/cms/$1"],
    ["a path that is gone", "Redirect gone /"],
  ])("is not reported with %s", (_, line) => {
    expect(found(alias("/.well-known/acme-challenge") + host(line))).toEqual([]);
  });

  test("is reported with the real Location", () => {
    const [finding] = findingsOf(
      [shadowedLine],
      alias("/.well-known/acme-challenge/") + host('Redirect permanent / "https://b.test/a b/?x="'),
    );
    expect(finding?.notes?.[0]).toBe(
      "GET `http://a.test/.well-known/acme-challenge/x` from 203.0.113.9 returns 301 with `Location: https://b.test/a b/?x=.well-known/acme-challenge/x`",
    );
    expect(finding?.help).toEqual(["use a more specific path for the `Redirect`"]);
  });

  // A live 2.4.71 sends the file: the rule runs before the Redirect.
  test.each<[rule: string, count: number]>([
    ["RewriteRule ^/\\.well-known/acme-challenge/(.*)$ /var/acme/$1 [END]", 0],
    ["RewriteRule ^/\\.well-known/ - [L]", 1],
    ["RewriteRule ^/other/(.*)$ /var/acme/$1 [END]", 1],
    ["RewriteRule ^/\\.well-known/ - [F]", 0],
  ])("after a rule of the virtual host: %s", (rule, count) => {
    const text = alias("/.well-known/acme-challenge/") + host("RewriteEngine On", rule, "Redirect / https://b.test/f/");
    expect(found(text)).toHaveLength(count);
  });

  test("is not reported for other paths of the server", () => {
    expect(found(alias("/icons/") + host("Redirect / https://b.test/cms/"))).toEqual([]);
  });
});
