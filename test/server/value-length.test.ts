import { describe, expect, test } from "vitest";
import { Oracle } from "../../src/server/model/oracle.js";
import { limitValueLength, MAX_VALUE_LENGTH, replaceGroups } from "../../src/server/model/patterns.js";
import { wordsOfFact } from "../../src/server/model/unknown-facts.js";

describe("a value that is too long", () => {
  const longest = "x".repeat(MAX_VALUE_LENGTH);

  test("makes the result unknown and becomes empty", () => {
    const oracle = new Oracle(new Map());
    expect(limitValueLength(longest, oracle)).toBe(longest);
    expect(oracle.undecidable).toBeUndefined();
    expect(limitValueLength(`${longest}x`, oracle)).toBe("");
    expect(oracle.undecidable && wordsOfFact(oracle.undecidable)).toBe(
      "the value of an expression, which exceeds 65,536 bytes",
    );
  });

  test("is not built from groups", () => {
    expect(replaceGroups("a$1b$0$9", ["whole", "one"])).toBe("aonebwhole");
    expect(replaceGroups("$1$1", ["", "x".repeat(MAX_VALUE_LENGTH / 2)])).toHaveLength(MAX_VALUE_LENGTH);
    expect(replaceGroups("$1$1x$1", ["", "x".repeat(MAX_VALUE_LENGTH / 2)])).toBeUndefined();
    // A text without groups keeps its original length.
    expect(replaceGroups(`${longest}xx`, [])).toHaveLength(MAX_VALUE_LENGTH + 2);
  });
});
