import fc from "fast-check";
import { expect, test } from "vitest";
import { acceptsText } from "../../../src/regex/automata/automaton.js";
import { AutomatonAlgebra } from "../../../src/regex/automata/operations.js";
import { wildcardLanguageOf } from "../../../src/regex/automata/wildcards.js";
import { compileNameWildcard, compilePathWildcard } from "../../../src/text/wildcards.js";
import { runCount } from "../../support/depth.js";

const automata = new AutomatonAlgebra(5_000);

function matcher(pattern: string, slashIsSpecial: boolean): (text: string) => boolean {
  const automaton = automata.of(wildcardLanguageOf(pattern, slashIsSpecial));
  if (automaton === "too large") throw new Error(automaton);
  return (text) => acceptsText(automaton, text);
}

const anyWildcard = fc
  .array(
    fc.constantFrom(
      "a",
      "b",
      "/",
      ".",
      "*",
      "?",
      "\\*",
      "\\",
      "[ab]",
      "[!a]",
      "[^b/]",
      "[a-c]",
      "[]a]",
      "[",
      "]",
      "[\\]-a]",
      "-",
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));

const anyTexts = fc.array(
  fc
    .array(fc.constantFrom("a", "b", "c", "/", ".", "*", "[", "]", "\\", "-", "\n"), { maxLength: 6 })
    .map((all) => all.join("")),
  { minLength: 40, maxLength: 40 },
);

test("the automaton of a wildcard accepts the texts that the wildcard matches", () => {
  fc.assert(
    fc.property(anyWildcard, anyTexts, fc.boolean(), (pattern, texts, slashIsSpecial) => {
      // An escaped slash is tested below.
      fc.pre(!slashIsSpecial || !pattern.includes("\\/"));
      const matches = matcher(pattern, slashIsSpecial);
      const known = slashIsSpecial ? compilePathWildcard(pattern) : compileNameWildcard(pattern);
      expect(texts.filter(matches)).toEqual(texts.filter(known));
    }),
    { seed: 20_240_506, numRuns: runCount(200, 1_000) },
  );
});

test.each([
  ["/home/*/public_html", "/home/ann/public_html", "/home/ann/x/public_html"],
  ["/a/[!z-a]", "/a/x", "/a//"],
  ["/a\\/*", "/a/b", "/a\\/b"],
  ["/a\\\\/*", "/a\\/b", "/a/b"],
  ["*.ht?ccess", ".htaccess", "htaccess"],
  ["/a\\", "/a\\", "/a"],
  ["/[a-]", "/-", "/]"],
  ["/[\\]x]", "/]", "/["],
])("%s matches %s, not %s", (pattern, one, other) => {
  const matches = matcher(pattern, true);
  expect([matches(one), matches(other)]).toEqual([true, false]);
});
