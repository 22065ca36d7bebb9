import { describe, expect, test } from "vitest";
import { searchPcre } from "../../../src/regex/pcre/matcher.js";
import { compilePcre } from "../../../src/regex/pcre/program.js";

const found = (pattern: string, text: string, options = {}) => {
  const compiled = compilePcre(pattern, options);
  return compiled.kind === "program" ? searchPcre(compiled.program, text, 100_000).groups : compiled.construct;
};

test.each([
  ["(?R)", "a recursion"],
  ["(a)?(?(1)b|c)", "a condition"],
  ["(*UTF)a", "a verb"],
  ["(?|(a)|(b))", "a branch reset"],
  ["(?<n>a)(?<n>b)", "two groups with the same name"],
  ["(?<=a+)b", "a lookbehind of variable length"],
  ["(?<=a(?:b|cd))e", "a lookbehind of variable length"],
  ["(?<=(a)\\1)b", "a lookbehind of variable length"],
  ["(?i)(a)\\1", "a back reference after `(?i)`"],
  ["(?xi) (a)\\1", "a back reference after `(?i)`"],
  ["(a)\\k<m>", "a back reference"],
  ["(a)\\12", "a back reference"],
  ["(?:ab){60000}", "a quantifier with very large numbers"],
  ["(a", "an invalid pattern"],
  ["中", "a character that is not a byte"],
  ["\\X", "`\\X`"],
])("%s is not supported: %s", (pattern, construct) => {
  expect(compilePcre(pattern)).toEqual({ kind: "unsupported", construct });
});

describe("finds", () => {
  test.each<[string, string, readonly (string | undefined)[] | undefined]>([
    ["(?<n>a|b)-\\k<n>", "a-b b-b", ["b-b", "b"]],
    ["(?<n>a|b)-(?P=n)", "a-b b-b", ["b-b", "b"]],
    ["(a)(b)\\g{-1}", "abb", ["abb", "a", "b"]],
    ["(a)(b)\\g{1}", "aba", ["aba", "a", "b"]],
    ["(a)?b\\1", "b", undefined],
    ["(?<=a(?:b|c))d", "acd", ["d"]],
    ["(?<=\\bx{2})y", "a xxy", ["y"]],
    ["(?<!^|/)x", "x/xx", ["x"]],
    ["\\h\\H\\v", " a\n", [" a\n"]],
    ["a\\Z", "a\n", ["a"]],
    ["a\\z", "a\n", undefined],
    ["(?:a|)*b", "aab", ["aab"]],
    ["(?:a|)+?b", "aab", ["aab"]],
    ["(?:ab)++a", "abab", undefined],
    ["(?:a{0,2}?){2,3}b", "aaab", ["aaab"]],
    ["(?U)(a+)(a*?)", "aaa", ["aaa", "a", "aa"]],
    ["(?n)(a)(?<m>b)(?-n)(c)", "abc", ["abc", "b", "c"]],
  ])("%s in %j", (pattern, text, groups) => {
    expect(found(pattern, text)).toEqual(groups);
  });

  test("with the options of 2.2", () => {
    expect(found("a$", "a\n", { endOnly: false })).toEqual(["a"]);
    expect(found("a$", "a\n")).toBeUndefined();
    expect(found("a$", "a", { withoutEnd: true })).toBeUndefined();
    expect(found("a.b", "a\nb", { dotAll: false })).toBeUndefined();
    expect(found("(a)\\1", "aA", { ignoreCase: true })).toEqual(["aA", "a"]);
  });
});

test("a search stops at the step limit", () => {
  const compiled = compilePcre("(a+)+b");
  if (compiled.kind !== "program") throw new Error("not compiled");
  const { isStopped, steps, groups } = searchPcre(compiled.program, "a".repeat(40), 5000);
  expect([isStopped, steps, groups]).toEqual([true, 5000, undefined]);
});

describe("a search", () => {
  const stepsOf = (pattern: string, text: string) => {
    const compiled = compilePcre(pattern);
    if (compiled.kind !== "program") throw new Error(compiled.construct);
    const { steps, groups } = searchPcre(compiled.program, text, 100_000);
    return { steps, found: groups?.[0] };
  };

  test.each(["^ab", "\\Aab"])("for %s starts at the first position only", (pattern) => {
    expect(stepsOf(pattern, "x".repeat(1000))).toMatchObject({ found: undefined });
    expect(stepsOf(pattern, "x".repeat(1000)).steps).toBeLessThan(10);
  });

  test.each([
    ["^ab|cd", "cd"],
    ["(?:^ab)?cd", "cd"],
    ["c", "c"],
    ["cd", "cd"],
  ])("twin: for %s starts at each position", (pattern, found) => {
    expect(stepsOf(pattern, `${"x".repeat(100)}cd`).found).toBe(found);
  });

  test("twin: stops at the limit of steps while it skips positions", () => {
    const compiled = compilePcre("cd");
    expect(compiled.kind === "program" && searchPcre(compiled.program, "x".repeat(100), 50)).toMatchObject({
      isStopped: true,
      groups: undefined,
    });
  });
});
