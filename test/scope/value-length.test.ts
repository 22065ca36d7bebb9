import { describe, expect, test } from "vitest";
import { Questions } from "../../src/scope/questions.js";
import { boundedValue, LONGEST_VALUE, replaceGroups } from "../../src/scope/value-length.js";

describe("a value that is too long", () => {
  const longest = "x".repeat(LONGEST_VALUE);

  test("leaves the answer open and becomes empty", () => {
    const questions = new Questions(new Map());
    expect(boundedValue(longest, "the value of `A`", questions)).toBe(longest);
    expect(questions.unsettled).toBeUndefined();
    expect(boundedValue(`${longest}x`, "the value of `A`", questions)).toBe("");
    expect(questions.unsettled).toBe("the value of `A`, which exceeds 65,536 bytes");
  });

  test("is not built from groups", () => {
    expect(replaceGroups("a$1b$0$9", ["whole", "one"])).toBe("aonebwhole");
    expect(replaceGroups("$1$1", ["", "x".repeat(LONGEST_VALUE / 2)])).toHaveLength(LONGEST_VALUE);
    expect(replaceGroups("$1$1x$1", ["", "x".repeat(LONGEST_VALUE / 2)])).toBeUndefined();
    // A text without groups is no longer than it was written.
    expect(replaceGroups(`${longest}xx`, [])).toHaveLength(LONGEST_VALUE + 2);
  });
});
