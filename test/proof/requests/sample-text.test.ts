import { expect, test } from "vitest";
import { matchGroupsOf, samplePattern } from "../../../src/proof/requests/sample-text.js";

test("the groups of a match are unknown if the pattern is not supported", () => {
  expect(matchGroupsOf("^(a)(?1)$", "aa", false)).toBeUndefined();
  expect(matchGroupsOf("^(a)b$", "ab", false)).toEqual(["ab", "a"]);
  expect(matchGroupsOf("^(a)b$", "aa", false)).toBe(false);
});

test.each([
  ["\\S", "x"],
  ["\\D", "x"],
  ["\\W", "-"],
])("the sample of the class `%s` is `%s`", (pattern, sample) => {
  expect(samplePattern(`^/${pattern}$`)).toBe(`/${sample}`);
});
