import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { Oracle } from "../../src/server/model/oracle.js";
import { compileRegexPattern } from "../../src/server/model/patterns.js";
import { unknownFact } from "../../src/server/model/unknown-facts.js";
import { runCount } from "../support/depth.js";

const text = fc
  .tuple(
    fc.constantFrom("", "^"),
    fc.string({ unit: fc.constantFrom("a", "b", "/", "-", " ", "%"), maxLength: 4 }),
    fc.constantFrom("", "$"),
  )
  .map((parts) => parts.join(""));
const subject = fc.string({ unit: fc.constantFrom("a", "b", "/", "-", " ", "\n"), maxLength: 6 });

test("plain text between anchors matches as the regex engine does", () => {
  fc.assert(
    fc.property(text, subject, (pattern, input) => {
      const engine = RE2JS.compile(pattern, RE2JS.DOTALL).matcher(input);
      const found = engine.find() ? [engine.group(0)] : undefined;
      const oracle = new Oracle(new Map());
      expect(compileRegexPattern(pattern).find(input, oracle)).toEqual(found);
      expect(compileRegexPattern(pattern).matches(input, oracle)).toBe(found !== undefined);
    }),
    { seed: 11, numRuns: runCount(1000, 5000) },
  );
});

test("compiles patterns that are not plain texts", () => {
  const oracle = new Oracle(new Map());
  for (const [pattern, input, found] of [
    ["a.b", "axb", ["axb"]],
    ["^a|b$", "xb", ["b"]],
    ["a$b", "a$b", undefined],
    ["(a)(b)?", "a", ["a", "a", undefined]],
  ] as const)
    expect(compileRegexPattern(pattern).find(input, oracle)).toEqual(found);
  expect(compileRegexPattern("A", { ignoreCase: true }).find("a", oracle)).toEqual(["a"]);
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
])("detects whether %s has capturing groups: %s", (pattern, hasGroups) => {
  expect(compileRegexPattern(pattern).hasGroups).toBe(hasGroups);
});

describe("a pattern of a directory in 2.2, whose end anchor never matches", () => {
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
  ])("%s matches %j: %s", (pattern, subject, matches) => {
    const oracle = new Oracle(new Map());
    expect(compileRegexPattern(pattern, { withoutEnd: true }).matches(subject, oracle)).toBe(matches);
    expect(
      compileRegexPattern(pattern, { withoutEnd: true, ignoreCase: true }).matches(subject.toUpperCase(), oracle),
    ).toBe(matches);
  });

  test("is cached separately from the same text with an end anchor", () => {
    const oracle = new Oracle(new Map());
    expect(compileRegexPattern("q$").matches("q", oracle)).toBe(true);
    expect(compileRegexPattern("q$", { withoutEnd: true }).matches("q", oracle)).toBe(false);
    expect(compileRegexPattern("q$").matches("q", oracle)).toBe(true);
    expect(compileRegexPattern("Q$", { ignoreCase: true }).matches("q", oracle)).toBe(true);
    expect(compileRegexPattern("Q$").matches("q", oracle)).toBe(false);
  });
});

test("maps the names of groups to their numbers", () => {
  expect([...compileRegexPattern("(a)(?P<one>b)(?<two>c)").names]).toEqual([
    ["one", 2],
    ["two", 3],
  ]);
  expect(compileRegexPattern("plain").names.size).toBe(0);
});

test.each([
  ["a(?!b)", "ac", ["a"]],
  ["a(?!b)", "ab", undefined],
  ["(?<!/)x", "a/x", undefined],
  ["(a|b)\\1", "abb", ["bb", "b"]],
  ["(?>a|ab)c", "abc", undefined],
  ["\\bx\\b", "a x", ["x"]],
])("finds %s in %s as PCRE does", (pattern, subject, groups) => {
  const oracle = new Oracle(new Map());
  expect(compileRegexPattern(pattern).find(subject, oracle)).toEqual(groups);
  expect(oracle.answered.size).toBe(0);
});

describe("a pattern that the matcher does not support", () => {
  const question = unknownFact("pattern-matches", "^(?:a(?R)?b)$", "ab");

  test("is an unknown fact", () => {
    const oracle = new Oracle(new Map());
    expect(compileRegexPattern("^(?:a(?R)?b)$").matches("ab", oracle)).toBe(false);
    expect([...oracle.answered.keys()]).toEqual([question]);
    const answers = new Oracle(new Map([[question, true]]));
    expect(compileRegexPattern("^(?:a(?R)?b)$").find("ab", answers)).toEqual(["ab"]);
    expect(compileRegexPattern("^(?:a(?R)?b)$").names.size).toBe(0);
  });

  test("is an unknown fact in proofs if it is not regular", () => {
    const questionCount = (pattern: string) => {
      const oracle = new Oracle(new Map(), true);
      compileRegexPattern(pattern).matches("aa", oracle);
      return oracle.answered.size;
    };
    expect([questionCount("(a)\\1"), questionCount("a(?!b)")]).toEqual([1, 0]);
  });
});

describe("a search that needs too many steps", () => {
  const pattern = compileRegexPattern("/(a+)+/secret$");

  test("is an unknown fact if the text matches, because the server may stop without a match", () => {
    const oracle = new Oracle(new Map());
    expect(pattern.matches(`/${"a".repeat(40)}!/a/secret`, oracle)).toBe(false);
    const fact = unknownFact("pattern-matches-in-limit", "/(a+)+/secret$", `/${"a".repeat(40)}!/a/secret`);
    expect([...oracle.answered.keys()]).toEqual([fact]);
  });

  test("has a known result if the text does not match, or after a few steps", () => {
    const oracle = new Oracle(new Map());
    expect(pattern.matches(`/${"a".repeat(40)}!/a/secre`, oracle)).toBe(false);
    expect(pattern.matches("/aaaa!/a/secret", oracle)).toBe(true);
    expect(oracle.answered.size).toBe(0);
  });
});
