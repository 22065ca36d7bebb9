import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { doubleQuote, parseArguments, quoteArgument } from "../../grammar/arguments.js";
import { runCount } from "../support/depth.js";

const values = (text: string) => parseArguments(text).map((argument) => argument.value);

describe("arguments", () => {
  // Results of the live server (`httpd -t -DDUMP_CONFIG`, and messages with argument counts).
  test.each([
    ["from all", ["from", "all"]],
    ['"a b" c', ["a b", "c"]],
    ["'a \"b' c", ['a "b', "c"]],
    ['"a\\"b" c', ['a"b', "c"]],
    ['"a\\\\" b', ["a\\", "b"]],
    ['"a\\nb"', ["a\\nb"]],
    ['a"b c"', ['a"b', 'c"']],
    ['"a"b', ["a", "b"]],
    ["a\\\\b", ["a\\b"]],
    ["a\\ b", ["a\\", "b"]],
    ['"unclosed a b', ["unclosed a b"]],
    ['"', [""]],
    ['"a\\"', ['a"']],
    ["\ta\x0bb\x0cc\rd ", ["a", "b", "c", "d"]],
    ["a\xa0b", ["a\xa0b"]],
    ["", []],
  ])("are parsed from %j as %j", (text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  test("have a flag for an unclosed quote", () => {
    const unclosed = (text: string) => parseArguments(text).map((argument) => argument.unclosed);
    expect(unclosed('"a" b')).toEqual([false, false]);
    expect(unclosed('b "a')).toEqual([false, true]);
    expect(unclosed('"a\\"')).toEqual([true]);
    expect(unclosed('"a\\\\"')).toEqual([false]);
    expect(unclosed('"')).toEqual([true]);
  });

  test("and the white space between them cover the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", '"', "'", "\\", " ", "\t", ">", "é") }), (text) => {
        let end = 0;
        for (const argument of parseArguments(text)) {
          expect(text.slice(end, argument.start)).toMatch(/^[\t-\r ]*$/);
          expect(argument.end).toBeGreaterThan(argument.start);
          end = argument.end;
        }
        expect(text.slice(end)).toMatch(/^[\t-\r ]*$/);
      }),
      { numRuns: runCount(200, 1000), seed: 2 },
    );
  });

  test("are parsed to the original value if they are quoted", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: fc.constantFrom("a", '"', "'", "\\", " ", "$") }), (value) => {
        expect(values(quoteArgument(value))).toEqual([value]);
        expect(values(doubleQuote(value))).toEqual([value]);
      }),
      { numRuns: runCount(200, 1000), seed: 3 },
    );
  });
});

test("plain arguments are parsed as by the lexer, which a later single quote requires", () => {
  const word = fc.stringMatching(/^(?:"[ #>a-z]{0,6}"|[!#-&(->a-z]{1,6})$/);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), fc.constantFrom(" ", "  ", "\t", "\v "), (words, gap) => {
      const text = words.join(gap);
      const followedByQuote = text === "" ? "''" : `${text} ''`;
      expect(parseArguments(text)).toEqual(parseArguments(followedByQuote).slice(0, -1));
    }),
    { seed: 11, numRuns: runCount(100, 500) },
  );
});

test.each(["a", "\\\\", '\\"', "' "])("parses an argument of 16 MB with many repetitions of %j", (piece) => {
  const text = `"${piece.repeat(Math.ceil((16 << 20) / piece.length))}" b`;
  expect(parseArguments(text).map(({ end }) => end)).toEqual([text.length - 2, text.length]);
});
