import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileFacts, FileSystem } from "../../../src/apps/file-changes/file-system.js";
import { defaultBackupDirectoryOf } from "../../../src/apps/file-changes/journal.js";
import { recover } from "../../../src/apps/file-changes/recover.js";
import { writeChanges } from "../../../src/apps/file-changes/write-changes.js";
import { run } from "../../support/programs/command.js";
import { killed, type Stop, StoppedFiles, systemError } from "../../support/programs/interrupted-files.js";
import { attributedFiles, plainFiles, testKey } from "./plain-files.js";
import { changedState, interruptRun, makeTree, type Tree } from "./tree.js";

let tree: Tree;

beforeEach(() => {
  tree = makeTree();
});
afterEach(() => tree[Symbol.dispose]());

const at = (path: string) => join(tree.folder, path);
const write = (system: FileSystem = plainFiles, place = tree.place) =>
  writeChanges(tree.changes, place, system, testKey);
const { user } = plainFiles;

/** Returns the disk with some facts changed. */
function withFacts(path: string, facts: Partial<FileFacts>): FileSystem {
  return {
    ...plainFiles,
    inspect(each) {
      const actual = plainFiles.inspect(each);
      return actual && each === path ? { ...actual, ...facts } : actual;
    },
  };
}

/** Expects a rejection without any change or new file. */
function expectRejected(outcome: unknown, state: object, kind: string, message: string | RegExp): void {
  expect(outcome).toEqual({
    ok: false,
    error: { kind, path: expect.any(String), message: expect.stringMatching(message) },
  });
  expect(tree.state()).toEqual(state);
  expect(existsSync(join(tree.place, "unfinished"))).toBe(false);
}

describe("written files", () => {
  test("have the new contents, the original mode and owner, and keep links", () => {
    const after = changedState(tree);
    expect(write()).toMatchObject({ value: { written: tree.changes.map(({ path }) => path) } });
    expect(tree.state()).toEqual(after);
  });

  test("have a backup that `cp -a` restores", () => {
    const before = tree.state();
    const written = write();
    if (!written.ok) throw new Error(written.error.message);
    expect(written.value.backup).toMatch(/\/conf\/\.httpd-lint\/backup-[\dTZ-]+$/);
    expect(readdirSync(tree.place)).toHaveLength(1);
    expect(readdirSync(written.value.backup ?? "").sort()).toEqual(["journal.json", "old"]);
    // Only the contents of the folder are copied, because other processes may change the timestamps of its parents.
    expect(run("cp", ["-a", `${written.value.backup}/old${tree.folder}/.`, tree.folder]).status).toBe(0);
    expect(tree.state()).toEqual(before);
  });

  test("are overwritten if a new file would lose the ACL or attributes", () => {
    const after = changedState(tree);
    const inode = (path: string) => statSync(path).ino;
    const before = tree.changes.map(({ path }) => inode(path));
    const written = write(attributedFiles);
    if (!written.ok) throw new Error(written.error.message);
    expect([tree.state(), tree.changes.map(({ path }) => inode(path))]).toEqual([after, before]);
    expect(readdirSync(written.value.backup ?? "").sort()).toEqual(["journal.json", "old"]);
  });

  test("are replaced if the new file keeps the attributes", () => {
    const before = tree.changes.map(({ path }) => statSync(path).ino);
    const copied = new Set<string>();
    write({
      ...plainFiles,
      extendedAttributes: (path) => ({ text: copied.has(path) || /conf$/.test(path) ? "acl" : "", isComplete: true }),
      copyExtendedAttributes: (_, to) => copied.add(to),
    });
    expect(tree.changes.map(({ path }) => statSync(path).ino)).not.toEqual(before);
    expect([...copied].filter((path) => path.endsWith(".new"))).toHaveLength(3);
  });

  test("have a backup that other users cannot read", () => {
    write();
    expect(statSync(tree.place).mode & 0o777).toBe(0o700);
  });

  test("do not exist if no contents change", () => {
    const same = tree.changes.map((change) => ({ ...change, after: change.before }));
    expect(writeChanges(same, tree.place, plainFiles, testKey)).toEqual({
      ok: true,
      value: { written: [], backup: undefined },
    });
    expect(existsSync(tree.place)).toBe(false);
  });

  test("can be written again, with a separate backup", () => {
    write();
    const back = tree.changes.map(({ path, before, after }) => ({ path, before: after, after: before }));
    // Backups are named by their time, in milliseconds.
    const later = new Date(Date.now() + 1000);
    expect(writeChanges(back, tree.place, plainFiles, testKey, later)).toMatchObject({
      value: { written: expect.any(Array) },
    });
    expect(readdirSync(tree.place)).toHaveLength(2);
  });

  test("have a backup directory that can be reached through a link", () => {
    mkdirSync(at("real"), { mode: 0o700 });
    symlinkSync(at("real"), at("link"));
    expect(write(plainFiles, at("link/saved"))).toMatchObject({
      value: { backup: expect.stringContaining(at("real/saved/backup-")) },
    });
  });

  test("have a backup directory next to the main file by default", () => {
    expect(defaultBackupDirectoryOf(at("conf/main.conf"))).toBe(tree.place);
  });
});

