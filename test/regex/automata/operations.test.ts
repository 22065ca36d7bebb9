import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Automaton,
  acceptsText,
  isEmptyLanguage,
  isSameLanguage,
  isUniversalLanguage,
} from "../../../src/regex/automata/automaton.js";
import { AutomatonAlgebra, type AutomatonResult } from "../../../src/regex/automata/operations.js";
import {
  anyText,
  concatenate,
  emptyLanguage,
  matchLiteral,
  matchPathOrBelow,
  matchPathPrefix,
  repeat,
} from "../../../src/regex/automata/regular-language.js";
import { findShortestText, generateSampleText } from "../../../src/regex/automata/shortest-texts.js";
import { wildcardLanguageOf } from "../../../src/regex/automata/wildcards.js";
import { type PcreOptions, parsePattern } from "../../../src/regex/pcre/language.js";
import { Oracle } from "../../../src/server/model/oracle.js";
import { compileRegexPattern } from "../../../src/server/model/patterns.js";
import { anyPattern, anyTexts, shortTexts } from "../../proof/requests/patterns.js";
import { runCount } from "../../support/depth.js";
import { Random } from "../../support/random/random.js";

const seeded = { seed: 20_240_505, numRuns: runCount(60, 300) };
const automata = new AutomatonAlgebra(5_000);

function unwrap(outcome: AutomatonResult): Automaton {
  if (outcome === "too large") throw new Error(outcome);
  return outcome;
}

function automatonOf(pattern: string, form: PcreOptions = {}): Automaton {
  const reading = parsePattern(pattern, form);
  if (reading.kind === "not regular") throw new Error(`${pattern}: ${reading.construct}`);
  return unwrap(automata.of(reading.texts));
}

const none = new Oracle(new Map());
const isFound = (pattern: string, text: string, ignoreCase = false) =>
  compileRegexPattern(pattern, { ignoreCase }).find(text, none) !== undefined;

describe("the automaton of a pattern accepts the texts in which the pattern is found", () => {
  test("like the linear matcher", () => {
    fc.assert(
      fc.property(anyPattern, anyTexts, fc.boolean(), ({ pcre }, texts, ignoreCase) => {
        const automaton = automatonOf(pcre, { ignoreCase });
        const accepted = texts.filter((text) => acceptsText(automaton, text));
        expect(accepted).toEqual(texts.filter((text) => isFound(pcre, text, ignoreCase)));
      }),
      { ...seeded, numRuns: runCount(140, 700) },
    );
  });

  test("with the semantics of `.` and `$` on 2.2", () => {
    fc.assert(
      fc.property(anyPattern, anyTexts, fc.boolean(), ({ pcre, old }, texts, ignoreCase) => {
        const automaton = automatonOf(pcre, { ignoreCase, dotAll: false, endOnly: false });
        const expression = new RegExp(old, ignoreCase ? "i" : "");
        const accepted = texts.filter((text) => acceptsText(automaton, text));
        expect(accepted).toEqual(texts.filter((text) => expression.test(text)));
      }),
      { ...seeded, numRuns: runCount(140, 700) },
    );
  });

  test("with an end anchor that never matches, as in a Directory of 2.2", () => {
    const withoutEnd = (pattern: string) => automatonOf(pattern, { withoutEnd: true, endOnly: false, dotAll: false });
    expect(isEmptyLanguage(withoutEnd("^/srv/a$"))).toBe(true);
    expect(isSameLanguage(withoutEnd("^/srv/(a$|b)"), withoutEnd("^/srv/b"))).toBe(true);
    expect(isEmptyLanguage(withoutEnd("a\\z"))).toBe(false);
  });
});

