import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { createDefaultFiles } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { findingsOf, type Given, section } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { missingDocumentRoot } from "./missing-document-root.js";

const files = { "/srv/www/index.html": "" };
const check = (text: string, given: Given = {}) =>
  findingsOf([missingDocumentRoot], text, { files, ...given }).map(({ severity, text: underlined }) => [
    severity,
    underlined,
  ]);
const onHost = (root: string) => section("VirtualHost *:80", `DocumentRoot ${root}`);

test("reports an error for the main server and a warning for a virtual host", () => {
  expect(check("DocumentRoot /srv/ww\n")).toEqual([["error", "/srv/ww"]]);
  expect(check(onHost("/srv/ww"))).toEqual([["warning", "/srv/ww"]]);
});

test("reports every line, and the path of a file", () => {
  expect(check("DocumentRoot /srv/a\nDocumentRoot /srv/www\n")).toEqual([["error", "/srv/a"]]);
  expect(check("DocumentRoot /srv/www/index.html\n")).toEqual([["error", "/srv/www/index.html"]]);
});

test("reports a path relative to the ServerRoot", () => {
  expect(check("ServerRoot /etc/httpd\nDocumentRoot htdocs\n")).toEqual([["error", "htdocs"]]);
});

test.each([
  ["a directory", "DocumentRoot /srv/www\n"],
  ["a directory with a slash at the end", `DocumentRoot "/srv/www/"\n`],
  ["a directory whose parent does not exist either", "DocumentRoot /data/www\n"],
  ["a directory in the root of the file system", "DocumentRoot /www\n"],
  ["an unset variable", "DocumentRoot /srv/${SITE}\n"],
  ["a placeholder", "DocumentRoot /srv/{{site}}\n"],
  ["a ServerRoot that does not exist", "ServerRoot /opt/httpd\nDocumentRoot /srv/ww\n"],
])("does not report %s", (_, text) => {
  expect(check(text)).toEqual([]);
});

test("does not report a copy of a main file in another directory", () => {
  const countAt = (entry: string, text = "DocumentRoot /srv/ww\n") => {
    const loaded = loadProject(entry, { kind: "server", access: memoryAccess({ ...files, [entry]: text }) });
    if (!loaded.ok) throw new Error(loaded.error);
    return lintWithoutProofs(loaded.value, { rules: [missingDocumentRoot] }).findings.length;
  };
  expect(countAt("/etc/apache2/apache2.conf")).toBe(1);
  const countInOpt = (root: string) =>
    countAt("/opt/httpd/conf/httpd.conf", `ServerRoot /opt/httpd\nDocumentRoot ${root}\n`);
  expect(countInOpt("htdocs")).toBe(1);
  expect(countInOpt("/opt/httpd/htdocs")).toBe(1);
  expect(countInOpt("/srv/ww")).toBe(0);
  expect(countAt("/home/me/copy/httpd.conf")).toBe(0);
});

test("does not report fragments and 2.2", () => {
  expect(check("DocumentRoot /srv/ww\n", { kind: "fragment" })).toEqual([]);
  expect(check("DocumentRoot /srv/ww\n", { release: "2.2" })).toEqual([]);
});

describe("an Alias whose target does not exist", () => {
  const found = (text: string, more: Readonly<Record<string, string>> = {}) =>
    findingsOf([missingDocumentRoot], text, { files: { "/opt/app/x": "", ...files, ...more } }).map(
      ({ severity, text: underlined }) => [severity, underlined],
    );

  test.each([
    "Alias /static /opt/app/static",
    "Alias /static/ /opt/app/static/",
    'Alias /logo.png "/opt/app/logo.png"',
  ])("%s", (line) => {
    const [, written = ""] = / (?:\S+) (\S+)$/.exec(line) ?? [];
    expect(found(`DocumentRoot /srv/www\n${line}\n`)).toEqual([["warning", written]]);
  });

  test("is reported with the URL and the path", () => {
    const text = "DocumentRoot /srv/www\nAlias /logo.png /opt/app/logo.png\n";
    expect(findingsOf([missingDocumentRoot], text, { files: { "/opt/app/x": "", ...files } })).toMatchObject([
      {
        message: "the target of `Alias` `/logo.png` does not exist: `/opt/app/logo.png`",
        notes: ["httpd starts without a warning, and requests that this line maps return 404"],
      },
    ]);
  });

  test.each([
    "Alias /static /opt/app",
    "Alias /x /opt/app/x",
    // Another machine may have the whole directory.
    "Alias /static /opt/other/static",
    "ScriptAlias /cgi-bin /opt/app/cgi-bin",
    "AliasMatch ^/static /opt/app/static",
  ])("is not reported: %s", (line) => {
    expect(found(`DocumentRoot /srv/www\n${line}\n`)).toEqual([]);
  });
});

