import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type PlantedTree, plantTree } from "../bench/htaccess-tree.js";
import { ensureBuilt, httpdLint } from "../support/programs/command.js";
import { sharedFolder } from "../support/programs/test-folder.js";

const LONG = 300_000;

const { at } = sharedFolder();
let tree: PlantedTree;
beforeAll(() => {
  ensureBuilt();
  mkdirSync(at("server"));
  tree = plantTree(at("server"), 1_010, 10);
}, LONG);

function run(...args: readonly string[]) {
  return httpdLint(["check", "--format", "concise", ...args, tree.main], { cwd: at("server") });
}

/** A list of the report, by name. */
interface Lists {
  readonly total: number;
  readonly head: readonly string[];
  readonly phases: ReadonlyMap<string, number>;
  readonly threadPhases: ReadonlyMap<string, number>;
  readonly rules: ReadonlyMap<string, number>;
}

function parseTimings(stderr: string): Lists {
  const [head = "", ...lists] = stderr.trimEnd().split("\n\n");
  const listWith = (title: string) => {
    const [, ...rows] = (lists.find((list) => list.split("\n")[0]?.endsWith(title)) ?? "").split("\n");
    const cells = rows.map((row) => row.trim().split(/ {2,}/));
    const times = cells.map((row) => Number(row[0]));
    // The last row may sum up the rest.
    expect(times.slice(0, -1)).toEqual(times.slice(0, -1).toSorted((a, b) => b - a));
    return new Map(cells.map((row) => [row.at(-1) ?? "", Number(row[0])]));
  };
  const [time = ""] = head.split("\n");
  return {
    total: Number(/^time: ([\d.]+) ms/.exec(time)?.[1]),
    head: head.split("\n"),
    phases: listWith("ms  phase"),
    threadPhases: listWith("phase, in the other threads"),
    rules: listWith("rule"),
  };
}

/** A tree of this size has more rules than are tried. */
const untriedNote = /^httpd-lint: \d+ redirects and rewrite rules were not tried[^\n]*\n/;

const sumOf = (times: ReadonlyMap<string, number>) => [...times.values()].reduce((sum, each) => sum + each, 0);

test(
  "phases add up to the time of the run, and rules to that of the phase lint",
  () => {
    const plain = run("--jobs", "1");
    const { status, stdout, stderr } = run("--jobs", "1", "--timings");
    expect(plain.stderr.replace(untriedNote, "")).toBe("");
    expect({ status, stdout }).toEqual({ status: plain.status, stdout: plain.stdout });
    const { total, head, phases, rules, threadPhases } = parseTimings(stderr.replace(untriedNote, ""));
    expect(head).toEqual([expect.stringMatching(/ ms, 1 thread$/), "cache: not used", "proofs: 0 steps"]);
    expect(Math.abs(sumOf(phases) - total)).toBeLessThan(1);
    expect([...phases.keys()]).toEqual(
      expect.arrayContaining(["start", "prepare", "read", "lint", "filter", "render"]),
    );
    expect(threadPhases.size).toBe(0);
    expect(sumOf(rules)).toBeLessThanOrEqual((phases.get("lint") ?? 0) + 1);
    expect(rules.has("old-access-control")).toBe(true);
    expect(stderr).toMatch(/^ *[\d.]+ +[\d,]+ +[\d,]+ {2}old-access-control$/m);
  },
  LONG,
);

test(
  "threads add their times, and the cache its hits and misses",
  () => {
    const expected = run("--jobs", "1");
    const cached = ["--cache-location", join(at("."), "cache"), "--timings", "--quiet", "--jobs", "2"];
    const cold = run(...cached);
    expect({ status: cold.status, stdout: cold.stdout }).toEqual({ status: expected.status, stdout: expected.stdout });
    const first = parseTimings(cold.stderr);
    expect(first.head).toEqual([expect.stringMatching(/ ms, 2 threads$/), "cache: 0 hits, 1 miss", "proofs: 0 steps"]);
    expect(Math.abs(sumOf(first.phases) - first.total)).toBeLessThan(1);
    expect([...first.phases.keys()]).toContain("wait");
    expect([...first.threadPhases.keys()]).toEqual(expect.arrayContaining(["lint", "read"]));
    expect(first.rules.size).toBeGreaterThan(5);
    const warm = run(...cached);
    expect({ status: warm.status, stdout: warm.stdout }).toEqual({ status: expected.status, stdout: expected.stdout });
    const second = parseTimings(warm.stderr);
    expect(second.head[1]).toBe("cache: 1 hit, 0 misses");
    expect(second.phases.has("lint")).toBe(false);
    expect(second.rules.size).toBe(0);
  },
  LONG,
);

test("proofs count their steps", () => {
  const { stderr } = httpdLint(["check", "--timings", "--from", "2.2", "docs/examples/migrating"], {});
  expect(stderr).toMatch(/^proofs: [1-9][\d,]* steps$/m);
});
