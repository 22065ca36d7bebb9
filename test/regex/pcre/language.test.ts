import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Automaton, acceptsText, isSameLanguage } from "../../../src/regex/automata/automaton.js";
import { AutomatonAlgebra } from "../../../src/regex/automata/operations.js";
import { findPatternError } from "../../../src/regex/pcre/compile-error.js";
import { parsePattern } from "../../../src/regex/pcre/language.js";
import { runCount } from "../../support/depth.js";

const automata = new AutomatonAlgebra(5_000);

function automatonOf(pattern: string, ignoreCase = false): Automaton {
  const reading = parsePattern(pattern, { ignoreCase });
  const automaton = reading.kind === "regular" ? automata.of(reading.texts) : reading.construct;
  if (typeof automaton === "string") throw new Error(`${pattern}: ${automaton}`);
  return automaton;
}

describe("equivalent patterns have the same language", () => {
  test.each([
    ["\\Qa.b\\E+", "a\\.b+"],
    ["\\Q\\Ea\\E*", "a*"],
    ["\\Qa|b)", "a\\|b\\)"],
    ["a(?#comment)*b", "a*b"],
    ["(?<name>a)|(?'b'b)|(?P<c>c)|(?|d|e)", "[a-e]"],
    ["(?i)ab", "[aA][bB]"],
    ["x(?i)a|b", "x[aA]|[bB]"],
    ["(?:(?i)a)b", "[aA]b"],
    ["(?i:a)b(?-i)c", "[aA]bc"],
    ["(?i)(?-i:a)b", "a[bB]"],
    ["(?i)(?^:a)b(?^)c", "a[bB]c"],
    ["(?-s).", "[^\\n]"],
    ["(?U)a*?b(?J)", "a*b"],
    ["(?x) a [ b] \\ \tc  # (d", "a[ b] c"],
    ["(?x) a # b\n * c", "a*c"],
    ["(?x: a {2} ) b(?x) c(?-x) d", "aa bc d"],
    ["((?x) a) b(?x) \\Q c #\\E d", "a b c #d"],
    ["\\x41\\x{42}\\o{103}\\0104?", "ABC\\0104?"],
    ["\\cA\\e\\a\\f\\t\\r\\n\\0", "[\\x01][\\x1b][\\x07][\\x0c][\\x09][\\x0d][\\x0a][\\x00]"],
    ["[\\b\\101\\x42]", "\\x08|A|B"],
    ["[[:^alpha:]]", "[^a-zA-Z]"],
    ["[[:a[:digit:]]", "[\\[:a0-9]"],
    ["[[:punct:][:alnum:]]", "[[:graph:]]"],
    ["[a-c-e]", "[abce-]"],
    ["[--/]", "[-./]"],
    ["[\\h\\v]|[^\\H]", "[\\x20\\x09-\\x0d\\x85\\xa0]"],
    ["\\N|[^\\V]", "[^\\x0a]|[\\x0a-\\x0d]"],
    ["[\\s]", "[ \\x09-\\x0d]"],
    ["a{,3", "a\\{,3"],
    ["a{x}{2}", "a\\{x\\}\\}"],
    ["{", "\\{"],
    ["a{}", "a\\{\\}"],
    ["a]", "a\\]"],
    ["(a|)b", "a?b"],
    ["()", ""],
    ["\\.\\-\\_\\/", "[.][-]_[/]"],
    ["\\xff", "ÿ"],
    ["(a)".repeat(200), "a{200}"],
  ])("%s and %s", (pattern, other) => {
    expect(isSameLanguage(automatonOf(pattern), automatonOf(other))).toBe(true);
  });

  test("with classes, if case is ignored", () => {
    const pairs = [
      ["[[:upper:]]", "[A-Za-z]"],
      ["[[:^upper:]]", "[^A-Za-z]"],
      ["[^a]", "[^aA]"],
      ["[W-c]", "[A-CW-Za-cw-z\\[-`]"],
      ["\\x61", "[aA]"],
      ["é", "\\xe9"],
    ] as const;
    for (const [pattern, other] of pairs)
      expect([pattern, isSameLanguage(automatonOf(pattern, true), automatonOf(other))]).toEqual([pattern, true]);
  });
});

