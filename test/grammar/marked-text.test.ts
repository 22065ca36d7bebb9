import { expect, test } from "vitest";
import { hiddenUnit, hideText, removedUnit, removeText, showHidden } from "../../grammar/marked-text.js";
import { toReadable } from "../../src/text/source.js";

const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join("");

test("hidden characters have no case, and are not white space", () => {
  const hidden = hideText(bytes);
  expect(hidden).toHaveLength(256);
  expect([hidden.toLowerCase(), hidden.toUpperCase(), hidden.trim()]).toEqual([hidden, hidden, hidden]);
  expect(hidden).not.toMatch(/[\s\w]/);
  expect(hidden.split("").every((each) => hiddenUnit.test(each) && !removedUnit.test(each))).toBe(true);
});

test("hidden characters are shown as written", () => {
  expect(showHidden(hideText(bytes))).toBe(bytes);
  expect(toReadable(hideText("{{ Name }}").toLowerCase())).toBe("{{ Name }}");
});

test("removed characters stay removed", () => {
  const removed = removeText(bytes);
  expect(removed.split("").every((each) => removedUnit.test(each) && !hiddenUnit.test(each))).toBe(true);
  expect(hideText(removed)).toBe(removed);
  expect(removeText(hideText("x"))).toBe(removeText("x"));
});