test("reports a document root without its parent directory beside one that exists", () => {
  const text = `DocumentRoot /srv/www\n${onHost("/data/shop/public")}`;
  expect(check(text)).toEqual([["warning", "/data/shop/public"]]);
  expect(check(onHost("/data/shop/public"))).toEqual([]);
});

test("reports a slash at the end of a path that does not exist", () => {
  expect(check(onHost("/srv/ww/"))).toEqual([["warning", "/srv/ww/"]]);
});

test("reports a server in place whose documents are elsewhere on this machine", () => {
  const entry = "/opt/httpd/httpd.conf";
  const text = `ServerRoot /opt/httpd\n${onHost("/srv/ww")}${onHost("/srv/www")}`;
  const countWith = (more: Readonly<Record<string, string>>) => {
    const loaded = loadProject(entry, { kind: "server", access: memoryAccess({ ...more, [entry]: text }) });
    if (!loaded.ok) throw new Error(loaded.error);
    return lintWithoutProofs(loaded.value, { rules: [missingDocumentRoot] }).findings.length;
  };
  expect(countWith(files)).toBe(1);
  expect(countWith({ "/srv/other/index.html": "" })).toBe(0);
});

test("does not report other places of a server that only shares one document root with this machine", () => {
  const entry = "/home/me/site/httpd.conf";
  const lines = ["DocumentRoot /srv/www", "ErrorLog /var/log/httpd/error_log"];
  const countWith = (root: string) => {
    const text = `ServerRoot /etc/apache2\n${lines.join("\n")}\n${onHost(root)}`;
    const disk = { ...files, "/etc/apache2/apache2.conf": "", "/var/log/syslog": "", [entry]: text };
    const loaded = loadProject(entry, { kind: "server", access: memoryAccess(disk) });
    if (!loaded.ok) throw new Error(loaded.error);
    return lintWithoutProofs(loaded.value, { rules: [missingDocumentRoot, refusedAtStart] }).findings.length;
  };
  expect(countWith("/data/sites/b")).toBe(0);
  expect(countWith("/srv/ww")).toBe(1);
});

describe("below a system root", () => {
  const countOn = (text: string, more: Readonly<Record<string, string>>) => {
    const entry = "/etc/httpd/conf/httpd.conf";
    const access = { ...memoryAccess({ [entry]: `ServerRoot /etc/httpd\n${text}`, ...more }), isCopy: true };
    const loaded = loadProject(entry, { kind: "server", access });
    if (!loaded.ok) throw new Error(loaded.error);
    const found = { rules: [missingDocumentRoot], files: createDefaultFiles(loaded.value, access) };
    return lintWithoutProofs(loaded.value, found).findings.length;
  };

  test.each([
    ["a document root beside other directories", onHost("/srv/ww"), files],
    ["the target of an Alias beside other directories", "Alias /a /srv/ww\n", files],
  ])("reports %s", (_, text, more) => expect(countOn(text, more)).toBe(1));

  test.each([
    ["a document root whose parent directory is not copied", onHost("/data/ww"), files],
    ["a document root beside the configuration", onHost("/etc/httpd/htdocs"), files],
    ["a directory of programs", "ScriptAlias /a /srv/ww\n", files],
    ["a document root that exists", onHost("/srv/www"), files],
  ])("does not report %s", (_, text, more) => expect(countOn(text, more)).toBe(0));
});