describe("a pattern is not regular", () => {
  test.each([
    ["(?=^a)", "a lookahead that tests the text on its other side"],
    ["(?!(?<=a)b)", "a negative lookahead that tests the text on its other side"],
    ["(?<=a$)", "a lookbehind that tests the text on its other side"],
    ["(?<!(?=a)b)", "a negative lookbehind that tests the text on its other side"],
    ["(?=a++a)", "a possessive quantifier that changes what matches"],
    ["(?*a)", "a non-atomic lookaround"],
    ["(a)\\1", "a back reference"],
    ["(?<n>a)\\k<n>", "a back reference"],
    ["(?<n>a)(?P=n)", "a back reference"],
    ["(a)\\g1", "a back reference"],
    ["(a)\\g<1>", "a recursion"],
    ["(?R)", "a recursion"],
    ["(a)(?1)", "a recursion"],
    ["(?<n>a)(?&n)", "a recursion"],
    ["(?P<n>a)(?P>n)", "a recursion"],
    ["[[:<:]]a", "the word boundary `[[:<:]]` or `[[:>:]]`"],
    ["(?>a|ab)c", "an atomic group"],
    ["(a)?(?(1)b|c)", "a condition"],
    ["(?C1)a", "a callout"],
    ["(*UTF)a", "a verb"],
    ["\\pL", "a Unicode property"],
    ["a\\Kb", "`\\K`"],
    ["\\Ga", "`\\G`"],
    ["\\R", "`\\R`"],
    ["\\S+\\v", "`\\v`"],
    ["(?<n>a)(?<n>b)", "two groups of one name"],
    ["\\X", "`\\X`"],
    ["(?xx)[a b]", "the option `xx`"],
    ["(?m)^a", "the option `m`"],
    ["a{,3}", "`{,n}` or a quantifier with spaces, which older releases of PCRE read as text"],
    ["a{ 2 }", "`{,n}` or a quantifier with spaces, which older releases of PCRE read as text"],
    ["a*+a", "a possessive quantifier that changes what matches"],
    ["(?:ab)*+c", "a possessive quantifier that changes what matches"],
    ["中", "a character that is not a byte"],
  ])("%s, because of %s", (pattern, construct) => {
    expect(parsePattern(pattern)).toEqual({ kind: "not regular", construct });
  });

  test.each([
    ...["(", "a)", "[", "[]", "[^]", "*", "a|*", "(+)", "^*", "a**", "a+?+", "a{1}{2}", "a{3,1}", "a{65536}", "a\\"],
    ...[
      "\\i",
      "[z-a]",
      "[\\w-.]",
      "[a-\\d]",
      "[[:foo:]]",
      "[:alpha:]",
      "[[.a.]]",
      "[:a\\]b:]",
      "(?y)",
      "(?#",
      "(?",
      "\\x{100}",
    ],
    ...["(?<1>a)", "\\c", "{2}", "(?^-i)", "[\\R]", "(?i)*", "\\x{zz}"],
    "(".repeat(300) + ")".repeat(300),
  ])("if it does not compile: %s", (pattern) => {
    expect(parsePattern(pattern).kind).toBe("not regular");
  });

  test("if PCRE rejects it, for random patterns", () => {
    const pieces = fc.constantFrom(
      ..."a b ( ) [ ] { } * + ? | ^ $ \\ . - , 1 2 : = ! < > # P i x R & ' _ Q E d w K".split(" "),
      ...["(?:", "(?<n>", "[^", "[[:alpha:]", "\\Q", "\\E", "{2}", "{1,2}", "(?i)", "\\x41"],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const pattern = parts.join("");
        const isWrong = findPatternError(pattern) !== undefined;
        const { kind } = parsePattern(pattern);
        if (isWrong) expect([pattern, kind]).toEqual([pattern, "not regular"]);
      }),
      { seed: 20_240_507, numRuns: runCount(2000, 10_000) },
    );
  });
});

describe("possessive quantifiers", () => {
  /** A pattern with possessive quantifiers, and its JavaScript equivalent: a lookahead and a backreference. */
  const anyPossessive = fc
    .array(
      fc.oneof(
        fc
          .constantFrom("a", "b", "[ab]", ".", "^", "$", "(?:a|b)?", "c*", "(?:", ")*", "|")
          .map((text) => ({ text, possessive: false })),
        fc
          .tuple(fc.constantFrom("a", "[ab]", "[^a]", "b", "."), fc.constantFrom("*", "+", "?", "{1,2}", "{2}"))
          .map(([text, mark]) => ({ text: `${text}${mark}`, possessive: true })),
      ),
      { maxLength: 6 },
    )
    .map((parts) => ({
      pcre: parts.map(({ text, possessive }) => (possessive ? `${text}+` : text)).join(""),
      emulated: parts
        .map(({ text, possessive }, index) => (possessive ? `(?=(?<p${index}>${text}))\\k<p${index}>` : text))
        .join(""),
    }));

  test("are accepted only if they do not change what matches", () => {
    const texts = fc.array(
      fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 5 }).map((all) => all.join("")),
      {
        minLength: 30,
        maxLength: 30,
      },
    );
    let accepted = 0;
    const runs = runCount(400, 2_000);
    fc.assert(
      fc.property(anyPossessive, texts, ({ pcre, emulated }, subjects) => {
        const reading = parsePattern(pcre);
        const automaton = reading.kind === "regular" && automata.of(reading.texts);
        if (automaton === false || automaton === "too large") return;
        accepted++;
        const expression = new RegExp(emulated, "s");
        const matched = subjects.filter((text) => expression.test(text));
        expect([pcre, subjects.filter((text) => acceptsText(automaton, text))]).toEqual([pcre, matched]);
      }),
      { seed: 20_240_508, numRuns: runs },
    );
    // Without this, the property would also be true if every pattern was rejected.
    expect(accepted).toBeGreaterThan(runs / 5);
  });

  test("are not regular before a `$` followed by a newline on 2.2", () => {
    expect(parsePattern("\\n*+$", { endOnly: false }).kind).toBe("regular");
    expect(parsePattern("\\n*+$\\n", { endOnly: false }).kind).toBe("not regular");
  });

  test.each([
    ["a*+b", "a*b"],
    ["[^/]++/x", "[^/]+/x"],
    ["^/a/[^/]*+$", "^/a/[^/]*$"],
    ["\\d++", "\\d+"],
    ["(a)?+b", "a?b"],
    ["a*+(?:b|c)a", "a*(?:b|c)a"],
    ["a*+b+a", "a*b+a"],
  ])("%s is equivalent to %s", (pattern, other) => {
    expect(isSameLanguage(automatonOf(pattern), automatonOf(other))).toBe(true);
  });
});