describe("nothing is written if", () => {
  test("a file was changed after it was read", () => {
    writeFileSync(at("sites-available/a.conf"), "Require all denied\n");
    expectRejected(write(), tree.state(), "changed", /a\.conf` was changed since it was read, so nothing was written/);
    expect(existsSync(tree.place)).toBe(false);
  });

  test("a file is changed while the new contents are prepared", () => {
    const edited = "Require all denied\n";
    const path = at("conf/secret.conf");
    const system = new StoppedFiles(plainFiles, (_, operation) => {
      // The first rename is the journal's.
      if (operation === "rename") writeFileSync(path, edited);
      return undefined;
    });
    const outcome = write(system);
    expect(readFileSync(path, "latin1")).toBe(edited);
    expectRejected(outcome, tree.state(), "changed", /secret\.conf` was changed while/);
    expect(readFileSync(tree.changes[0]?.path ?? "", "latin1")).toBe(tree.changes[0]?.before);
  });

  test("a file is changed at that time, and the cleanup is interrupted", () => {
    const edited = "Require all denied\n";
    let removed = 0;
    const stop: Stop = (_, operation) => {
      if (operation === "rename") writeFileSync(at("conf/secret.conf"), edited);
      if (operation === "remove") removed++;
      return removed === 2 ? killed : undefined;
    };
    expect(() => write(new StoppedFiles(plainFiles, stop))).toThrow();
    expect(recover(tree.place, plainFiles, { wanted: "after", key: testKey })).toEqual({
      ok: true,
      value: { recovered: "before", files: [] },
    });
    expect(readFileSync(at("conf/secret.conf"), "latin1")).toBe(edited);
  });

  test("a file was deleted", () => {
    unlinkSync(at("conf/main.conf"));
    expectRejected(write(), tree.state(), "changed", /main\.conf` no longer exists/);
  });

  test("a file was replaced with a link", () => {
    renameSync(at("conf/main.conf"), at("conf/moved.conf"));
    symlinkSync("moved.conf", at("conf/main.conf"));
    expectRejected(
      write(),
      tree.state(),
      "not-replaceable",
      /main\.conf` is not a regular file, or is reached through a link/,
    );
  });

  test("a parent directory is a link", () => {
    renameSync(at("sites-available"), at("moved"));
    symlinkSync("moved", at("sites-available"));
    expectRejected(
      write(),
      tree.state(),
      "not-replaceable",
      /a\.conf` is not a regular file, or is reached through a link/,
    );
  });

  test("a file has a second name", () => {
    linkSync(at("conf/main.conf"), at("conf/second.conf"));
    expectRejected(write(), tree.state(), "not-replaceable", /main\.conf` has 2 hard links/);
  });

  test("a file is on another file system than the backup directory", () => {
    const system = withFacts(at("sites-available"), { device: -1 });
    expectRejected(
      write(system),
      tree.state(),
      "not-replaceable",
      /a\.conf` is on another file system .* --backup-dir/,
    );
  });

  test("a file belongs to another user, and the process is not root", () => {
    const system = { ...plainFiles, user: 4_711 };
    expectRejected(
      write(system),
      tree.state(),
      "not-replaceable",
      /main\.conf` belongs to another user, .* run it as root/,
    );
  });

  test("another run begins at the same time", () => {
    const unfinished = join(tree.place, "unfinished");
    const system: FileSystem = {
      ...plainFiles,
      makeDirectory(path) {
        if (path === unfinished) mkdirSync(path);
        plainFiles.makeDirectory(path);
      },
    };
    const message = `cannot write \`${unfinished}\`: the name already exists, so nothing was changed; check whether`;
    expect(write(system)).toMatchObject({
      ok: false,
      error: { kind: "system", message: expect.stringContaining(message) },
    });
    expect(existsSync(unfinished)).toBe(true);
  });

  test.each(["conf/main.conf", "sites-available"])("%s is not writable", (path) => {
    const system: FileSystem = {
      ...plainFiles,
      checkWritable(each) {
        if (each === at(path)) throw Object.assign(new Error(), { code: "EACCES", path: each });
      },
    };
    const message = `cannot write \`${at(path)}\`: permission is denied, so nothing was changed; run it as`;
    expectRejected(write(system), tree.state(), "system", message);
  });

  test("the backup directory is a file", () => {
    writeFileSync(tree.place, "");
    expectRejected(write(), tree.state(), "place", /is not a directory/);
  });

  test("the backup directory is a link", () => {
    mkdirSync(at("saved"), { mode: 0o700 });
    symlinkSync(at("saved"), tree.place);
    expectRejected(write(), tree.state(), "place", /\.httpd-lint` is a symbolic link, so nothing was changed/);
    expect(readdirSync(at("saved"))).toEqual([]);
  });

  test("the parent of the backup directory does not exist", () => {
    const outcome = write(plainFiles, at("no/where"));
    expectRejected(outcome, tree.state(), "place", /no\/where` is in a directory that does not exist/);
  });

  test("the backup directory is writable by others", () => {
    mkdirSync(tree.place);
    chmodSync(tree.place, 0o777);
    expectRejected(write(), tree.state(), "place", /is writable by others/);
    chmodSync(tree.place, 0o755);
    expect(write()).toMatchObject({ value: { written: expect.any(Array) } });
  });

  test("the backup directory belongs to another user", () => {
    mkdirSync(tree.place);
    expectRejected(write(withFacts(tree.place, { uid: user + 1 })), tree.state(), "place", /belongs to another user/);
  });

  test("an earlier run was interrupted, with any path of the server", () => {
    symlinkSync("conf", at("linked"));
    interruptRun(tree);
    const state = tree.state();
    const command = `httpd-lint migrate --recover --backup-dir ${tree.place}`;
    for (const place of [tree.place, at("linked/.httpd-lint")])
      expect(write(plainFiles, place)).toMatchObject({
        ok: false,
        error: { kind: "unfinished", message: expect.stringContaining(command) },
      });
    expect(tree.state()).toEqual(state);
  });
});

test("a written file that is edited immediately is not restored if another file cannot be written", () => {
  const edited = "# by hand\n";
  let renames = 0;
  const stop: Stop = (_, operation) => {
    if (operation !== "rename" || ++renames !== 3) return undefined;
    writeFileSync(at("conf/main.conf"), edited);
    return systemError("EBUSY", at("conf/secret.conf"));
  };
  const outcome = write(new StoppedFiles(plainFiles, stop));
  const message = /secret\.conf`: it is busy, .* some files may be new and others old; .* --recover/;
  expect(outcome).toMatchObject({ ok: false, error: { kind: "system", message: expect.stringMatching(message) } });
  expect(readFileSync(at("conf/main.conf"), "latin1")).toBe(edited);
  expect(recover(tree.place, plainFiles, { wanted: "after", key: testKey })).toMatchObject({
    ok: false,
    error: { kind: "edited", path: at("conf/main.conf") },
  });
});
