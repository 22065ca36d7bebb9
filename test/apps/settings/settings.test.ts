import { describe, expect, test } from "vitest";
import { allRules } from "../../../rules/index.js";
import { findSettings, loadSettings } from "../../../src/apps/settings/settings.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";

function find(directory: string, files: Readonly<Record<string, string>>) {
  return findSettings(directory, memoryAccess(files), allRules);
}

function settingsIn(text: string) {
  const found = find("/srv/web", { "/srv/web/.httpd-lint.json": text });
  return found?.ok ? found.value : undefined;
}

describe("the configuration file is found", () => {
  const files = { "/srv/.httpd-lint.json": '{ "from": "2.2" }', "/srv/web/conf/a.conf": "" };

  test("in the directory, or in the nearest parent directory", () => {
    expect(find("/srv/web/conf", files)).toMatchObject({ value: { path: "/srv/.httpd-lint.json" } });
    const withNearer = { ...files, "/srv/web/.httpd-lint.json": "{}" };
    expect(find("/srv/web/conf", withNearer)).toMatchObject({ value: { path: "/srv/web/.httpd-lint.json" } });
  });

  test("only in the directory and its parents", () => {
    expect(find("/etc/httpd", files)).toBeUndefined();
  });

  test("and rejected if it is invalid", () => {
    expect(find("/srv", { "/srv/.httpd-lint.json": "{" })).toMatchObject({
      ok: false,
      error: { path: "/srv/.httpd-lint.json", mistakes: [{ line: 1, column: 2 }] },
    });
    const error = { message: "permission to read it is denied" };
    const closed = { read: () => ({ ok: false as const, error }) };
    expect(findSettings("/srv", closed, allRules)).toMatchObject({
      ok: false,
      error: { mistakes: [{ message: "the file cannot be read: permission to read it is denied" }] },
    });
  });

  test("by its path, if that is set", () => {
    expect(loadSettings("/none.json", memoryAccess({}), allRules)).toMatchObject({
      ok: false,
      error: { mistakes: [{ message: "the file cannot be read: it does not exist" }] },
    });
  });
});

describe("paths in the configuration file", () => {
  test("are relative to the file", () => {
    const settings = settingsIn(
      '{ "entry": "conf/httpd.conf", "sysroot": "../image", "files": "paths.txt", "baseline": "known.json" }',
    );
    expect(settings?.servers).toMatchObject([
      { entry: "/srv/web/conf/httpd.conf", sysroot: "/srv/image", files: "/srv/web/paths.txt" },
    ]);
    expect(settings?.baseline).toBe("/srv/web/known.json");
  });

  test("are unchanged if they are absolute, and keywords are not paths", () => {
    expect(settingsIn('{ "serverRoot": "/etc/httpd", "files": "assume" }')?.common).toMatchObject({
      serverRoot: "/etc/httpd",
      files: "assume",
    });
  });
});

test("options of a server override the common options", () => {
  const settings = settingsIn(`{
    "from": "2.2", "defines": ["SSL"],
    "servers": [{ "entry": "a.conf" }, { "entry": "b.conf", "from": "2.4", "defines": [] }]
  }`);
  expect(settings?.servers).toMatchObject([
    { entry: "/srv/web/a.conf", from: "2.2", defines: ["SSL"] },
    { entry: "/srv/web/b.conf", from: "2.4", defines: [] },
  ]);
});
