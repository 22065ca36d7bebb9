import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { misreadLine } from "./misread-line.js";

const commentInArguments = onlyVariant(misreadLine, "comment-in-arguments");

const check = (text: string) =>
  findingsOf([commentInArguments], text).map(({ severity, text: underlined }) => [severity, underlined]);

describe("reports words that the directive reads", () => {
  test.each([
    ["DirectoryIndex index.php # main page", "# main page"],
    ["ServerAlias a.example #old", "#old"],
    ["AddHandler cgi-script .cgi # scripts", "# scripts"],
    ["SetEnvIf Remote_Addr ^10 LAN # office", "# office"],
    ["PassEnv A # b", "# b"],
    ["AddOutputFilterByType DEFLATE text/plain # text", "# text"],
    ["<Location /a>\nRequire user alice # bob\n</Location>", "# bob"],
    ["<Location /a>\nRequire not group a # b\n</Location>", "# b"],
    ["<Location /a>\nRequire host a.example # b\n</Location>", "# b"],
  ])("%s", (line, text) => {
    expect(check(`${line}\n`)).toEqual([["warning", text]]);
  });
});

test.each([
  ["RewriteCond %{REQUEST_URI} #old", "pattern"],
  ["RewriteRule ^/a$ #old", "target"],
])("reports a comment in place of an argument: %s", (line, argument) => {
  expect(lintText([commentInArguments], `${line}\n`)).toMatchObject([
    { severity: "warning", help: [`add the ${argument}, and move the comment to a line of its own`] },
  ]);
  expect(lintText([commentInArguments], `${line}\n`)[0]?.fix).toBeUndefined();
});

describe("reports words that the directive ignores", () => {
  test.each([
    ["RewriteEngine On # rewriting", "# rewriting"],
    ["ExpiresActive On #yes", "#yes"],
    ["RewriteRule ^/a$ /b [L] # old page", "# old page"],
    ["RewriteCond %{HTTP_HOST} ^a [NC] # a", "# a"],
    ["<Location /a> # a\nRequire valid-user # b\n</Location>", "# a"],
    ["<Location /a>\nRequire valid-user # b\n</Location>", "# b"],
    ['<Files "a.txt"> # a', "# a"],
    ["<IfModule mod_rewrite.c> # a\n</IfModule>", "# a"],
  ])("%s", (line, text) => {
    expect(check(`${line}\n`)[0]).toEqual(["info", text]);
  });
});

test.each(["DirectoryIndex index.php", "RewriteRule ^/a$ /b [L]", "<IfModule mod_rewrite.c>"])(
  "a comment that shall suppress findings belongs on the line before: %s",
  (line) => {
    const text = `${line} # httpd-lint-ignore shadowed-line old\n${line.startsWith("<") ? "</IfModule>\n" : ""}`;
    const [finding] = lintText([commentInArguments], text);
    const moved = "# httpd-lint-ignore-next-line shadowed-line old";
    expect(finding?.help).toEqual([`use \`${moved}\` on the line before`]);
    expect(applyEdits(text, finding?.fix?.edits ?? []).startsWith(`${moved}\n${line}\n`)).toBe(true);
  },
);

describe("does not report", () => {
  test.each([
    "# DirectoryIndex a # b",
    'ServerAlias a "# b"',
    "IndexIgnore *.a #*",
    "DirectoryIndex a#b",
    "DirectoryIndex #a",
    "Header set X #a",
    "ServerAdmin a # b",
    "Allow from 192.0.2.1 # office",
    "RewriteEngine On",
    "RewriteRule ^/a#b$ /c#d [L,NE]",
    "RewriteCond %{REQUEST_URI} # [NC]",
    "RewriteCond %{REQUEST_URI} #",
    'RewriteCond %{REQUEST_URI} "#a"',
    "RewriteRule ^/a$ #top [R,NE]",
    // httpd rejects the line.
    "RewriteCond %{REQUEST_URI} # old",
    "<Location /a#b>\n</Location>",
    "<LocationMatch > #>\n</LocationMatch>",
    "<Location /a>\nRequire all denied # a\n</Location>",
    "<Location /a>\nRequire ip 192.0.2.1 # a\n</Location>",
    "<Location /a>\nRequire user #a\n</Location>",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});

test("reports the ignored comments of a file once", () => {
  expect(check("RewriteEngine On # a\n<IfModule a> # b\n</IfModule>\nExpiresActive On # c\n")).toEqual([
    ["info", "# a"],
  ]);
});

describe("the fix moves the comment", () => {
  test.each([
    ["  DirectoryIndex a #b c\n", "unsafe", ["  # b c\n", ""]],
    ["  RewriteEngine On # a\n", "safe", ["  # a\n", ""]],
    ["  <Location /a> # a\n</Location>\n", "safe", ["  # a\n", ""]],
    ["  <IfModule a> # a\n</IfModule>\n", "safe", ["  # a\n", ""]],
  ])("%j", (text, safety, edits) => {
    const [finding] = lintText([commentInArguments], text);
    expect([finding?.fix?.safety, finding?.fix?.edits.map((edit) => edit.text)]).toEqual([safety, edits]);
  });
});
