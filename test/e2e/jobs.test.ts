import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { formats } from "../../src/report/index.js";
import { getOrCreate } from "../../src/text/collections.js";
import { type PlantedTree, plantTree } from "../bench/htaccess-tree.js";
import { isDeep } from "../support/depth.js";
import { ensureBuilt, httpdLint } from "../support/programs/command.js";
import { sharedFolder } from "../support/programs/test-folder.js";

const LONG = 300_000;

/** A rule that reports only the first of many lines. */
const repeated = "old-access-control";

const { at } = sharedFolder();
let tree: PlantedTree;
beforeAll(() => {
  ensureBuilt();
  mkdirSync(at("server"));
  tree = plantTree(at("server"), 1_010, 10);
  // An unreadable file is reported at the line of the main file that leads to it.
  const unreadable = join(tree.documents, "host9", ".htaccess");
  rmSync(unreadable);
  symlinkSync(".htaccess", unreadable);
}, LONG);

/** A tree of this size has more rules than are tried. */
const untriedNote = /^httpd-lint: \d+ redirects and rewrite rules were not tried[^\n]*\n/;

function runCheckWithStderr(...args: readonly string[]) {
  const { status, stdout, stderr } = httpdLint(["check", ...args], { cwd: at("server") });
  expect(status).toBe(1);
  return { stdout, stderr: stderr.replace(untriedNote, "") };
}

