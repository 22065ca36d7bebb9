import { chmodSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FileSystem } from "../../../src/apps/file-changes/file-system.js";
import { MAX_JOURNAL_BYTES } from "../../../src/apps/file-changes/journal.js";
import { type RecoveryOptions, recover } from "../../../src/apps/file-changes/recover.js";
import { writeChanges } from "../../../src/apps/file-changes/write-changes.js";
import { plainFiles, testKey } from "./plain-files.js";
import { interruptRun, makeTree, type Tree } from "./tree.js";

let tree: Tree;

beforeEach(() => {
  tree = makeTree();
});
afterEach(() => tree[Symbol.dispose]());

const at = (path: string) => join(tree.folder, path);
const recoverTo = (wanted: "before" | "after" = "after", more: Partial<RecoveryOptions> = {}) =>
  recover(tree.place, plainFiles, { wanted, key: testKey, ...more });
const journal = () => join(tree.place, "unfinished/journal.json");

test("recovery does nothing if no run was interrupted", () => {
  const nothing = { ok: true, value: { recovered: "nothing", files: [] } };
  expect(recoverTo()).toEqual(nothing);
  writeChanges(tree.changes, tree.place, plainFiles, testKey);
  expect(recoverTo()).toEqual(nothing);
});

test("recovery reports which contents are in place, and the location of the others", () => {
  interruptRun(tree);
  const files = tree.changes.map(({ path }) => path);
  const recovered = recoverTo();
  expect(recovered).toEqual({
    ok: true,
    value: { recovered: "after", files, backup: expect.stringContaining("/backup-") },
  });
});

test("recovery changes nothing if a file was edited, and reports the location of its original", () => {
  interruptRun(tree);
  writeFileSync(at("conf/secret.conf"), "# by hand\n");
  const state = tree.state();
  for (const wanted of ["after", "before"] as const) {
    const outcome = recoverTo(wanted);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "edited", path: at("conf/secret.conf") } });
    expect(outcome).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(`to \`${tree.place}/backup-by-hand\``) },
    });
    const saved = /`([^`]*unfinished\/old[^`]*)`/.exec(outcome.ok ? "" : outcome.error.message)?.[1];
    expect(readFileSync(saved ?? "", "latin1")).toBe(tree.changes[1]?.before);
  }
  expect(tree.state()).toEqual(state);
  // The manual step from the message.
  renameSync(join(tree.place, "unfinished"), join(tree.place, "backup-by-hand"));
  expect(recoverTo()).toMatchObject({ value: { recovered: "nothing" } });
});

test("recovery changes nothing if a file was deleted", () => {
  interruptRun(tree);
  unlinkSync(at("conf/secret.conf"));
  expect(recoverTo()).toMatchObject({ ok: false, error: { kind: "edited" } });
});

test("recovery changes nothing if originals were deleted", () => {
  interruptRun(tree);
  const state = tree.state();
  for (const name of ["old", "2.new"]) rmSync(join(tree.place, "unfinished", name), { recursive: true });
  expect(recoverTo()).toMatchObject({
    ok: false,
    error: { kind: "journal", message: expect.stringContaining("are no longer in") },
  });
  expect(tree.state()).toEqual(state);
});

test.each([
  ["has another version", '{"version":3,"moves":[]}', "another version of httpd-lint (journal version 3)"],
  ["is not JSON", "{", "is damaged"],
  ["is not an object", "null", "is damaged"],
  ["has a path with `..`", journalOf({ path: "/etc/../x" }), "is damaged"],
  ["has a relative path", journalOf({ path: "etc/x" }), "is damaged"],
  ["has a backup with `..`", journalOf({}, { backup: "../x" }), "is damaged"],
  ["has no contents", journalOf({ after: 1 }), "is damaged"],
  ["has an invalid write mode", journalOf({ inPlace: 1 }), "is damaged"],
  ["has an invalid backup name", journalOf({}, { backup: "unfinished" }), "is damaged"],
  ["has no signature", journalOf({}), "it is not signed with your key on this machine"],
  [
    "has another signature",
    journalOf({}, { signature: "0".repeat(64) }),
    "it is not signed with your key on this machine",
  ],
])("recovery changes nothing if the journal %s", (_, text, message) => {
  interruptRun(tree);
  const state = tree.state();
  writeFileSync(journal(), text);
  expect(recoverTo()).toMatchObject({
    ok: false,
    error: { kind: "journal", path: journal(), message: expect.stringContaining(message) },
  });
  expect(tree.state()).toEqual(state);
});

test("recovery does not read a journal that exceeds the maximum size", () => {
  interruptRun(tree);
  const inspect: FileSystem["inspect"] = (path) => {
    const actual = plainFiles.inspect(path);
    return actual && path === journal() ? { ...actual, size: MAX_JOURNAL_BYTES + 1 } : actual;
  };
  const outcome = recover(tree.place, { ...plainFiles, inspect }, { wanted: "after", key: testKey });
  expect(outcome).toMatchObject({
    ok: false,
    error: { kind: "journal", message: expect.stringContaining("is damaged") },
  });
});

test("recovery changes nothing if the journal is signed for another machine", () => {
  interruptRun(tree);
  const state = tree.state();
  const outcome = recoverTo("before", { key: { ok: true, value: { ...testKey.value, owner: "elsewhere" } } });
  expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining("not signed with your key") } });
  expect(tree.state()).toEqual(state);
  expect(recoverTo("before")).toMatchObject({ value: { recovered: "before" } });
});

test("recovery does not write contents that differ from the journal", () => {
  interruptRun(tree);
  const state = tree.state();
  writeFileSync(join(tree.place, "unfinished/2.new"), "Require all granted # and more\n");
  for (const wanted of ["after", "before"] as const)
    expect(recoverTo(wanted)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("differs from what the interrupted run") },
    });
  expect(tree.state()).toEqual(state);
});

test("recovery does not follow a link that replaced a parent directory", () => {
  interruptRun(tree);
  renameSync(at("sites-available"), at("moved"));
  symlinkSync("moved", at("sites-available"));
  expect(recoverTo()).toMatchObject({ ok: false, error: { kind: "edited", path: at("sites-available/a.conf") } });
});

test("recovery does not read a journal that others may have written", () => {
  interruptRun(tree);
  chmodSync(tree.place, 0o777);
  expect(recoverTo()).toMatchObject({ ok: false, error: { kind: "place" } });
});

function journalOf(file: object, more: object = {}): string {
  const files = [{ path: "/etc/x", before: "", after: "", inPlace: false, ...file }];
  return JSON.stringify({ version: 2, backup: "backup-x", files, ...more });
}
