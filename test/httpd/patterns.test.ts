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
      const oracle = new Oracle(new Map());
      expect(compileRegexPattern(pattern).find(asked, oracle)).toEqual(found);
      expect(compileRegexPattern(pattern).matches(asked, oracle)).toBe(found !== undefined);
    }),
    { seed: 11, numRuns: runCount(1000, 5000) },
  );
});

test("compiles patterns that are not plain texts", () => {
  const oracle = new Oracle(new Map());
  for (const [pattern, asked, found] of [
    ["a.b", "axb", ["axb"]],
    ["^a|b$", "xb", ["b"]],
    ["a$b", "a$b", undefined],
    ["(a)(b)?", "a", ["a", "a", undefined]],
  ] as const)
    expect(compileRegexPattern(pattern).find(asked, oracle)).toEqual(found);
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
    const oracle = new Oracle(new Map());
    expect(compileRegexPattern(pattern, { withoutEnd: true }).matches(subject, oracle)).toBe(matches);
    expect(
      compileRegexPattern(pattern, { withoutEnd: true, ignoreCase: true }).matches(subject.toUpperCase(), oracle),
    ).toBe(matches);
  });

  test("is another pattern than the same text elsewhere", () => {
    const oracle = new Oracle(new Map());
    expect(compileRegexPattern("q$").matches("q", oracle)).toBe(true);
    expect(compileRegexPattern("q$", { withoutEnd: true }).matches("q", oracle)).toBe(false);
    expect(compileRegexPattern("q$").matches("q", oracle)).toBe(true);
    expect(compileRegexPattern("Q$", { ignoreCase: true }).matches("q", oracle)).toBe(true);
    expect(compileRegexPattern("Q$").matches("q", oracle)).toBe(false);
  });
});

test("names of groups go with their numbers", () => {
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
])("%s finds in %s what PCRE finds", (pattern, subject, groups) => {
  const oracle = new Oracle(new Map());
  expect(compileRegexPattern(pattern).find(subject, oracle)).toEqual(groups);
  expect(oracle.answered.size).toBe(0);
});

describe("a pattern that the matcher does not support", () => {
  const question = "whether the pattern `^(?:a(?R)?b)$` matches `ab`";

  test("is a question", () => {
    const oracle = new Oracle(new Map());
    expect(compileRegexPattern("^(?:a(?R)?b)$").matches("ab", oracle)).toBe(false);
    expect([...oracle.answered.keys()]).toEqual([question]);
    const answers = new Oracle(new Map([[question, true]]));
    expect(compileRegexPattern("^(?:a(?R)?b)$").find("ab", answers)).toEqual(["ab"]);
    expect(compileRegexPattern("^(?:a(?R)?b)$").names.size).toBe(0);
  });

  test("in proofs, so is one that no automaton recognizes", () => {
    const asked = (pattern: string) => {
      const oracle = new Oracle(new Map(), true);
      compileRegexPattern(pattern).matches("aa", oracle);
      return oracle.answered.size;
    };
    expect([asked("(a)\\1"), asked("a(?!b)")]).toEqual([1, 0]);
  });
});

describe("a search that needs too many steps", () => {
  const pattern = compileRegexPattern("/(a+)+/secret$");

  test("is a question if the text matches: the server stops, too, and treats it as not matching", () => {
    const oracle = new Oracle(new Map());
    expect(pattern.matches(`/${"a".repeat(40)}!/a/secret`, oracle)).toBe(false);
    expect([...oracle.answered.keys()]).toEqual([
      `whether the pattern \`/(a+)+/secret$\` matches \`/${"a".repeat(40)}!/a/secret\` within the limit of PCRE`,
    ]);
  });

  test("has an answer if it does not match, or after a few steps", () => {
    const oracle = new Oracle(new Map());
    expect(pattern.matches(`/${"a".repeat(40)}!/a/secre`, oracle)).toBe(false);
    expect(pattern.matches("/aaaa!/a/secret", oracle)).toBe(true);
    expect(oracle.answered.size).toBe(0);
  });
});
