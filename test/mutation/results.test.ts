import { readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { killedOf, mutationResults } from "./results.js";
import { mutatedFolders } from "./tests.js";

const { files, pending, survivors } = mutationResults.parse(
  JSON.parse(readFileSync("test/mutation/results.json", "utf8")),
);

test("each file of the mutated folders has its row or is pending, and no other", () => {
  const there = globSync(mutatedFolders.map((folder) => `${folder}/**/*.ts`));
  expect([...files.map(({ file }) => file), ...pending].sort()).toEqual(there.sort());
});

/** The scores reached, less the sampling error. Raise them when the score rises. */
const floors: Readonly<Record<(typeof mutatedFolders)[number], number>> = {
  "src/access": 92,
  "src/httpd": 86,
  "src/logic": 88,
};

describe("the tests find as many mutants as they did", () => {
  test.each([...mutatedFolders])("of %s", (folder) => {
    expect(killedOf(files.filter(({ file }) => file.startsWith(`${folder}/`)))).toBeGreaterThanOrEqual(floors[folder]);
  });
});

test("every survivor is listed", () => {
  expect(survivors).toHaveLength(files.reduce((sum, { survived }) => sum + survived, 0));
});
