import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { Oracle } from "../../src/httpd/model/oracle.js";
import { compileRegexPattern } from "../../src/httpd/model/patterns.js";
import { runCount } from "../support/depth.js";

const text = fc
  .tuple(
    fc.constantFrom("", "^"),
    fc.string({ unit: fc.constantFrom("a", "b", "/", "-", " ", "%"), maxLength: 4 }),
    fc.constantFrom("", "$"),
  )
  .map((parts) => parts.join(""));
const subject = fc.string({ unit: fc.constantFrom("a", "b", "/", "-", " ", "\n"), maxLength: 6 });

test("plain text between anchors matches as the machine for it does", () => {
  fc.assert(
    fc.property(text, subject, (pattern, asked) => {
      const machine = RE2JS.compile(pattern, RE2JS.DOTALL).matcher(asked);
      const found = machine.find() ? [machine.group(0)] : undefined;
      const questions = new Oracle(new Map());
      expect(compileRegexPattern(pattern).find(asked, questions)).toEqual(found);
      expect(compileRegexPattern(pattern).matches(asked, questions)).toBe(found !== undefined);
    }),
    { seed: 11, numRuns: runCount(1000, 5000) },
  );
});

test("what is no plain text is left to the machine", () => {
  const questions = new Oracle(new Map());
  for (const [pattern, asked, found] of [
    ["a.b", "axb", ["axb"]],
    ["^a|b$", "xb", ["b"]],
    ["a$b", "a$b", undefined],
    ["(a)(b)?", "a", ["a", "a", undefined]],
  ] as const)
    expect(compileRegexPattern(pattern).find(asked, questions)).toEqual(found);
  expect(compileRegexPattern("A", { ignoreCase: true }).find("a", questions)).toEqual(["a"]);
});

test.each([
  ["a", false],
  ["(a)", true],
  ["(?:a)", false],
  ["(?=a)", false],
  ["(?P<n>a)", true],
  ["(?<n>a)", true],
  ["(?'n'a)", true],
  ["(?<=a)b", false],
  ["(?<!a)b", false],
  ["\\(a\\)", false],
  ["\\\\(a)", true],
  ["[(]a", false],
  ["[^(]a", false],
  ["[](]a", false],
  ["[^](]a", false],
  ["[a(b]c[)]", false],
  ["[ab](c)", true],
  ["[ab(]c[d(e]", false],
  ["[\\](]a", false],
])("whether %s has groups that count: %s", (pattern, hasGroups) => {
  expect(compileRegexPattern(pattern).hasGroups).toBe(hasGroups);
});

describe("a directory of 2.2, where the end matches nowhere", () => {
  test.each([
    ["a$", "a", false],
    ["a", "a", true],
    ["^a$", "a", false],
    ["a$|b", "b", true],
    ["a$|b", "a", false],
    ["a[$]", "a$", true],
    ["[a$]b", "$b", true],
    ["[a]$", "a", false],
    ["a\\$", "a$", true],
    ["\\[a$", "[a", false],
    ["\\[a", "[a", true],
    ["x$", "\n", false],
    ["$", "", false],
  ])("%s against %j: %s", (pattern, subject, matches) => {
    const questions = new Oracle(new Map());
    expect(compileRegexPattern(pattern, { withoutEnd: true }).matches(subject, questions)).toBe(matches);
    expect(
      compileRegexPattern(pattern, { withoutEnd: true, ignoreCase: true }).matches(subject.toUpperCase(), questions),
    ).toBe(matches);
  });

  test("is another pattern than the same text elsewhere", () => {
    const questions = new Oracle(new Map());
    expect(compileRegexPattern("q$").matches("q", questions)).toBe(true);
    expect(compileRegexPattern("q$", { withoutEnd: true }).matches("q", questions)).toBe(false);
    expect(compileRegexPattern("q$").matches("q", questions)).toBe(true);
    expect(compileRegexPattern("Q$", { ignoreCase: true }).matches("q", questions)).toBe(true);
    expect(compileRegexPattern("Q$").matches("q", questions)).toBe(false);
  });
});

test("names of groups go with their numbers", () => {
  expect([...compileRegexPattern("(a)(?P<one>b)(?<two>c)").names]).toEqual([
    ["one", 2],
    ["two", 3],
  ]);
  expect(compileRegexPattern("plain").names.size).toBe(0);
});

test("a pattern that looks around is a question", () => {
  const questions = new Oracle(new Map());
  expect(compileRegexPattern("a(?!b)").matches("ac", questions)).toBe(false);
  expect([...questions.answered.keys()]).toEqual(["whether the pattern `a(?!b)` matches `ac`"]);
  const answers = new Oracle(new Map([["whether the pattern `a(?!b)` matches `ac`", true]]));
  expect(compileRegexPattern("a(?!b)").find("ac", answers)).toEqual(["ac"]);
  expect(compileRegexPattern("a(?!b)").names.size).toBe(0);
});
