import { expect, test } from "vitest";
import { findingsOf, section } from "../../test/support/rules.js";
import { filesystemRootReachable } from "./filesystem-root-reachable.js";

const granted = section('Directory "/"', "Require all granted");
const denied = section('Directory "/"', "Require all denied");
const rewriting = 'DocumentRoot "/srv"\nRewriteEngine On';
const check = (...lines: readonly string[]) => findingsOf([filesystemRootReachable], `${lines.join("\n")}\n`);

test("reports an AliasMatch to the root directory", () => {
  expect(check('AliasMatch "^/d/(.*)" "/$1"', granted)).toEqual([
    {
      rule: "filesystem-root-reachable",
      severity: "warning",
      at: "1:1-1:28",
      text: 'AliasMatch "^/d/(.*)" "/$1"',
      message: '`AliasMatch "^/d/(.*)" "/$1"` serves files of the whole system',
      notes: ["GET `/d/etc/passwd` from 203.0.113.9 returns 200 with the contents of `/etc/passwd`"],
      help: [
        'deny `<Directory "/">`, and grant only the directories to serve',
        "map the URL to a directory of its own",
      ],
      related: ["httpd.conf:3:1: grants access"],
    },
  ]);
});

test.each([
  ["an Alias", ['Alias "/d" "/"', granted], "GET `/d/etc/passwd`"],
  ["a document root", ['DocumentRoot "/"', granted], "GET `/etc/passwd`"],
  ["no section for the root directory", ['AliasMatch "^/d(/.*)" "$1"', 'Alias "/e/" "/"'], "GET `/e/etc/passwd`"],
  ["a rule", [rewriting, 'RewriteRule "^/u/(.*)" "/etc/$1"', granted], "GET `/u/passwd`"],
  [
    "a rule with a file extension",
    [rewriting, "RewriteOptions UnsafePrefixStat", 'RewriteRule "^/(.+)\\.txt$" "/$1"', granted],
    "GET `/etc/passwd.txt`",
  ],
])("reports %s", (_, lines, request) => {
  expect(check(...lines).flatMap(({ notes }) => notes)).toEqual([expect.stringContaining(request)]);
});

test.each([
  ["a denied root directory", ['AliasMatch "^/d/(.*)" "/$1"', denied]],
  ["a path that requires a user", ['Alias "/d" "/"', section("Location /d", "Require valid-user")]],
  ["a root directory without a mapping", ['DocumentRoot "/srv"', granted]],
  ["a mapping to another directory", ['AliasMatch "^/d/(.*)" "/srv/$1"', granted]],
  ["a rule with a path of the site", [rewriting, 'RewriteRule "^/(.+)\\.txt$" "/$1"', granted]],
  ["a rule of a section", [rewriting, section("Directory /srv", 'RewriteRule "^u/(.*)" "/etc/$1"'), granted]],
  ["a redirect", [rewriting, 'RewriteRule "^/u/(.*)" "/etc/$1" [R]', granted]],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", 'Alias "/d" "/"', granted]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});
