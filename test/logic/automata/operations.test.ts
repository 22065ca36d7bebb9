import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Oracle } from "../../../src/httpd/model/oracle.js";
import { compileRegexPattern } from "../../../src/httpd/model/patterns.js";
import {
  type Automaton,
  acceptsText,
  isEmptyLanguage,
  isSameLanguage,
  isUniversalLanguage,
} from "../../../src/logic/automata/automaton.js";
import { AutomatonAlgebra, type AutomatonResult } from "../../../src/logic/automata/operations.js";
import { findShortestText, generateSampleText } from "../../../src/logic/automata/shortest-texts.js";
import {
  anyText,
  concatenate,
  emptyLanguage,
  matchLiteral,
  matchPathOrBelow,
  matchPathPrefix,
  repeat,
} from "../../../src/logic/languages/regular-language.js";
import { wildcardLanguageOf } from "../../../src/logic/languages/wildcards.js";
import { type PcreOptions, parsePattern } from "../../../src/logic/pcre/language.js";
import { runCount } from "../../support/depth.js";
import { Random } from "../../support/random/random.js";
import { anyPattern, anyTexts, shortTexts } from "../patterns.js";

const seeded = { seed: 20_240_505, numRuns: runCount(60, 300) };
const automata = new AutomatonAlgebra(5_000);

function sure(outcome: AutomatonResult): Automaton {
  if (outcome === "too large") throw new Error(outcome);
  return outcome;
}

function automatonOf(pattern: string, form: PcreOptions = {}): Automaton {
  const reading = parsePattern(pattern, form);
  if (reading.kind === "not regular") throw new Error(`${pattern}: ${reading.construct}`);
  return sure(automata.of(reading.texts));
}

const none = new Oracle(new Map());
const isFound = (pattern: string, text: string, ignoreCase = false) =>
  compileRegexPattern(pattern, { ignoreCase }).find(text, none) !== undefined;

describe("the automaton of a pattern accepts the texts in which the pattern is found", () => {
  test("as by the linear matcher", () => {
    fc.assert(
      fc.property(anyPattern, anyTexts, fc.boolean(), ({ pcre }, texts, ignoreCase) => {
        const automaton = automatonOf(pcre, { ignoreCase });
        const said = texts.filter((text) => acceptsText(automaton, text));
        expect(said).toEqual(texts.filter((text) => isFound(pcre, text, ignoreCase)));
      }),
      { ...seeded, numRuns: runCount(140, 700) },
    );
  });

  test("with the dot and the dollar of 2.2", () => {
    fc.assert(
      fc.property(anyPattern, anyTexts, fc.boolean(), ({ pcre, old }, texts, ignoreCase) => {
        const automaton = automatonOf(pcre, { ignoreCase, dotAll: false, endOnly: false });
        const expression = new RegExp(old, ignoreCase ? "i" : "");
        const said = texts.filter((text) => acceptsText(automaton, text));
        expect(said).toEqual(texts.filter((text) => expression.test(text)));
      }),
      { ...seeded, numRuns: runCount(140, 700) },
    );
  });

  test("a dollar in the middle matches nothing", () => {
    const looking = (pattern: string) => automatonOf(pattern, { withoutEnd: true, endOnly: false, dotAll: false });
    expect(isEmptyLanguage(looking("^/srv/a$"))).toBe(true);
    expect(isSameLanguage(looking("^/srv/(a$|b)"), looking("^/srv/b"))).toBe(true);
    expect(isEmptyLanguage(looking("a\\z"))).toBe(false);
  });
});

describe("operations", () => {
  test("are those of the sets of texts", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, anyTexts, (a, b, texts) => {
        const [inA, inB] = [automatonOf(a.pcre), automatonOf(b.pcre)];
        const accepted = (of: AutomatonResult) => texts.filter((text) => acceptsText(sure(of), text));
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

  test("give one automaton for one set, however it came about", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, (a, b) => {
        const [inA, inB] = [automatonOf(a.pcre), automatonOf(b.pcre)];
        const either = automatonOf(`(?:${a.pcre})|(?:${b.pcre})`);
        expect(isSameLanguage(either, sure(automata.or(inA, inB)))).toBe(true);
        expect(isSameLanguage(sure(automata.and(inA, automata.not(inB))), sure(automata.without(inA, inB)))).toBe(true);
        expect(sure(automata.not(automata.not(inA)))).toEqual(inA);
        expect(isEmptyLanguage(sure(automata.without(inA, inA)))).toBe(true);
        expect(isUniversalLanguage(sure(automata.or(inA, automata.not(inA))))).toBe(true);
        expect([automata.isWithin(inA, either), automata.isWithin(either, inA)]).toEqual([
          true,
          isEmptyLanguage(sure(automata.without(inB, inA))),
        ]);
        expect(isSameLanguage(inA, inB)).toBe(
          automata.isWithin(inA, inB) === true && automata.isWithin(inB, inA) === true,
        );
      }),
      seeded,
    );
  });
});

