import { expect, test } from "vitest";
import { limitSimilarNotes } from "../../../src/apps/cli/output/write-output.js";

test("notes that differ only in quoted names are limited, and the omitted notes are counted", () => {
  const similar = Array.from({ length: 5 }, (_, index) => `httpd-lint: unknown module \`m${index}\` in --modules`);
  const other = "httpd-lint: 1 fix applied";
  expect(limitSimilarNotes([other, ...similar])).toEqual([
    other,
    ...similar.slice(0, 3),
    "httpd-lint: 2 similar notes were omitted",
  ]);
  expect(limitSimilarNotes([...similar.slice(0, 3), other])).toEqual([...similar.slice(0, 3), other]);
});
