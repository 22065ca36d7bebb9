import { expect, test } from "vitest";
import { findingsOf, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const misplacedRewriteBase = onlyVariant(wrongTargetPath, "misplaced-rewrite-base");

const rule = "RewriteEngine On\nRewriteRule ^a$ index.html [L]\n";
const inFile = (lines: string) => findingsOf([misplacedRewriteBase], lines, { kind: "htaccess" });
const server = onServer(section('Directory "/srv"', "Require all granted", "AllowOverride All"));
const onDisk = (lines: string, files: Readonly<Record<string, string>> = {}) =>
  findingsOf([misplacedRewriteBase], server, { files: { "/srv/index.html": "", ...files, "/srv/.htaccess": lines } });

test.each(["/var/www/html", "/home/user/public_html/", "/srv/www/blog"])("reports the disk path %s", (base) => {
  expect(inFile(`RewriteBase ${base}\n${rule}`).map(({ message }) => message)).toEqual([
    `\`RewriteBase\` is the path of a directory, not of a URL: \`${base}\``,
  ]);
});

test("reports a URL that does not exist", () => {
  expect(onDisk(`RewriteBase /blog/\n${rule}`)).toMatchObject([
    {
      message: "the URL path of `RewriteBase` does not exist: `/blog/`",
      notes: [
        "GET `/blog/` from 203.0.113.9 returns 404",
        "httpd puts it before relative targets, which are then not found",
      ],
    },
  ]);
});

test.each([
  ["a URL path in a file that is checked on its own", () => inFile(`RewriteBase /blog/\n${rule}`)],
  ["a disk path without a relative target", () => inFile("RewriteBase /var/www\nRewriteRule ^a$ /b\n")],
  ["the document root", () => onDisk(`RewriteBase /\n${rule}`)],
  ["a directory that exists", () => onDisk(`RewriteBase /blog/\n${rule}`, { "/srv/blog/x": "" })],
  [
    "rules without a relative target",
    () => onDisk("RewriteEngine On\nRewriteBase /blog/\nRewriteRule ^a$ /index.html\n"),
  ],
])("does not report %s", (_, run) => {
  expect(run()).toEqual([]);
});
