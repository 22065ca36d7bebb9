import { expect, test } from "vitest";
import type { Release } from "../../src/facts/release.js";
import { findMisplaced } from "../../src/startup/misplaced.js";
import { load } from "../support/projects.js";

function misplacedNames(
  text: string,
  release: Release = "2.4",
  files: Readonly<Record<string, string>> = {},
): string[] {
  const project = load({ "/etc/httpd/httpd.conf": text, ...files }, { kind: "server", release });
  return findMisplaced(project).map(({ name }) => name);
}

test.each([
  ["access control outside of sections", "Order deny,allow\nDeny from all\n", ["order", "deny"]],
  ["a directive in a virtual host", "<VirtualHost *>\nSSLRequireSSL\n</VirtualHost>\n", ["SSLRequireSSL"]],
  ["a directive whose module is not loaded", "LoadModule alias_module mod_alias.so\nOrder deny,allow\n", ["Order"]],
  ["a section in a section", "<Location /x>\n<Directory /srv>\n</Directory>\n</Location>\n", ["<Directory"]],
  [
    "a section in one with a misspelled closing tag",
    "<Location /x>\n<Directory /srv>\n</Directory>\n</Locatio>\n",
    ["<Directory"],
  ],
  ["Else without If", "<Location /x>\n<Else>\n</Else>\n</Location>\n", ["<Else"]],
])("reports %s", (_, text, names) => {
  expect(misplacedNames(text)).toEqual(names);
});

test.each([
  ["directives in a section that allows them", "<Directory /srv>\nOrder deny,allow\nSSLRequireSSL\n</Directory>\n"],
  ["Else after If", "<Location /x>\n<If true>\n</If>\n<Else>\n</Else>\n</Location>\n"],
  ["a section in an unclosed section", "<Location /x>\n<Directory /srv>\n</Directory>\n"],
])("twin: does not report %s", (_, text) => {
  expect(misplacedNames(text)).toEqual([]);
});

test("reports contexts that the release does not allow", () => {
  const text = "<VirtualHost *>\n<Limit GET>\n</Limit>\n</VirtualHost>\n";
  expect(misplacedNames(text, "2.2")).toEqual([]);
  expect(misplacedNames(text, "2.4")).toEqual(["<Limit"]);
});

test("does not report `.htaccess` files, because they do not prevent httpd from starting", () => {
  const text = "DocumentRoot /srv\n<Directory /srv>\nAllowOverride All\n</Directory>\n";
  expect(misplacedNames(text, "2.4", { "/srv/.htaccess": "Listen 80\n" })).toEqual([]);
});
