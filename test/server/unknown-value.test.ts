import { expect, test } from "vitest";
import { unknownFact } from "../../src/server/model/unknown-facts.js";
import { matchUnknownValue, mayEqual } from "../../src/server/model/unknown-value.js";

const word = { unknown: unknownFact("credentials-header"), values: "[a-z]+" };
const any = { unknown: unknownFact("variable", "%{A}") };

test.each<[pattern: string, ofWord: string, ofAny: string]>([
  ["", "all", "all"],
  ["^(.*)$", "all", "all"],
  [".", "all", "unknown"],
  ["^$", "none", "unknown"],
  ["A", "none", "unknown"],
  ["^[a-c]", "unknown", "unknown"],
  ["(a)\\1", "unknown", "unknown"],
  ["(?!)", "none", "none"],
])("matches of the pattern `%s` are %s for a word and %s for any text", (pattern, ofWord, ofAny) => {
  expect([matchUnknownValue(word, pattern), matchUnknownValue(any, pattern)]).toEqual([ofWord, ofAny]);
});

test("a pattern may ignore case", () => {
  expect(matchUnknownValue(word, "^[A-Z]", true)).toBe("all");
});

test("an unknown value cannot equal a text that its pattern excludes", () => {
  expect([mayEqual(word, "ab"), mayEqual(word, "a1"), mayEqual(word, ""), mayEqual(any, "")]).toEqual([
    ...[true, false, false, true],
  ]);
});
