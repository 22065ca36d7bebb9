import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { artifactResults, artifactSection } from "./artifact-results.js";
import { type FleetRow, fleetResults, isWithinTarget } from "./fleet-results.js";
import { ordinaryResults } from "./ordinary-results.js";
import { performancePage } from "./page.js";
import { playgroundResults } from "./playground.js";
import { benchResults } from "./results.js";
import { scalePage } from "./scale-page.js";
import { scaleResults } from "./scale-results.js";

const fleets = fleetResults.parse(JSON.parse(readFileSync("test/bench/fleets.json", "utf8")));
const playground = playgroundResults.parse(JSON.parse(readFileSync("test/bench/playground.json", "utf8")));
const results = benchResults.parse(JSON.parse(readFileSync("test/bench/results.json", "utf8")));
const ordinary = ordinaryResults.parse(JSON.parse(readFileSync("test/bench/ordinary.json", "utf8")));
const artifacts = artifactResults.parse(JSON.parse(readFileSync("test/bench/artifacts.json", "utf8")));

test("docs/performance.md contains the results of the benchmark", () => {
  expect(readFileSync("docs/performance.md", "utf8")).toBe(
    performancePage(results, fleets, playground, artifacts, ordinary),
  );
});

test("docs/scale.md contains the results of the benchmark", () => {
  const scale = scaleResults.parse(JSON.parse(readFileSync("test/bench/scale.json", "utf8")));
  expect(readFileSync("docs/scale.md", "utf8")).toBe(scalePage(scale));
});

test("a ratio above the target is reported", () => {
  const [first] = results.targets;
  if (first === undefined) throw new Error("there are no targets");
  const [ours, theirs] = [{ seconds: 3 }, { seconds: 2 }];
  const page = (atMost: number) => {
    return performancePage(
      { ...results, targets: [{ ...first, ours, theirs, of: "seconds", atMost }] },
      fleets,
      playground,
      artifacts,
      ordinary,
    );
  };
  expect(page(1.5)).toContain("| 1.50 | 1.5 | reached |");
  expect(page(1.4)).toContain("| 1.50 | 1.4 | not reached |");
});

test("an artifact above its target is reported", () => {
  const start = { what: "x", seconds: 0.16, node: 0.1 };
  const page = (atMost: number) =>
    artifactSection({ ...artifacts, starts: [{ ...start, atMost }], hooks: [{ what: "y", seconds: 9, atMost }] });
  expect(page(1.7)).toContain("| x | 0.160 s | 0.100 s | 1.60 | 1.7 | reached |");
  expect(page(1.5)).toContain("| x | 0.160 s | 0.100 s | 1.60 | 1.5 | not reached |");
  expect(page(9)).toContain("| y | 9.0 s | 9 | reached |");
  expect(page(8)).toContain("| y | 9.0 s | 8 | not reached |");
});

test.each<[limit: string, target: FleetRow["target"], isWithin: boolean]>([
  ["a ratio", { ratio: { what: "hosts", command: "check", atMost: 3 } }, true],
  ["a lower ratio", { ratio: { what: "hosts", command: "check", atMost: 2.9 } }, false],
  ["a ratio to a row that is missing", { ratio: { what: "other hosts", command: "check", atMost: 3 } }, false],
  ["a time", { seconds: 8 }, true],
  ["a shorter time", { seconds: 7 }, false],
  ["a memory", { megabytes: 100 }, true],
  ["a smaller memory", { megabytes: 99 }, false],
  ["a number of lines", { lines: 5 }, true],
  ["a smaller number of lines", { lines: 4 }, false],
])("the row of a fleet is compared with %s", (_limit, target, isWithin) => {
  const check = { what: "hosts", command: "check", seconds: 1, processor: 2, megabytes: 50, lines: 3, target: {} };
  const row = { ...check, command: "map", seconds: 8, processor: 6, megabytes: 100, lines: 5, target };
  expect(isWithinTarget(row, { rows: [check, row] })).toBe(isWithin);
});
