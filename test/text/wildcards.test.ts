import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileFileWildcard, parseWildcard, sampleWildcard } from "../../src/text/wildcards.js";

const literal = (character: string) => ({ kind: "literal", character });
const bracket = (isNegated: boolean, ...ranges: readonly string[]) => ({
  ...{ kind: "bracket", isNegated },
  ranges: ranges.map((range) => [range.charAt(0), range.charAt(range.length - 1)]),
});
const anySequence = { kind: "anySequence" };
const anyCharacter = { kind: "anyCharacter" };

describe("the tokens of a wildcard", () => {
  test.each([
    ["", []],
    ["a*?", [literal("a"), anySequence, anyCharacter]],
    ["**", [anySequence, anySequence]],
    ["\\*\\a", [literal("*"), literal("a")]],
    ["a\\", [literal("a"), literal("\\")]],
    ["[ab-d]", [bracket(false, "a", "bd")]],
    ["[!a][^b]", [bracket(true, "a"), bracket(true, "b")]],
    ["[]a]", [bracket(false, "]", "a")]],
    ["[!]a]", [bracket(true, "]", "a")]],
    ["[a-]", [bracket(false, "a", "-")]],
    ["[z-a]", [bracket(false, "za")]],
    ["[\\]-\\a]", [bracket(false, "]a")]],
    ["[]", [literal("["), literal("]")]],
    ["[a*", [literal("["), literal("a"), anySequence]],
    ["[a-\\", [literal("["), literal("a"), literal("-"), literal("\\")]],
  ])("are parsed: %s", (pattern, tokens) => {
    expect(parseWildcard(pattern)).toEqual(tokens);
  });
});

describe("a wildcard for files", () => {
  test.each([
    ["*.conf", "a.conf", ".conf"],
    [".*", ".conf", "conf"],
    ["\\.ht*", ".htaccess", "htaccess"],
    ["[!a]", "b", "."],
    ["a**b", "ab", "abc"],
    ["[a", "[a", "a"],
  ])("%s matches %s, but not %s", (pattern, one, other) => {
    const matches = compileFileWildcard(pattern);
    expect([matches(one), matches(other)]).toEqual([true, false]);
  });
});

describe("a name that a wildcard matches", () => {
  const matchesName = (wildcard: string, name: string) => compileFileWildcard(wildcard)(name);

  test.each([
    ["*.bak", "x.bak"],
    ["a?c", "axc"],
    ["[ab]c", "ac"],
    ["[!x]c", "0c"],
    ["[^a-z]", "0"],
    ["\\*x", "*x"],
    ["/srv/*/htdocs", "/srv/x/htdocs"],
  ])("is computed for %s", (wildcard, name) => {
    expect(sampleWildcard(wildcard)).toBe(name);
    expect(matchesName(wildcard, name)).toBe(true);
  });

  test("matches for any wildcard", () => {
    const piece = fc.constantFrom(
      "a",
      "z.",
      "-",
      "*",
      "?",
      "[ab]",
      "[!ab]",
      "[^x0]",
      "[a-f]",
      "[!a-z0]",
      "\\*",
      "\\?",
      "\\[",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const wildcard = pieces.join("");
        const name = sampleWildcard(wildcard);
        expect({ wildcard, name, isMatched: matchesName(wildcard, name) }).toEqual({ wildcard, name, isMatched: true });
      }),
      { seed: 7, numRuns: 1000 },
    );
  });
});
