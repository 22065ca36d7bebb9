import fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { patternOf } from "../../src/scope/patterns.js";
import { Questions } from "../../src/scope/questions.js";

const text = fc
  .tuple(
    fc.constantFrom("", "^"),
    fc.string({ unit: fc.constantFrom("a", "b", "/", "-", " ", "%"), maxLength: 4 }),
    fc.constantFrom("", "$"),
  )
  .map((parts) => parts.join(""));
const subject = fc.string({ unit: fc.constantFrom("a", "b", "/", "-", " ", "\n"), maxLength: 6 });

test("plain text between anchors matches as the machine for it does", () => {
  fc.assert(
    fc.property(text, subject, (pattern, asked) => {
      const machine = RE2JS.compile(pattern, RE2JS.DOTALL).matcher(asked);
      const found = machine.find() ? [machine.group(0)] : undefined;
      const questions = new Questions(new Map());
      expect(patternOf(pattern).find(asked, questions)).toEqual(found);
      expect(patternOf(pattern).matches(asked, questions)).toBe(found !== undefined);
    }),
    { seed: 11, numRuns: 5000 },
  );
});

test("what is no plain text is left to the machine", () => {
  const questions = new Questions(new Map());
  for (const [pattern, asked, found] of [
    ["a.b", "axb", ["axb"]],
    ["^a|b$", "xb", ["b"]],
    ["a$b", "a$b", undefined],
    ["(a)(b)?", "a", ["a", "a", undefined]],
  ] as const)
    expect(patternOf(pattern).find(asked, questions)).toEqual(found);
  expect(patternOf("A", { ignoreCase: true }).find("a", questions)).toEqual(["a"]);
});
