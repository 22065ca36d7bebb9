import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCases } from "../conformance/conformance.js";
import { isDeep } from "../support/depth.js";
import { counterfactuals } from "./counterfactuals.js";

const folder = join(import.meta.dirname, "../conformance/truth");
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
/** `npm run -s counterfactuals -- test/conformance/truth/*.jsonl` runs all of them, and deep runs one in ten. */
const EVERY = isDeep ? 10 : 100;

describe("traces name all lines that affect a decision, and the deciding lines", () => {
  test.each(files)("%s", (name) => {
    const cases = readCases(join(folder, name)).filter((_, index) => index % EVERY === 0);
    const results = cases.map(counterfactuals);
    expect(results.flatMap(({ complaints }) => complaints).slice(0, 3)).toEqual([]);
    expect(results.reduce((sum, { checked }) => sum + checked, 0)).toBeGreaterThan(isDeep ? 500 : 50);
  });
});
