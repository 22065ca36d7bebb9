import { applyPatch } from "diff";
import { describe, expect, test } from "vitest";
import { dividePatch, formatBinaryPatch } from "../../../src/report/text/file-changes.js";
import { seedOr } from "../../support/depth.js";
import { Random } from "../../support/random/random.js";

const sections = (count: number, inside: string) =>
  Array.from({ length: count }, (_, index) => `<Location /${index}>\nA\nB\nC\nD\n${inside}\nE\nF\nG\nH\n</Location>\n`);

describe("a long text", () => {
  const [before, after] = [sections(500, "Deny from all").join(""), sections(500, "Require all denied").join("")];

  test("is divided at unchanged lines", () => {
    const pieces = dividePatch(before, after);
    expect(pieces.length).toBeGreaterThan(100);
    expect([pieces.map((each) => each.before).join(""), pieces.map((each) => each.after).join("")]).toEqual([
      before,
      after,
    ]);
  });

  test("is not divided if it is short", () => {
    expect(dividePatch("a\n", "b\n")).toEqual([{ before: "a\n", after: "b\n", linesBefore: 0, linesAfter: 0 }]);
  });

  test("has a patch with one hunk for each change", () => {
    const patch = formatBinaryPatch("/x", before, after);
    expect(patch.match(/^@@ /gm)).toHaveLength(500);
    expect(applyPatch(before, patch)).toBe(after);
  });

  test.each(Array.from({ length: 20 }, (_, index) => seedOr(1) + index))("has a valid patch, seed %i", (seed) => {
    const random = new Random(seed);
    const lines = sections(260, "X").flatMap((section) => section.match(/.*\n/g) ?? []);
    const changed = lines.flatMap((line) => {
      if (random.chance(0.9)) return [line];
      return random.pick([[], [line, `new ${random.below(9)}\n`], [`other ${random.below(9)}\n`]]);
    });
    const end = random.pick(["", "last"]);
    const [old, now] = [lines.join("") + random.pick(["", "last"]), changed.join("") + end];
    expect(applyPatch(old, formatBinaryPatch("/x", old, now))).toBe(now);
  });
});
