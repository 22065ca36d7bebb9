import { expect, test } from "vitest";
import type { Release } from "../../src/directives/directives.js";
import { findMisplaced } from "../../src/validate/misplaced.js";
import { loadModules } from "../support/httpd/httpd.js";
import { load } from "../support/projects.js";

function misplaced(text: string, release: Release = "2.4", files: Readonly<Record<string, string>> = {}): string[] {
  const project = load({ "/etc/httpd/httpd.conf": text, ...files }, { kind: "server", release });
  return findMisplaced(project).map(({ name }) => name);
}

test.each([
  ["outside a section", "Order deny,allow\nDeny from all\n", ["order", "deny"]],
  ["in a virtual host", "<VirtualHost *>\nSSLRequireSSL\n</VirtualHost>\n", ["SSLRequireSSL"]],
  ["whether its module is loaded or not", `${loadModules(["alias"])}Order deny,allow\n`, ["Order"]],
  ["in a section", "<Location /x>\n<Directory /srv>\n</Directory>\n</Location>\n", ["<Directory"]],
  ["Else without If", "<Location /x>\n<Else>\n</Else>\n</Location>\n", ["<Else"]],
])("what stands where the server does not take it: %s", (_, text, names) => {
  expect(misplaced(text)).toEqual(names);
});

test.each([
  ["in a section that takes it", "<Directory /srv>\nOrder deny,allow\nSSLRequireSSL\n</Directory>\n"],
  ["Else behind If", "<Location /x>\n<If true>\n</If>\n<Else>\n</Else>\n</Location>\n"],
  ["in a section that is never closed", "<Location /x>\n<Directory /srv>\n</Directory>\n"],
])("twin: %s", (_, text) => {
  expect(misplaced(text)).toEqual([]);
});

test("each release by its own rules", () => {
  const text = "<VirtualHost *>\n<Limit GET>\n</Limit>\n</VirtualHost>\n";
  expect(misplaced(text, "2.2")).toEqual([]);
  expect(misplaced(text, "2.4")).toEqual(["<Limit"]);
});

test("of `.htaccess` files nothing: they keep no server from starting", () => {
  const text = "DocumentRoot /srv\n<Directory /srv>\nAllowOverride All\n</Directory>\n";
  expect(misplaced(text, "2.4", { "/srv/.htaccess": "Listen 80\n" })).toEqual([]);
});
