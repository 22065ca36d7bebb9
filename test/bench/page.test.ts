import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fleetResults } from "./fleet-results.js";
import { performancePage } from "./page.js";
import { benchResults } from "./results.js";
import { scalePage } from "./scale-page.js";
import { scaleResults } from "./scale-results.js";

const fleets = fleetResults.parse(JSON.parse(readFileSync("test/bench/fleets.json", "utf8")));
const results = benchResults.parse(JSON.parse(readFileSync("test/bench/results.json", "utf8")));

test("the page on performance shows the results of the bench", () => {
  expect(readFileSync("docs/performance.md", "utf8")).toBe(performancePage(results, fleets));
});

test("the page on many files shows the results of the bench", () => {
  const scale = scaleResults.parse(JSON.parse(readFileSync("test/bench/scale.json", "utf8")));
  expect(readFileSync("docs/scale.md", "utf8")).toBe(scalePage(scale));
});

test("a ratio above the target is reported", () => {
  const [first] = results.targets;
  if (first === undefined) throw new Error("there are no targets");
  const [ours, theirs] = [{ seconds: 3 }, { seconds: 2 }];
  const page = (atMost: number) => {
    return performancePage({ ...results, targets: [{ ...first, ours, theirs, of: "seconds", atMost }] }, fleets);
  };
  expect(page(1.5)).toContain("| 1.50 | 1.5 | reached |");
  expect(page(1.4)).toContain("| 1.50 | 1.4 | not reached |");
});
