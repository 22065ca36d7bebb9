import { chmodSync, lstatSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { replaceFile } from "../../../src/apps/file-changes/atomic-write.js";
import { diskFileSystem } from "../../../src/apps/file-changes/file-system.js";
import { lintedFolder } from "../../support/programs/test-folder.js";

const { at, lint, textOf, write } = lintedFolder();

/** Returns the permission bits of a regular file; undefined for anything else. */
function modeOf(name: string): number | undefined {
  const status = lstatSync(at(name));
  return status.isFile() ? status.mode & 0o7777 : undefined;
}

test.each([
  ["is dangling", "../nowhere"],
  ["has a target", "other"],
])("a file that replaces a link has the requested mode if the link %s", (_what, target) => {
  write({ other: "unchanged\n" });
  symlinkSync(target, at("file"));
  const attributes = { mode: 0o600, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  expect(replaceFile(at("file"), "new\n", at("file.tmp"), attributes, diskFileSystem)).toBeUndefined();
  expect([modeOf("file"), textOf("file"), textOf("other")]).toEqual([0o600, "new\n", "unchanged\n"]);
});

test("a new file has the mode of the file that it replaces", () => {
  write({ file: "old\n" });
  chmodSync(at("file"), 0o640);
  const attributes = { mode: 0o600, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  expect(replaceFile(at("file"), "new\n", at("file.tmp"), attributes, diskFileSystem)).toBeUndefined();
  expect(modeOf("file")).toBe(0o640);
});

test("the commands do not write a cache, baseline or configuration file that everyone can write to", () => {
  write({ "a.conf": "Optoins None\n", "httpd.conf": "Listen 80\n" });
  for (const name of [".httpd-lint-cache", "known.json", ".httpd-lint.json"]) symlinkSync("../nowhere/x", at(name));
  lint(["check", "a.conf", "--no-config", "--cache", "--baseline", "known.json", "--update-baseline"]);
  lint(["check", "a.conf", "--no-config", "--cache"]);
  lint(["init", ".", "--force"]);
  expect(modeOf(".httpd-lint-cache")).toBe(0o600);
  for (const name of ["known.json", ".httpd-lint.json"]) expect(modeOf(name)).toBe(0o666 & ~process.umask());
});