describe("a shortest text", () => {
  const short = shortTexts(3);

  test("is one in which the pattern is found, and there is none where it is found nowhere", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, (a, b) => {
        const only = sure(automata.without(automatonOf(a.pcre), automatonOf(b.pcre)));
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

describe("a sample", () => {
  test("is one of the texts, and there is none of no texts", () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, fc.nat(), fc.nat({ max: 12 }), (a, b, seed, length) => {
        const only = sure(automata.without(automatonOf(a.pcre), automatonOf(b.pcre)));
        const random = new Random(seed);
        const sample = generateSampleText(only, () => random.next(), length);
        expect(sample === undefined).toBe(isEmptyLanguage(only));
        if (sample !== undefined) expect([isFound(a.pcre, sample), isFound(b.pcre, sample)]).toEqual([true, false]);
      }),
      seeded,
    );
  });

  test("is of any length up to the one given, and readable", () => {
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
  ])("%s on 2.2: %j", (pattern, found) => {
    const automaton = automatonOf(pattern, { endOnly: false, dotAll: false });
    expect(texts.filter((text) => acceptsText(automaton, text))).toEqual(found);
  });
});

describe("paths", () => {
  const at = (path: string) => sure(automata.of(matchPathPrefix(path)));

  test("at a literal one or below", () => {
    const texts = ["", "/", "/a", "/a/", "/a/b", "/ab", "a"];
    const under = (path: string) => texts.filter((text) => acceptsText(at(path), text));
    expect(under("/a")).toEqual(["/a", "/a/", "/a/b"]);
    expect(under("/a/")).toEqual(["/a/", "/a/b"]);
    expect(under("/")).toEqual(["/", "/a", "/a/", "/a/b", "/ab"]);
    expect(under("")).toEqual(texts);
    expect(automata.isWithin(at("/a/b"), at("/a"))).toBe(true);
    expect(automata.isWithin(at("/ab"), at("/a"))).toBe(false);
  });

  test("at a wildcard or below", () => {
    const homes = sure(automata.of(matchPathOrBelow(wildcardLanguageOf("/home/*/www", true))));
    const texts = ["/home/ann/www", "/home/ann/www/x/y", "/home/ann/wwwx", "/home/ann/x/www"];
    expect(texts.filter((text) => acceptsText(homes, text))).toEqual(texts.slice(0, 2));
    expect(findShortestText(sure(automata.and(homes, automatonOf("secret"))))).toBe("/home/secret/www");
  });
});

describe("the budget", () => {
  test("stops an operation that would have too many states, quickly, and all that depends on it", () => {
    const far = parsePattern("a.{60}b");
    if (far.kind === "not regular") throw new Error(far.construct);
    const large = automata.of(far.texts);
    expect(large).toBe("too large");
    expect(automata.and(large, sure(automata.of(emptyLanguage)))).toBe("too large");
    expect(automata.isWithin(large, large)).toBe("too large");
    expect(automata.not(large)).toBe("too large");
    expect(automata.of(repeat(matchLiteral("a"), 65_535, 65_535))).toBe("too large");
    const often = repeat(repeat(repeat(anyText, 1_000, 1_000), 1_000, 1_000), 1_000, 1_000);
    expect(automata.of(concatenate(often, often))).toBe("too large");
  });

  test("counts the pairs of two automata", () => {
    const few = new AutomatonAlgebra(40);
    const cycle = (length: number) =>
      sure(few.of(repeat(matchLiteral("a".repeat(length)), 0, Number.POSITIVE_INFINITY)));
    expect(few.and(cycle(5), cycle(7))).not.toBe("too large");
    expect(few.and(cycle(6), cycle(7))).toBe("too large");
  });
});
