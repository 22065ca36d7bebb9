import { applyPatch } from "diff";
import { describe, expect, test } from "vitest";
import { formatBinaryPatch } from "../../../src/report/text/file-changes.js";
import { listLineChanges, splitLines } from "../../../src/report/text/line-changes.js";
import { seedOr } from "../../support/depth.js";
import { Random } from "../../support/random/random.js";

const sections = (count: number, inside: string) =>
  Array.from({ length: count }, (_, index) => `<Location /${index}>\nA\nB\nC\nD\n${inside}\nE\nF\nG\nH\n</Location>\n`);

describe("a long text", () => {
  const [before, after] = [sections(500, "Deny from all").join(""), sections(500, "Require all denied").join("")];

  test("is divided at lines that occur once", () => {
    const changes = listLineChanges(splitLines(before), splitLines(after));
    expect(changes).toHaveLength(500);
    expect(changes[1]).toEqual({ oldStart: 16, oldEnd: 17, newStart: 16, newEnd: 17 });
  });

  test.each([
    ["its first line moves to the end", (lines: readonly string[]) => [...lines.slice(1), ...lines.slice(0, 1)], 2],
    ["a line near its start is deleted", (lines: readonly string[]) => lines.filter((_, index) => index !== 1), 1],
  ])("has few changes if %s", (_, edit, count) => {
    const lines = splitLines(before);
    expect(listLineChanges(lines, edit(lines))).toHaveLength(count);
  });

  test("is compared in time that grows with its length if most lines change", () => {
    const hosts = (line: string) =>
      Array.from({ length: 2_000 }, (_, n) => `Host ${n}\n${`${line}\n`.repeat(9)}`).join("");
    const changes = listLineChanges(splitLines(hosts("Allow")), splitLines(hosts("Require")));
    expect(changes).toHaveLength(2_000);
  }, 5_000);

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
