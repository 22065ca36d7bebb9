import fc from "fast-check";
import { expect, test } from "vitest";
import { formatJson } from "../../src/text/escaping.js";

test("escapes invisible and bidirectional characters", () => {
  const marks = "\u202e\u2066\u200b\u{e0041}\u2028\u007f\u009b";
  expect(formatJson({ [marks]: `a${marks}b` })).toBe(
    String.raw`{"\u202e\u2066\u200b\udb40\udc41\u2028\u007f\u009b":"a\u202e\u2066\u200b\udb40\udc41\u2028\u007f\u009bb"}`,
  );
  expect(formatJson({ a: "日é" }, 2)).toBe('{\n  "a": "日é"\n}');
});

test("any text is unchanged after a round trip", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom(undefined, 2), (text, indent) => {
      const written = formatJson({ text }, indent);
      expect(JSON.parse(written)).toEqual({ text });
      expect(written).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    }),
  );
});
