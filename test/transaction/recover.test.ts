import { chmodSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FileSystem } from "../../src/transaction/file-system.js";
import { MAX_JOURNAL_BYTES } from "../../src/transaction/journal.js";
import { type RecoveryOptions, recover } from "../../src/transaction/recover.js";
import { writeChanges } from "../../src/transaction/write-changes.js";
import { plainFiles, testKey } from "./plain-files.js";
import { cutOff, makeTree, type Tree } from "./tree.js";

let tree: Tree;

beforeEach(() => {
  tree = makeTree();
});
afterEach(() => tree[Symbol.dispose]());

const at = (path: string) => join(tree.folder, path);
const recoverTo = (wanted: "before" | "after" = "after", more: Partial<RecoveryOptions> = {}) =>
  recover(tree.place, plainFiles, { wanted, key: testKey, ...more });
const journal = () => join(tree.place, "unfinished/journal.json");

test("recovering finds nothing to do where no run was cut off", () => {
  const nothing = { recovered: "nothing", files: [] };
  expect(recoverTo()).toEqual(nothing);
  writeChanges(tree.changes, tree.place, plainFiles, testKey);
  expect(recoverTo()).toEqual(nothing);
});

test("recovering reports which contents are in place, and where the others are", () => {
  cutOff(tree);
  const files = tree.changes.map(({ path }) => path);
  const recovered = recoverTo();
  expect(recovered).toEqual({ recovered: "after", files, backup: expect.stringContaining("/backup-") });
});

test("recovering changes nothing if a file was edited, and reports where its original is", () => {
  cutOff(tree);
  writeFileSync(at("conf/secret.conf"), "# by hand\n");
  const state = tree.state();
  for (const wanted of ["after", "before"] as const) {
    const outcome = recoverTo(wanted);
    expect(outcome).toMatchObject({ failed: { kind: "edited", path: at("conf/secret.conf") } });
    expect(outcome).toMatchObject({
      failed: { message: expect.stringContaining(`to \`${tree.place}/backup-by-hand\``) },
    });
    const saved = /`([^`]*unfinished\/old[^`]*)`/.exec("failed" in outcome ? outcome.failed.message : "")?.[1];
    expect(readFileSync(saved ?? "", "latin1")).toBe(tree.changes[1]?.before);
  }
  expect(tree.state()).toEqual(state);
  // The manual step from the message.
  renameSync(join(tree.place, "unfinished"), join(tree.place, "backup-by-hand"));
  expect(recoverTo()).toMatchObject({ recovered: "nothing" });
});

test("recovering changes nothing if a file was deleted", () => {
  cutOff(tree);
  unlinkSync(at("conf/secret.conf"));
  expect(recoverTo()).toMatchObject({ failed: { kind: "edited" } });
});

test("recovering changes nothing if originals were deleted", () => {
  cutOff(tree);
  const state = tree.state();
  for (const name of ["old", "2.new"]) rmSync(join(tree.place, "unfinished", name), { recursive: true });
  expect(recoverTo()).toMatchObject({
    failed: { kind: "journal", message: expect.stringContaining("are no longer in") },
  });
  expect(tree.state()).toEqual(state);
});

test.each([
  ["another version", '{"version":3,"moves":[]}', "another version of httpd-lint (journal version 3)"],
  ["no JSON", "{", "is damaged"],
  ["no object", "null", "is damaged"],
  ["a path that leads elsewhere", journalOf({ path: "/etc/../x" }), "is damaged"],
  ["a relative path", journalOf({ path: "etc/x" }), "is damaged"],
  ["a backup that leads elsewhere", journalOf({}, { backup: "../x" }), "is damaged"],
  ["no texts", journalOf({ after: 1 }), "is damaged"],
  ["no way of writing", journalOf({ inPlace: 1 }), "is damaged"],
  ["a backup of another name", journalOf({}, { backup: "unfinished" }), "is damaged"],
  ["nobody", journalOf({}), "it is not signed with your key on this machine"],
  ["somebody else", journalOf({}, { signature: "0".repeat(64) }), "it is not signed with your key on this machine"],
])("recovering changes nothing by a journal of %s", (_, text, message) => {
  cutOff(tree);
  const state = tree.state();
  writeFileSync(journal(), text);
  expect(recoverTo()).toMatchObject({
    failed: { kind: "journal", path: journal(), message: expect.stringContaining(message) },
  });
  expect(tree.state()).toEqual(state);
});

test("recovering reads no journal that is larger than any of ours", () => {
  cutOff(tree);
  const inspect: FileSystem["inspect"] = (path) => {
    const seen = plainFiles.inspect(path);
    return seen && path === journal() ? { ...seen, size: MAX_JOURNAL_BYTES + 1 } : seen;
  };
  const outcome = recover(tree.place, { ...plainFiles, inspect }, { wanted: "after", key: testKey });
  expect(outcome).toMatchObject({ failed: { kind: "journal", message: expect.stringContaining("is damaged") } });
});

test("recovering by a journal that is signed for another machine changes nothing", () => {
  cutOff(tree);
  const state = tree.state();
  const outcome = recoverTo("before", { key: { ...testKey, owner: "elsewhere" } });
  expect(outcome).toMatchObject({ failed: { message: expect.stringContaining("not signed with your key") } });
  expect(tree.state()).toEqual(state);
  expect(recoverTo("before")).toMatchObject({ recovered: "before" });
});

test("recovering writes no new content that differs from the journal", () => {
  cutOff(tree);
  const state = tree.state();
  writeFileSync(join(tree.place, "unfinished/2.new"), "Require all granted # and more\n");
  for (const wanted of ["after", "before"] as const)
    expect(recoverTo(wanted)).toMatchObject({
      failed: { message: expect.stringContaining("differs from what the interrupted run") },
    });
  expect(tree.state()).toEqual(state);
});

test("recovering follows no link that took the place of a directory on the way", () => {
  cutOff(tree);
  renameSync(at("sites-available"), at("moved"));
  symlinkSync("moved", at("sites-available"));
  expect(recoverTo()).toMatchObject({ failed: { kind: "edited", path: at("sites-available/a.conf") } });
});

test("recovering reads no journal that others may have written", () => {
  cutOff(tree);
  chmodSync(tree.place, 0o777);
  expect(recoverTo()).toMatchObject({ failed: { kind: "place" } });
});

function journalOf(file: object, more: object = {}): string {
  const files = [{ path: "/etc/x", before: "", after: "", inPlace: false, ...file }];
  return JSON.stringify({ version: 2, backup: "backup-x", files, ...more });
}
