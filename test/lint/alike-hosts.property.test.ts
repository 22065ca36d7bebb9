import { expect, test, vi } from "vitest";
import { allRules } from "../../rules/index.js";
import { NumberPattern } from "../../src/config/queries/number-pattern.js";
import type { Span } from "../../src/text/source.js";
import { runCount, seedOr } from "../support/depth.js";
import { numberedHosts } from "../support/random/numbered-hosts.js";
import { Random } from "../support/random/random.js";
import { lintText } from "../support/rules.js";

/** Runs all rules; the text has all parts of each finding. */
function findingsIn(text: string): readonly string[] {
  const place = (span: Span) => `${span.start}-${span.end}`;
  return lintText(allRules, text).map((finding) =>
    JSON.stringify(finding, (_, value) => (value?.file === undefined ? value : place(value))),
  );
}

const first = seedOr(4_100);
const count = runCount(40, 10_000);
const PER_TEST = 20;
const starts = Array.from({ length: Math.ceil(count / PER_TEST) }, (_, index) => first + index * PER_TEST);
let passed = 0;

test.each(starts)("hosts that are alike have the findings of a check in full, seeds from %i", (start) => {
  for (let seed = start; seed < Math.min(start + PER_TEST, first + count); seed++) {
    const text = numberedHosts(new Random(seed));
    const matches = vi.spyOn(NumberPattern.prototype, "matches");
    const shared = findingsIn(text);
    if (matches.mock.results.filter(({ value }) => value).length >= 5) passed++;
    matches.mockReturnValue(false);
    const own = findingsIn(text);
    matches.mockRestore();
    expect(shared, `seed ${seed}\n${text}`).toEqual(own);
  }
});

test("many of these hosts are alike", () => {
  expect(passed).toBeGreaterThan(count / 5);
});
