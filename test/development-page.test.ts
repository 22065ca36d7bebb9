import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const page = readFileSync("docs/development.md", "utf8");

/** The names that a page says are in a file: `` `runRules` in `src/lint/runner/run-rules.ts` ``. */
const located = [...page.matchAll(/`([A-Za-z]\w*)` in `((?:src|grammar)\/[\w./-]+\.ts)`/g)].map(
  ([, name = "", path = ""]) => [name, path] as const,
);

/** The steps of each walk, in order. */
const walks = [...page.matchAll(/^### (How \w+ runs)\n([\s\S]*?)(?=^##)/gm)].map(([, title = "", text = ""]) => {
  const steps = text.split("\n").filter((line) => /^\| \d+ \|/.test(line));
  return [title, steps] as const;
});

describe("docs/development.md", () => {
  test.each(located)("finds %s in %s", (name, path) => {
    const declared = new RegExp(
      `^export (?:abstract |async )?(?:class|const|function\\*?|interface|type) ${name}\\b`,
      "m",
    );
    const local = new RegExp(`^(?:(?:async )?function\\*?|class) ${name}\\b`, "m");
    const text = readFileSync(path, "utf8");
    expect(declared.test(text) || local.test(text)).toBe(true);
  });

  test("names only files and folders that exist", () => {
    const paths = [...page.matchAll(/`((?:src|grammar|test|scripts|docs)\/[\w./-]*\w)`/g)].map(([, path = ""]) => path);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("walks through check, explain and compare, each on one screen", () => {
    expect(walks.map(([title]) => title)).toEqual(["How check runs", "How explain runs", "How compare runs"]);
    for (const [, steps] of walks) {
      expect(steps.length).toBeGreaterThan(5);
      expect(steps.length).toBeLessThan(12);
    }
  });
});
