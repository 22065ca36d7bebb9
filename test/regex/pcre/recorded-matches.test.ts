import { expect, test } from "vitest";
import { acceptsText } from "../../../src/regex/automata/automaton.js";
import { determinize } from "../../../src/regex/automata/determinize.js";
import { parsePattern } from "../../../src/regex/pcre/language.js";
import { searchPcre } from "../../../src/regex/pcre/matcher.js";
import { compilePcre } from "../../../src/regex/pcre/program.js";
import recorded from "./recorded-matches.json" with { type: "json" };

// Matches and groups of PCRE2 10.42, called as httpd does (PCRE2_DOTALL, PCRE2_DOLLAR_ENDONLY).
test.each(recorded)("$pattern has the matches of PCRE2", ({ pattern, ignoreCase, texts }) => {
  const compiled = compilePcre(pattern, { ignoreCase });
  const found = texts.map(([text]) => {
    if (compiled.kind !== "program" || typeof text !== "string") return compiled.kind;
    const { groups } = searchPcre(compiled.program, text, 100_000);
    return [text, groups?.map((each) => each ?? null) ?? null];
  });
  expect(found).toEqual(compiled.kind === "program" ? texts : texts.map(() => "unsupported"));
});

test("nearly all recorded patterns are supported", () => {
  const kinds = recorded.map(({ pattern, ignoreCase }) => compilePcre(pattern, { ignoreCase }).kind);
  expect(kinds.filter((kind) => kind === "unsupported").length).toBeLessThan(5);
});

const regular = recorded.flatMap(({ pattern, ignoreCase, texts }) => {
  const parsed = parsePattern(pattern, { ignoreCase });
  return parsed.kind === "regular" ? [{ pattern, language: parsed.texts, texts }] : [];
});

test("most recorded patterns are regular", () => {
  expect(regular.length).toBeGreaterThan(recorded.length / 2);
});

test.each(regular)("the automaton of $pattern accepts the texts that PCRE2 matches", ({ language, texts }) => {
  const automaton = determinize(language, 3000);
  const accepted = texts.map(([text]) =>
    automaton === "too large" || typeof text !== "string" ? "too large" : acceptsText(automaton, text),
  );
  expect(accepted).toEqual(texts.map(([, groups]) => groups !== null));
});