function runCheck(...args: readonly string[]): string {
  const { stdout, stderr } = runCheckWithStderr(...args);
  expect(stderr).toBe("");
  return stdout;
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

const sumOf = (times: ReadonlyMap<string, number>) => [...times.values()].reduce((sum, each) => sum + each, 0);

/** The formats that show most parts of a finding: position, lines, fixes and the page of the rule. */
const detailedFormats = formats.filter(
  (format) => !["github", "azure", "markdown", "junit", "checkstyle"].includes(format),
);

/** Number of threads that share the work. */
const threads = isDeep ? "3" : "2";

/** The output of one thread, by format. The tests that need it run before the test that changes a file. */
const singleThreaded = new Map<string, string>();
function checkSingleThreaded(format: string): string {
  return getOrCreate(singleThreaded, format, () => runCheck("--jobs", "1", "--format", format, "httpd.conf"));
}

// The sample shares the output of threads with the test of the cache.
test.runIf(isDeep).each(detailedFormats)(
  "a server with many files has identical %s output with any number of threads",
  (format) => {
    const expected = checkSingleThreaded(format);
    expect(expected).toContain("Requier");
    expect(runCheck("--jobs", threads, "--format", format, "httpd.conf")).toBe(expected);
  },
  LONG,
);

test(
  "files that cannot be read are reported once",
  () => {
    expect(checkSingleThreaded("json").match(/its symbolic links go in circles/g)).toHaveLength(1);
  },
  LONG,
);

test.runIf(isDeep)(
  "many files without a server have identical output with any number of threads",
  () => {
    const main = readFileSync(tree.main);
    rmSync(tree.main);
    try {
      const [one, three] = ["1", "3"].map((jobs) => runCheck("--jobs", jobs, "--format", "json", "www"));
      expect(JSON.parse(one ?? "").summary.files).toBeGreaterThan(1_000);
      expect(three).toBe(one);
    } finally {
      writeFileSync(tree.main, main);
    }
  },
  LONG,
);

test(
  "only the files that a named file depends on are read, in a server with many files",
  () => {
    const all: { readonly findings: readonly { readonly path: string; readonly rule: string }[] } = JSON.parse(
      checkSingleThreaded("json"),
    );
    const path = "www/host0/d0/d4/.htaccess";
    const { summary, findings } = JSON.parse(runCheck("--disable", repeated, "--format", "json", path));
    expect(findings).not.toEqual([]);
    expect(findings).toEqual(all.findings.filter((each) => each.path === path && each.rule !== repeated));
    expect(summary.files).toBe(1);
  },
  LONG,
);

test(
  "phases add up to the time of the run, and rules to that of the phase lint",
  () => {
    const { stdout, stderr } = runCheckWithStderr("--jobs", "1", "--format", "json", "--timings", "httpd.conf");
    expect(stdout).toBe(checkSingleThreaded("json"));
    const { total, head, phases, rules, threadPhases } = parseTimings(stderr);
    expect(head).toEqual([expect.stringMatching(/ ms, 1 thread$/), "cache: not used", "proofs: 0 steps"]);
    expect(Math.abs(sumOf(phases) - total)).toBeLessThan(1);
    expect([...phases.keys()]).toEqual(
      expect.arrayContaining(["start", "prepare", "read", "lint", "filter", "render"]),
    );
    expect(threadPhases.size).toBe(0);
    expect(sumOf(rules)).toBeLessThanOrEqual((phases.get("lint") ?? 0) + 1);
    expect(rules.has(repeated)).toBe(true);
    expect(stderr).toMatch(/^ *[\d.]+ +[\d,]+ +[\d,]+ {2}old-access-control$/m);
  },
  LONG,
);

test(
  "a cache that threads filled has the same output until a file changes; threads add their times",
  () => {
    const cached = ["--cache-location", "../cache", "--format", "json", "httpd.conf"];
    const cold = runCheckWithStderr("--jobs", threads, "--timings", "--quiet", ...cached);
    expect(cold.stdout).toBe(checkSingleThreaded("json"));
    const first = parseTimings(cold.stderr);
    expect(first.head).toEqual([
      expect.stringMatching(new RegExp(` ms, ${threads} threads$`)),
      "cache: 0 hits, 1 miss",
      "proofs: 0 steps",
    ]);
    expect(Math.abs(sumOf(first.phases) - first.total)).toBeLessThan(1);
    expect([...first.phases.keys()]).toContain("wait");
    expect([...first.threadPhases.keys()]).toEqual(expect.arrayContaining(["lint", "read"]));
    expect(first.rules.size).toBeGreaterThan(5);
    const cacheContents = readFileSync(at("cache"));
    expect(runCheck("--jobs", threads, ...cached)).toBe(cold.stdout);
    const warm = runCheckWithStderr("--jobs", threads, "--timings", "--quiet", ...cached);
    expect(warm.stdout).toBe(cold.stdout);
    const second = parseTimings(warm.stderr);
    expect(second.head[1]).toBe("cache: 1 hit, 0 misses");
    expect(second.phases.has("lint")).toBe(false);
    expect(second.rules.size).toBe(0);
    expect(readFileSync(at("cache"))).toEqual(cacheContents);
    writeFileSync(join(tree.documents, "host3", "d4", ".htaccess"), "Ordre deny,allow\n");
    expect(runCheck("--jobs", "2", ...cached)).toContain("Ordre");
    expect(readFileSync(at("cache"))).not.toEqual(cacheContents);
  },
  LONG,
);

test("private files of a server with many files are reported at lines of the main file", () => {
  mkdirSync(at("exposed"));
  const { documents, main } = plantTree(at("exposed"), 1_001, 0);
  writeFileSync(main, readFileSync(main, "utf8").replace("Listen 127.0.0.1:", "Listen "));
  writeFileSync(join(documents, "all", "shop.sql"), "CREATE TABLE a;\n");
  for (const jobs of ["1", threads]) {
    const args = ["check", main, "--jobs", jobs, "--select", "exposed-private-file"];
    expect(httpdLint(args).stdout).toContain("error[exposed-private-file]: `/shop.sql` is served to every client");
  }
});

test.each(["0", "-1", "1.5", "many", "257"])("`--jobs %s` is rejected", (jobs) => {
  const { status, stderr } = httpdLint(["check", `--jobs=${jobs}`, "httpd.conf"], { cwd: at("server") });
  expect(stderr).toBe(`httpd-lint: invalid value \`${jobs}\` for --jobs: expected a number from 1 to 256\n`);
  expect(status).toBe(2);
});

test("proofs count their steps", () => {
  const { stderr } = httpdLint(["check", "--timings", "--from", "2.2", "docs/examples/migrating"], {});
  expect(stderr).toMatch(/^proofs: [1-9][\d,]* steps$/m);
});
