import { expect, test } from "vitest";
import { matchUnknownValue, mayEqual } from "../../src/httpd/model/unknown-value.js";

const word = { unknown: "a word", values: "[a-z]+" };
const any = { unknown: "a text" };

test.each<[pattern: string, ofWord: string, ofAny: string]>([
  ["", "all", "all"],
  ["^(.*)$", "all", "all"],
  [".", "all", "unknown"],
  ["^$", "none", "unknown"],
  ["A", "none", "unknown"],
  ["^[a-c]", "unknown", "unknown"],
  ["(a)\\1", "unknown", "unknown"],
  ["(?!)", "none", "none"],
])("the pattern `%s` matches %s words, %s texts", (pattern, ofWord, ofAny) => {
  expect([matchUnknownValue(word, pattern), matchUnknownValue(any, pattern)]).toEqual([ofWord, ofAny]);
});

test("case may be ignored", () => {
  expect(matchUnknownValue(word, "^[A-Z]", true)).toBe("all");
});

test("a value that its pattern excludes is impossible", () => {
  expect([mayEqual(word, "ab"), mayEqual(word, "a1"), mayEqual(word, ""), mayEqual(any, "")]).toEqual([
    ...[true, false, false, true],
  ]);
});
