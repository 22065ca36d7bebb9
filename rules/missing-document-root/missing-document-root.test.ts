import { expect, test } from "vitest";
import { lintProject } from "../../src/engine/run-rules.js";
import { memoryAccess } from "../../src/project/files/file-access.js";
import { loadProject } from "../../src/project/load.js";
import { findingsOf, type Given, section } from "../../test/support/rules.js";
import { missingDocumentRoot } from "./missing-document-root.js";

const files = { "/srv/www/index.html": "" };
const seen = (text: string, given: Given = {}) =>
  findingsOf([missingDocumentRoot], text, { files, ...given }).map(({ severity, text: underlined }) => [
    severity,
    underlined,
  ]);
const onHost = (root: string) => section("VirtualHost *:80", `DocumentRoot ${root}`);

test("stops the start for the main server, and is a warning for a virtual host", () => {
  expect(seen("DocumentRoot /srv/ww\n")).toEqual([["error", "/srv/ww"]]);
  expect(seen(onHost("/srv/ww"))).toEqual([["warning", "/srv/ww"]]);
});

test("every line counts, and so does a file", () => {
  expect(seen("DocumentRoot /srv/a\nDocumentRoot /srv/www\n")).toEqual([["error", "/srv/a"]]);
  expect(seen("DocumentRoot /srv/www/index.html\n")).toEqual([["error", "/srv/www/index.html"]]);
});

test("a path relative to the ServerRoot", () => {
  expect(seen("ServerRoot /etc/httpd\nDocumentRoot htdocs\n")).toEqual([["error", "htdocs"]]);
});

test.each([
  ["a directory", "DocumentRoot /srv/www\n"],
  ["a directory with a slash at the end", `DocumentRoot "/srv/www/"\n`],
  ["a parent that does not exist either", "DocumentRoot /data/www\n"],
  ["a directory in the root of the file system", "DocumentRoot /www\n"],
  ["an unset variable", "DocumentRoot /srv/${SITE}\n"],
  ["a placeholder", "DocumentRoot /srv/{{site}}\n"],
  ["a ServerRoot that does not exist", "ServerRoot /opt/httpd\nDocumentRoot /srv/ww\n"],
])("twins: %s", (_, text) => {
  expect(seen(text)).toEqual([]);
});

test("a copy of a main file in another directory is not checked", () => {
  const findingsAt = (entry: string, text = "DocumentRoot /srv/ww\n") => {
    const loaded = loadProject(entry, { kind: "server", access: memoryAccess({ ...files, [entry]: text }) });
    if ("failed" in loaded) throw new Error(loaded.failed);
    return lintProject(loaded.project, { rules: [missingDocumentRoot] }).findings.length;
  };
  expect(findingsAt("/etc/apache2/apache2.conf")).toBe(1);
  const opt = (root: string) =>
    findingsAt("/opt/httpd/conf/httpd.conf", `ServerRoot /opt/httpd\nDocumentRoot ${root}\n`);
  expect(opt("htdocs")).toBe(1);
  expect(opt("/opt/httpd/htdocs")).toBe(1);
  expect(opt("/srv/ww")).toBe(0);
  expect(findingsAt("/home/me/copy/httpd.conf")).toBe(0);
});

test("says nothing of a fragment, and of 2.2", () => {
  expect(seen("DocumentRoot /srv/ww\n", { kind: "fragment" })).toEqual([]);
  expect(seen("DocumentRoot /srv/ww\n", { release: "2.2" })).toEqual([]);
});
