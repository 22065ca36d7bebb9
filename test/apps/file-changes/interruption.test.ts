import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recover } from "../../../src/apps/file-changes/recover.js";
import { writeChanges } from "../../../src/apps/file-changes/write-changes.js";
import { isDeep } from "../../support/depth.js";
import { killAt, killed, type Stop, StoppedFiles, systemError } from "../../support/programs/interrupted-files.js";
import { attributedFiles, plainFiles, testKey } from "./plain-files.js";
import { changedState, makeTree, type Tree } from "./tree.js";

/** Returns the result of a run that may have been killed. */
function unlessKilled<T>(run: () => T): T | typeof killed {
  try {
    return run();
  } catch (error) {
    if (error === killed) return killed;
    throw error;
  }
}

function write({ changes, place }: Tree, stop: Stop = () => undefined, system = plainFiles) {
  const files = new StoppedFiles(system, stop);
  const outcome = unlessKilled(() => writeChanges(changes, place, files, testKey));
  return { outcome, count: files.count };
}

function recoverStopped({ place }: Tree, wanted: "before" | "after", stop: Stop = () => undefined) {
  const files = new StoppedFiles(plainFiles, stop);
  const outcome = unlessKilled(() => recover(place, files, { wanted, key: testKey }));
  return { outcome, count: files.count };
}

function withTree<T>(run: (tree: Tree) => T): T {
  const tree = makeTree();
  try {
    return run(tree);
  } finally {
    tree[Symbol.dispose]();
  }
}

/** The operations of an uninterrupted run, counted from 1. */
const operations = withTree((tree) => {
  const names: string[] = [];
  write(tree, (_, operation) => {
    names.push(operation);
  });
  return names.map((name, index) => ({ name, n: index + 1 }));
});

const isReadOnly = (name: string) => ["inspect", "read", "list", "realPath", "checkWritable"].includes(name);

/** The modifying operations: a kill before another one is equivalent to a kill before the next of these. */
const changing = operations.filter(({ name }) => !isReadOnly(name)).map(({ n }) => n);

/** The operations that replace the journal, the three files and the backup. */
const renames = operations.filter(({ name }) => name === "rename").map(({ n }) => n);

/** A sample kills the second run at every third operation, but the first run at every operation. */
const step = isDeep ? 1 : 3;

const codes = ["ENOSPC", "EACCES", "EROFS", "EIO"] as const;

/**
 * Expects each file to have its old or new content completely, and no other file to exist: nothing is incomplete or
 * left over.
 */
function expectWhole(tree: Tree, before: object, after: object): void {
  const now = Object.entries(tree.state());
  expect(now.map(([path]) => path)).toEqual(Object.keys(before));
  const texts = new Set([...Object.entries(before), ...Object.entries(after)].map((entry) => entry.join("\n")));
  expect(now.filter((entry) => !texts.has(entry.join("\n")))).toEqual([]);
}

/** Expects all files to be old, or all new, with nothing left to recover. */
function expectSettled(tree: Tree, before: object, after: object, recovered: unknown): void {
  expect(recovered).toMatchObject({ value: { recovered: expect.any(String) } });
  const now = tree.state();
  expect([before, after]).toContainEqual(now);
  expect(existsSync(join(tree.place, "unfinished"))).toBe(false);
  expect(recover(tree.place, plainFiles, { wanted: "after", key: testKey })).toEqual({
    ok: true,
    value: { recovered: "nothing", files: [] },
  });
}

describe.each(["after", "before"] as const)("recovery of a killed run, with %s as the wanted contents,", (wanted) => {
  test("makes all files old or all files new, for each last operation", () => {
    const ends = new Set<string>();
    for (const n of changing)
      withTree((tree) => {
        const [before, after] = [tree.state(), changedState(tree)];
        expect(write(tree, killAt(n)).outcome).toBe(killed);
        expectWhole(tree, before, after);
        const { outcome } = recoverStopped(tree, wanted);
        expectSettled(tree, before, after, outcome);
        if (typeof outcome === "object" && outcome.ok) ends.add(outcome.value.recovered);
      });
    // The run is killed before the backup directory exists, while contents are written, and when there is a journal.
    expect([...ends]).toEqual(wanted === "after" ? ["nothing", "before", "after"] : ["nothing", "before"]);
  });

  test("makes all files old or all files new, even if recoveries are killed", () => {
    for (const n of renames.slice(1))
      for (let m = 1, isOver = false; !isOver; m += step)
        withTree((tree) => {
          const [before, after] = [tree.state(), changedState(tree)];
          write(tree, killAt(n));
          isOver = recoverStopped(tree, wanted, killAt(m)).outcome !== killed;
          expectWhole(tree, before, after);
          // The next recovery may want the other contents.
          recoverStopped(tree, wanted === "after" ? "before" : "after", killAt(m));
          expectWhole(tree, before, after);
          expectSettled(tree, before, after, recoverStopped(tree, wanted).outcome);
        });
  });
});

