import { expect, test } from "vitest";
import { comparePatterns } from "../../../src/logic/pcre/comparison.js";

test.each([
  ["on|off", "^on$", false, "unknown"],
  ["on|off", "ON", false, "none"],
  ["on|off", "ON", true, "unknown"],
  ["on|off", "o", false, "all"],
  ["on|off", "O", true, "all"],
  ["on|off", "^1$", false, "none"],
  ["/.*", "^/a/(.*)$", false, "unknown"],
  ["/.*", "^/", false, "all"],
  ["/.*", "^a", false, "none"],
  ["/.*", "a", false, "unknown"],
  ["[^/]*", "a/b", false, "none"],
  [".*", "^(www\\.)?a\\.test$", false, "unknown"],
  [".*", "^(www\\.)?", false, "all"],
  ["[a-z.]*", "^(?:www\\.)?A\\.test$", false, "none"],
  ["[a-z.]*", "^(?:www\\.)?A\\.test$", true, "unknown"],
  ["a.*", "^a", false, "all"],
  ["a(?R)?", "^a$", false, "unknown"],
] as const)("for the texts %s, matches of %s (ignoring case: %s) are %s", (texts, pattern, ignoreCase, result) => {
  expect(comparePatterns(texts, pattern, ignoreCase)).toBe(result);
});
