import { readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { computeScore, mutationResults } from "./results.js";
import { mutatedFolders } from "./tests.js";

const { files, pending, survivors } = mutationResults.parse(
  JSON.parse(readFileSync("test/mutation/results.json", "utf8")),
);

test("has a row for each file of the mutated folders, or lists it as pending", () => {
  const mutatedFiles = globSync(mutatedFolders.map((folder) => `${folder}/**/*.ts`));
  expect([...files.map(({ file }) => file), ...pending].sort()).toEqual(mutatedFiles.sort());
});

/** The scores reached, less the sampling error. Raise them when a score rises. */
const floors: Readonly<Record<(typeof mutatedFolders)[number], number>> = {
  "src/regex": 88,
  "src/server/access": 92,
  "src/server/expression": 90,
  "src/server/mapping": 75,
  "src/server/model": 88,
  "src/server/request": 91,
  "src/server/rewrite": 90,
  "src/server/sections": 82,
  "src/server/walk": 82,
  "src/startup": 94,
  "src/proof": 82,
};

describe("score of mutation testing", () => {
  test.each([...mutatedFolders])("%s reaches its floor", (folder) => {
    expect(computeScore(files.filter(({ file }) => file.startsWith(`${folder}/`)))).toBeGreaterThanOrEqual(
      floors[folder],
    );
  });
});

test("lists every survivor", () => {
  expect(survivors).toHaveLength(files.reduce((sum, { survived }) => sum + survived, 0));
});
