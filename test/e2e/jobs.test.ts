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

/** A rule that is reported only at the first of many lines. */
const repeated = "old-access-control";

const { at } = sharedFolder();
let tree: PlantedTree;
beforeAll(() => {
  ensureBuilt();
  mkdirSync(at("server"));
  tree = plantTree(at("server"), 1_010, 10);
  // An unreadable file is reported at the line of the main file that leads to it.
  const unread = join(tree.documents, "host9", ".htaccess");
  rmSync(unread);
  symlinkSync(".htaccess", unread);
}, LONG);

function checked(...args: readonly string[]): string {
  const { status, stdout, stderr } = httpdLint(["check", ...args], { cwd: at("server") });
  expect(stderr).toBe("");
  expect(status).toBe(1);
  return stdout;
}

/**
 * The formats that show most of a finding: its position, its lines, its fixes, its rule's page. The others show a
 * subset.
 */
const telling = formats.filter((format) => !["github", "markdown", "junit"].includes(format));

/** Number of threads that share the work. */
const threads = isDeep ? "3" : "2";

/** The output of one thread, by format. The tests that need it run before the one that changes a file. */
const alone = new Map<string, string>();
function checkedAlone(format: string): string {
  return getOrCreate(alone, format, () => checked("--jobs", "1", "--format", format, "httpd.conf"));
}

// The sample shares the output of threads with the test of the cache.
test.runIf(isDeep).each(telling)(
  "as %s, a server with many files comes to the same byte for byte, however many threads share the work",
  (format) => {
    const expected = checkedAlone(format);
    expect(expected).toContain("Requier");
    expect(checked("--jobs", threads, "--format", format, "httpd.conf")).toBe(expected);
  },
  LONG,
);

test(
  "files that cannot be read are told of once",
  () => {
    expect(checkedAlone("json").match(/its symbolic links go in circles/g)).toHaveLength(1);
  },
  LONG,
);

test.runIf(isDeep)(
  "those of no server come to the same, too",
  () => {
    const main = readFileSync(tree.main);
    rmSync(tree.main);
    try {
      const [one, three] = ["1", "3"].map((jobs) => checked("--jobs", jobs, "--format", "json", "www"));
      expect(JSON.parse(one ?? "").summary.files).toBeGreaterThan(1_000);
      expect(three).toBe(one);
    } finally {
      writeFileSync(tree.main, main);
    }
  },
  LONG,
);

test(
  "of a server with many files those alone are read that a named one hangs on",
  () => {
    const all: { readonly findings: readonly { readonly path: string; readonly rule: string }[] } = JSON.parse(
      checkedAlone("json"),
    );
    const path = "www/host0/d0/d4/.htaccess";
    const { summary, findings } = JSON.parse(checked("--disable", repeated, "--format", "json", path));
    expect(findings).not.toEqual([]);
    expect(findings).toEqual(all.findings.filter((each) => each.path === path && each.rule !== repeated));
    expect(summary.files).toBe(1);
  },
  LONG,
);

test(
  "a cache that threads fill tells the same again, until a file is changed",
  () => {
    const cached = ["--cache-location", "../cache", "--format", "json", "httpd.conf"];
    const first = checked("--jobs", threads, ...cached);
    expect(first).toBe(checkedAlone("json"));
    const kept = readFileSync(at("cache"));
    expect(checked("--jobs", threads, ...cached)).toBe(first);
    expect(readFileSync(at("cache"))).toEqual(kept);
    writeFileSync(join(tree.documents, "host3", "d4", ".htaccess"), "Ordre deny,allow\n");
    expect(checked("--jobs", "2", ...cached)).toContain("Ordre");
    expect(readFileSync(at("cache"))).not.toEqual(kept);
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

test.each(["0", "-1", "1.5", "many", "257"])("`--jobs %s` is refused", (jobs) => {
  const { status, stderr } = httpdLint(["check", `--jobs=${jobs}`, "httpd.conf"], { cwd: at("server") });
  expect(stderr).toBe(`httpd-lint: invalid value \`${jobs}\` for --jobs: expected a number from 1 to 256\n`);
  expect(status).toBe(2);
});
