import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { samplePattern } from "../../../src/proof/requests/sample-text.js";
import { findPatternError } from "../../../src/regex/pcre/compile-error.js";
import { Oracle } from "../../../src/server/model/oracle.js";
import { compileRegexPattern } from "../../../src/server/model/patterns.js";
import { runCount } from "../../support/depth.js";

/** Returns whether a pattern matches. If the search needs too many steps, it is treated as a match. */
function matches(pattern: string, text: string): boolean {
  const oracle = new Oracle(new Map());
  return compileRegexPattern(pattern).matches(text, oracle) || oracle.answered.size > 0;
}

describe("the sample text of a pattern", () => {
  test.each([
    ["\\.(?:bak|old)$", ".bak"],
    ["^/admin(?:/|$)", "/admin/"],
    ["^/(?<site>[a-z]+)/private", "/a/private"],
    ["^\\.ht", ".ht"],
    ["(?i)\\.PHP$", ".PHP"],
    ["^[^/]+\\.cgi$", "x.cgi"],
    ["^/x{3}y?z*w{0,2}$", "/xxxz"],
    ["^/srv/.*/d$", "/srv/x/d"],
    [".*\\.php$", "x.php"],
    ["[[:digit:]]{2}", "00"],
    ["[]a]", "]"],
    ["^/a|^/b", "/a"],
    ["\\d\\D\\w\\W\\s\\S", "0xx- x"],
    ["", ""],
  ])("of %s is %j", (pattern, sample) => {
    expect(samplePattern(pattern)).toBe(sample);
    expect(matches(pattern, sample)).toBe(true);
  });

  test.each([["(?!x)y"], ["(a)\\1"], ["a\\b"], ["(a"], ["a)"], ["[a"], ["a\\"], ["a{1000}"], ["(?<=x)y"]])(
    "does not exist for %s",
    (pattern) => {
      expect(samplePattern(pattern)).toBeUndefined();
    },
  );

  const character = fc.constantFrom("a", "z", "/", "-", "_", "0", "\\.", "\\/", "\\d", "\\w", "\\W", ".", "\\s");
  const members = fc.stringMatching(/^[a-z0-9_.]{1,4}$/);
  const classed = fc
    .tuple(
      fc.constantFrom("", "^"),
      fc.oneof(members, fc.constantFrom("a-z", "0-9x", "a-zA-Z0-9", "[:alpha:]", "[:^digit:]_", "\\d", "\\w-", "a^")),
    )
    .map(([negated, content]) => `[${negated}${content}]`);
  const times = fc.constantFrom("", "", "*", "+", "?", "{2}", "{0,3}", "{1,}", "+?");
  const pattern = fc.letrec<{ whole: string; atom: string }>((tie) => ({
    atom: fc.oneof(
      { maxDepth: 3 },
      character,
      classed,
      tie("whole").map((content) => `(${content})`),
      tie("whole").map((content) => `(?:${content})`),
    ),
    whole: fc
      .array(
        fc.array(
          fc.tuple(tie("atom"), times).map(([atom, count]) => atom + count),
          { minLength: 1, maxLength: 4 },
        ),
        { minLength: 1, maxLength: 3 },
      )
      .map((alternatives) => alternatives.map((atoms) => atoms.join("")).join("|")),
  })).whole;

  test("is matched by the pattern, for random patterns", () => {
    fc.assert(
      fc.property(pattern, fc.boolean(), (content, isWhole) => {
        const whole = isWhole ? `^(?:${content})$` : content;
        fc.pre(findPatternError(whole) === undefined);
        const sample = samplePattern(whole);
        expect({ whole, sample, isMatched: sample !== undefined && matches(whole, sample) }).toEqual({
          whole,
          sample,
          isMatched: true,
        });
      }),
      { seed: 7, numRuns: runCount(400, 2000) },
    );
  });

  test("does not throw for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab\\()[]{}*+?|^$.-:0,<>!=P") }), (text) => {
        const sample = samplePattern(text);
        expect(sample === undefined || typeof sample === "string").toBe(true);
      }),
      { seed: 7, numRuns: runCount(400, 2000) },
    );
  });
});
