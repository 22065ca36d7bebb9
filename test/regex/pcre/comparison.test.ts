import { expect, test } from "vitest";
import { AutomatonAlgebra } from "../../../src/regex/automata/operations.js";
import { areContradictory, comparePatterns, type PatternTest } from "../../../src/regex/pcre/comparison.js";

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

const contains = (pattern: string): PatternTest => ({ pattern });
const lacks = (pattern: string): PatternTest => ({ pattern, isNegated: true });

test.each<readonly [boolean, readonly PatternTest[]]>([
  [true, [contains("^/a"), contains("^/b")]],
  [false, [contains("^/a"), contains("b")]],
  [true, [contains("^/a/b"), lacks("^/a")]],
  [false, [contains("^/a"), lacks("^/a/b")]],
  [true, [contains("^a$"), contains("^A$")]],
  [false, [contains("^a$"), { pattern: "^A$", ignoreCase: true }]],
  [true, [lacks("a"), lacks("^[^a]*$")]],
  [true, [contains("^x"), contains("^(?!x)")]],
  [false, [contains("^x"), contains("(x)\\1")]],
  [false, [contains("(x)\\1")]],
  [true, [contains("(x)\\1"), contains("^y"), contains("^z")]],
])("no text can pass: %s %j", (expected, tests) => {
  expect(areContradictory(tests)).toBe(expected);
});

test("the texts of a pattern are computed once, however many others it is compared with", () => {
  const { of } = AutomatonAlgebra.prototype;
  let computed = 0;
  AutomatonAlgebra.prototype.of = function (this: AutomatonAlgebra, ...given: Parameters<typeof of>) {
    computed++;
    return of.apply(this, given);
  };
  const patterns = Array.from({ length: 12 }, (_, n) => `(a|b){3,9}-${n}-.*y`);
  const results = patterns.flatMap((one) =>
    patterns.map((other) => areContradictory([{ pattern: `^${one}$` }, { pattern: `^${other}$`, isNegated: true }])),
  );
  AutomatonAlgebra.prototype.of = of;
  // Only a pattern and its negation exclude each other.
  expect(results.filter((each) => each)).toHaveLength(patterns.length);
  expect(computed).toBe(patterns.length);
});
