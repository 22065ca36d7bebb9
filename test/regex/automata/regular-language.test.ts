import { expect, test } from "vitest";
import { enumerateTexts } from "../../../src/regex/automata/regular-language.js";
import { parsePattern } from "../../../src/regex/pcre/language.js";

function textsOf(pattern: string, limit = 64): readonly string[] | undefined {
  const reading = parsePattern(pattern);
  return reading.kind === "regular" ? enumerateTexts(reading.found, limit) : undefined;
}

test.each([
  ["plain\\.text", ["plain.text"]],
  ["a(?:b|c)?d", ["abd", "acd", "ad"]],
  ["(ab|a|b)", ["ab", "a", "b"]],
  ["[xy]z?", ["xz", "x", "yz", "y"]],
  ["", [""]],
])("lists the texts of %s in the order of the alternatives", (pattern, texts) => {
  expect(textsOf(pattern)).toEqual(texts);
});

test.each(["a.b", "a*", "a{2}", "^a", "a$", "[^a]", "(?:a?b?c?d?){1}e?f?g?"])(
  "does not list the texts of %s",
  (pattern) => {
    expect(textsOf(pattern)).toBeUndefined();
  },
);

test("does not list more texts than the limit", () => {
  expect(textsOf("[ab][cd]", 4)).toHaveLength(4);
  expect(textsOf("[ab][cd]e?", 4)).toBeUndefined();
});