describe("operations on automata", () => {
  test("are the operations on sets of texts", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, anyTexts, (a, b, texts) => {
        const [inA, inB] = [automatonOf(a.pcre), automatonOf(b.pcre)];
        const accepted = (of: AutomatonResult) => texts.filter((text) => acceptsText(unwrap(of), text));
        const found = (is: (a: boolean, b: boolean) => boolean) =>
          texts.filter((text) => is(isFound(a.pcre, text), isFound(b.pcre, text)));
        expect(accepted(automata.and(inA, inB))).toEqual(found((of, other) => of && other));
        expect(accepted(automata.or(inA, inB))).toEqual(found((of, other) => of || other));
        expect(accepted(automata.without(inA, inB))).toEqual(found((of, other) => of && !other));
        expect(accepted(automata.not(inA))).toEqual(found((of) => !of));
      }),
      seeded,
    );
  });

  test("have the same automaton for equal sets", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, (a, b) => {
        const [inA, inB] = [automatonOf(a.pcre), automatonOf(b.pcre)];
        const either = automatonOf(`(?:${a.pcre})|(?:${b.pcre})`);
        expect(isSameLanguage(either, unwrap(automata.or(inA, inB)))).toBe(true);
        expect(isSameLanguage(unwrap(automata.and(inA, automata.not(inB))), unwrap(automata.without(inA, inB)))).toBe(
          true,
        );
        expect(unwrap(automata.not(automata.not(inA)))).toEqual(inA);
        expect(isEmptyLanguage(unwrap(automata.without(inA, inA)))).toBe(true);
        expect(isUniversalLanguage(unwrap(automata.or(inA, automata.not(inA))))).toBe(true);
        expect([automata.isWithin(inA, either), automata.isWithin(either, inA)]).toEqual([
          true,
          isEmptyLanguage(unwrap(automata.without(inB, inA))),
        ]);
        expect(isSameLanguage(inA, inB)).toBe(
          automata.isWithin(inA, inB) === true && automata.isWithin(inB, inA) === true,
        );
      }),
      seeded,
    );
  });
});

describe("the shortest text", () => {
  const short = shortTexts(3);

  test("is one that the automaton accepts, and does not exist for an empty language", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, (a, b) => {
        const only = unwrap(automata.without(automatonOf(a.pcre), automatonOf(b.pcre)));
        const shortest = findShortestText(only);
        const found = short.filter((text) => isFound(a.pcre, text) && !isFound(b.pcre, text));
        expect(isEmptyLanguage(only)).toBe(shortest === undefined);
        if (shortest === undefined) expect(found).toEqual([]);
        else expect([isFound(a.pcre, shortest), isFound(b.pcre, shortest)]).toEqual([true, false]);
        expect(found.filter((text) => text.length < (shortest?.length ?? 0))).toEqual([]);
      }),
      seeded,
    );
  });

  test.each([
    ["^/secret/.+\\.php$", "/secret/a.php"],
    ["^/[^a]$", "/b"],
    ["(?i)^/ADMIN", "/admin"],
    ["[[:cntrl:]]", "\x01"],
    ["\\.(?:gif|jpe?g)$", ".gif"],
    ["^[^ -~]$", "\x80"],
    ["", ""],
  ])("%s: %j", (pattern, text) => {
    expect(findShortestText(automatonOf(pattern))).toBe(text);
  });
});

describe("a sample text", () => {
  test("is one that the automaton accepts, and does not exist for an empty language", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, fc.nat(), fc.nat({ max: 12 }), (a, b, seed, length) => {
        const only = unwrap(automata.without(automatonOf(a.pcre), automatonOf(b.pcre)));
        const random = new Random(seed);
        const sample = generateSampleText(only, () => random.next(), length);
        expect(sample === undefined).toBe(isEmptyLanguage(only));
        if (sample !== undefined) expect([isFound(a.pcre, sample), isFound(b.pcre, sample)]).toEqual([true, false]);
      }),
      seeded,
    );
  });

  test("has any length up to the maximum, and readable characters", () => {
    const php = automatonOf("^/[^/]*\\.php$");
    const random = new Random(1);
    const samples = Array.from({ length: 200 }, () => generateSampleText(php, () => random.next(), 12) ?? "");
    expect(new Set(samples.map(({ length }) => length))).toEqual(new Set([5, 6, 7, 8, 9, 10, 11, 12]));
    expect(samples.every((text) => /^\/[!-~]*\.php$/.test(text))).toBe(true);
    expect(new Set(samples).size).toBeGreaterThan(100);
  });
});