describe("a run in which a system call fails", () => {
  test("changes nothing and reports the failure of each operation", () => {
    for (const { n } of operations)
      withTree((tree) => {
        const before = tree.state();
        const code = codes[n % codes.length] ?? "";
        const { outcome } = write(tree, (count) => (count === n ? systemError(code, "/etc/x.conf") : undefined));
        expect(outcome).toEqual({
          ok: false,
          error: { kind: "system", path: "/etc/x.conf", message: expect.any(String) },
        });
        expect(tree.state()).toEqual(before);
        expect(existsSync(join(tree.place, "unfinished"))).toBe(false);
        expect(write(tree).outcome).toMatchObject({ value: { written: tree.changes.map(({ path }) => path) } });
      });
  });

  test("can be recovered if it is also killed", () => {
    for (const n of renames)
      for (let m = n + 1, isOver = false; !isOver; m += step)
        withTree((tree) => {
          const [before, after] = [tree.state(), changedState(tree)];
          const fail = (count: number) => (count === n ? systemError("ENOSPC") : killAt(m)(count, ""));
          isOver = write(tree, fail).outcome !== killed;
          expectWhole(tree, before, after);
          expectSettled(tree, before, after, recoverStopped(tree, "after").outcome);
        });
  });

  test("advises recovery if all later operations fail, which makes all files old or all files new", () => {
    let halfway = 0;
    for (const n of changing)
      withTree((tree) => {
        const [before, after] = [tree.state(), changedState(tree)];
        const { outcome } = write(tree, (count, operation) =>
          count >= n && !isReadOnly(operation) ? systemError("EROFS") : undefined,
        );
        expectWhole(tree, before, after);
        if (existsSync(join(tree.place, "unfinished"))) {
          halfway++;
          const command = `httpd-lint migrate --recover --backup-dir ${tree.place}`;
          expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining(command) } });
          expect(recoverStopped(tree, "after", () => systemError("EROFS")).outcome).toMatchObject({
            ok: false,
            error: { kind: "system", message: expect.stringContaining("read-only, so the run is still unfinished") },
          });
        } else expect(tree.state()).toEqual(before);
        expectSettled(tree, before, after, recoverStopped(tree, "after").outcome);
      });
    expect(halfway).toBeGreaterThan(20);
  });
});

describe.each(["after", "before"] as const)(
  "recovery of files that are written in place, with %s as the wanted contents,",
  (wanted) => {
    /** The operations of such a run. */
    const count = withTree((tree) => write(tree, undefined, attributedFiles).count);

    test("makes all files old or all files new, for each last operation", () => {
      let incomplete = 0;
      for (let n = 1; n <= count; n++)
        withTree((tree) => {
          const [before, after] = [tree.state(), changedState(tree)];
          expect(write(tree, killAt(n), attributedFiles).outcome).toBe(killed);
          const now = Object.values(tree.state());
          if (now.some((text) => ![...Object.values(before), ...Object.values(after)].includes(text))) incomplete++;
          expectSettled(tree, before, after, recoverStopped(tree, wanted).outcome);
        });
      expect(incomplete).toBe(3);
    });

    test("makes all files old or all files new, even if recoveries are killed", () => {
      for (let m = 1, isOver = false; !isOver; m++)
        withTree((tree) => {
          const [before, after] = [tree.state(), changedState(tree)];
          let writes = 0;
          write(
            tree,
            (_, operation) => (operation === "overwrite" && ++writes === 2 ? killed : undefined),
            attributedFiles,
          );
          isOver = recoverStopped(tree, wanted, killAt(m)).outcome !== killed;
          recoverStopped(tree, wanted === "after" ? "before" : "after", killAt(m));
          expectSettled(tree, before, after, recoverStopped(tree, wanted).outcome);
        });
    });
  },
);
