import { expect, test } from "vitest";
import { fromReadable } from "../../src/text/source.js";
import { quoteShort, quoteText, shortenText } from "../../src/text/words.js";

test("a long text of the configuration is quoted with an ellipsis", () => {
  expect(quoteShort("^(one|two|three)$", 8)).toBe("`^(one|t…`");
  expect(quoteText("x".repeat(100))).toBe(`\`${"x".repeat(59)}…\``);
});

test("a short one is quoted as it is, in readable characters", () => {
  expect(quoteShort(fromReadable("/ä"), 8)).toBe("`/ä`");
  expect(quoteText("/a")).toBe("`/a`");
  expect(shortenText("abc", 3)).toBe("abc");
});