describe("anchors", () => {
  const texts = ["a", "a\n", "xa", "ax", "b", "xb", "xb\n", "a\n\n", "xab", "x/a/y"];

  test.each([
    ["a$b", []],
    ["a$\\n", ["a\n"]],
    ["(?:^a|b$)", ["a", "a\n", "ax", "b", "xb", "xb\n", "a\n\n", "xab"]],
    ["(?:^|/)a(?:/|$)", ["a", "a\n", "x/a/y"]],
    ["x^", []],
    ["(?:^x)*b", ["b", "xb", "xb\n", "xab"]],
    ["a\\Z", ["a", "a\n", "xa"]],
    ["a\\z", ["a", "xa"]],
    ["a$.+", []],
    ["a$[^x]*", ["a", "a\n", "xa"]],
  ])("of %s match on 2.2: %j", (pattern, found) => {
    const automaton = automatonOf(pattern, { endOnly: false, dotAll: false });
    expect(texts.filter((text) => acceptsText(automaton, text))).toEqual(found);
  });
});

describe("an automaton for paths", () => {
  const at = (path: string) => unwrap(automata.of(matchPathPrefix(path)));

  test("accepts a literal path and all below", () => {
    const texts = ["", "/", "/a", "/a/", "/a/b", "/ab", "a"];
    const under = (path: string) => texts.filter((text) => acceptsText(at(path), text));
    expect(under("/a")).toEqual(["/a", "/a/", "/a/b"]);
    expect(under("/a/")).toEqual(["/a/", "/a/b"]);
    expect(under("/")).toEqual(["/", "/a", "/a/", "/a/b", "/ab"]);
    expect(under("")).toEqual(texts);
    expect(automata.isWithin(at("/a/b"), at("/a"))).toBe(true);
    expect(automata.isWithin(at("/ab"), at("/a"))).toBe(false);
  });

  test("accepts paths that match a wildcard and all below", () => {
    const homes = unwrap(automata.of(matchPathOrBelow(wildcardLanguageOf("/home/*/www", true))));
    const texts = ["/home/ann/www", "/home/ann/www/x/y", "/home/ann/wwwx", "/home/ann/x/www"];
    expect(texts.filter((text) => acceptsText(homes, text))).toEqual(texts.slice(0, 2));
    expect(findShortestText(unwrap(automata.and(homes, automatonOf("secret"))))).toBe("/home/secret/www");
  });
});

describe("the state budget", () => {
  test("stops an operation with too many states, and all operations that use its result", () => {
    const far = parsePattern("a.{60}b");
    if (far.kind === "not regular") throw new Error(far.construct);
    const large = automata.of(far.texts);
    expect(large).toBe("too large");
    expect(automata.and(large, unwrap(automata.of(emptyLanguage)))).toBe("too large");
    expect(automata.isWithin(large, large)).toBe("too large");
    expect(automata.not(large)).toBe("too large");
    expect(automata.of(repeat(matchLiteral("a"), 65_535, 65_535))).toBe("too large");
    const long = repeat(repeat(repeat(anyText, 1_000, 1_000), 1_000, 1_000), 1_000, 1_000);
    expect(automata.of(concatenate(long, long))).toBe("too large");
  });

  test("limits the pairs of states of two automata", () => {
    const algebra = new AutomatonAlgebra(40);
    const cycle = (length: number) =>
      unwrap(algebra.of(repeat(matchLiteral("a".repeat(length)), 0, Number.POSITIVE_INFINITY)));
    expect(algebra.and(cycle(5), cycle(7))).not.toBe("too large");
    expect(algebra.and(cycle(6), cycle(7))).toBe("too large");
  });
});
