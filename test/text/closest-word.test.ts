import { describe, expect, test } from "vitest";
import { listDirectiveNames } from "../../src/facts/directives.js";
import { findClosestWord, SpellingList } from "../../src/text/closest-word.js";

const names = listDirectiveNames("2.4");

/** Returns a word with an edit of each kind near a position. */
function edit(word: string, at: number): readonly string[] {
  const [before, first = "", second = "", after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  return [
    before + first + second + after.slice(1),
    `${before + first}x${second}${after}`,
    `${before}q${second}${after}`,
    before + second + first + after,
  ];
}

describe("the closest word", () => {
  test("is found after each kind of edit, and after two of them", () => {
    for (const name of names.filter((each) => each.length > 8)) {
      const only = new SpellingList([name]);
      for (const once of edit(name, 1)) {
        expect(only.findClosest(once), once).toBe(name);
        for (const twice of edit(once, 3)) expect(only.findClosest(twice), twice).toBe(name);
      }
    }
  });

  test("is none after three edits", () => {
    expect(findClosestWord("Dqcumqntqoot", ["DocumentRoot"])).toBeUndefined();
    expect(findClosestWord("DocumentRootXYZ", ["DocumentRoot"])).toBeUndefined();
  });

  test("of a short word differs by one edit at most", () => {
    expect(findClosestWord("Lodk", ["Lock"])).toBe("Lock");
    expect(findClosestWord("Lodd", ["Lock"])).toBeUndefined();
  });

  test("is the nearest one, and of equals the first in sort order", () => {
    expect(findClosestWord("AuthNam", ["AuthUser", "AuthName", "AuthNames"])).toBe("AuthName");
    expect(findClosestWord("Options", ["Optionz", "Optiony"])).toBe("Optiony");
  });
});
