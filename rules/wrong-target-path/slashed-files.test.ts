import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, onServer, section, wholeServer } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const rule = onlyVariant(wrongTargetPath, "slashed-files");
const granted = section('Directory "/srv"', "AllowOverride All", "Options FollowSymLinks", "Require all granted");
const engine = "RewriteEngine On\n";
const add = "RewriteRule ^(.*)$ /$1/ [R=301,L]\n";
const noSlash = "RewriteCond %{REQUEST_URI} !/$\n";
const inFile = (text: string) => findingsOf([rule], engine + text, { kind: "htaccess" });
const onDisk = (text: string, files: Readonly<Record<string, string>> = { "/srv/css/a.css": "" }) =>
  findingsOf([rule], `LoadModule rewrite_module mod_rewrite.so\n${onServer(granted)}`, {
    files: { "/srv/index.php": "", "/srv/.htaccess": engine + text, ...files },
  });
const inHost = (...lines: readonly string[]) =>
  findingsOf(
    [rule],
    wholeServer(
      ...["LoadModule rewrite_module mod_rewrite.so", "LoadModule alias_module mod_alias.so", "Listen 80"],
      ...[granted, section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv", ...lines)],
    ),
    { files: { "/srv/style.css": "" } },
  ).map(({ message, help }) => [message, help?.[0]]);

test("reports a redirect that adds a slash to a file of the site", () => {
  expect(onDisk(noSlash + add)).toEqual([
    {
      rule: "wrong-target-path",
      severity: "warning",
      at: "3:1-3:34",
      text: add.trim(),
      message: "the redirect adds a slash to files that exist, such as `/css/a.css`",
      notes: ["GET `http://www.example.com/css/a.css` from 203.0.113.9 returns 301, and `/css/a.css/` returns 404"],
      help: ["add `RewriteCond %{REQUEST_FILENAME} !-f` before the rule"],
      related: [],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["a pattern without the slash", "RewriteRule ^(.*[^/])$ /$1/ [R=301,L]\n"],
    ["only a test for directories", `RewriteCond %{REQUEST_FILENAME} !-d\n${add.replace(".*", ".*[^/]")}`],
    ["the variable of the path", `${noSlash}RewriteRule ^ %{REQUEST_URI}/ [R=301,L]\n`],
    ["a relative target", `RewriteBase /\n${noSlash}RewriteRule ^(.+)$ $1/ [R,L]\n`],
    ["a test of the method", `${noSlash}RewriteCond %{REQUEST_METHOD} GET\n${add}`],
  ])("%s", (_, text) => {
    expect(inFile(text)).toMatchObject([{ severity: "info", rule: "wrong-target-path" }]);
    expect(onDisk(text)).toMatchObject([{ severity: "warning" }]);
  });

  test("lines of a virtual host", () => {
    const message = "the redirect adds a slash to files that exist, such as `/style.css`";
    expect(inHost("RewriteEngine On", "RewriteCond %{REQUEST_URI} !/$", "RewriteRule ^(.*)$ $1/ [R=301,L]")).toEqual([
      [message, "add `RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f` before the rule"],
    ]);
    expect(inHost("RedirectMatch 301 ^/(.*[^/])$ /$1/")).toEqual([
      [message, "leave out paths with an extension: `^/(.*/)?([^/.]+)$` with the target `/$1$2/`"],
    ]);
  });
});

describe("does not report", () => {
  const notFile = "RewriteCond %{REQUEST_FILENAME} !-f\n";
  test.each([
    ["with a test for files", notFile + noSlash + add],
    ["with the extensions of files left out", `RewriteCond %{REQUEST_URI} !\\.\\w+$\n${noSlash}${add}`],
    ["with a pattern without a dot", "RewriteRule ^([^.]*[^/.])$ /$1/ [R=301,L]\n"],
    [
      "after a rule that ends the rules for files",
      `RewriteCond %{REQUEST_FILENAME} -f\nRewriteRule ^ - [L]\n${noSlash}${add}`,
    ],
    [
      "after folders with files",
      `RewriteRule ^(css|js|images|img|assets|static|public|media|uploads)/|^(style|script|logo) - [L]\n${noSlash}${add}`,
    ],
    ["for the paths of a section", "RewriteRule ^(shop/.*[^/])$ /$1/ [R=301,L]\n"],
    ["for directories", `RewriteCond %{REQUEST_FILENAME} -d\n${noSlash}${add}`],
    ["to another host", `${noSlash}RewriteRule ^(.*)$ https://b.test/$1/ [R=301,L]\n`],
    ["inside of the server", `${noSlash}RewriteRule ^(.*)$ /app/$1/ [L]\n`],
    ["that removes the slash", "RewriteRule ^(.*)/$ /$1 [R=301,L]\n"],
  ])("%s", (_, text) => {
    expect(inFile(text)).toEqual([]);
    expect(onDisk(text)).toEqual([]);
  });

  test("a directory without such files", () => {
    expect(onDisk(noSlash + add, {})).toEqual([]);
    expect(inHost("RedirectMatch 301 ^/([^.]*[^/.])$ /$1/")).toEqual([]);
    expect(inHost("RedirectMatch 301 ^/(.*/)?([^/.]+)$ /$1$2/")).toEqual([]);
  });
});
