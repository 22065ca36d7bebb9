import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conform, readCases } from "./conformance.js";

/** The responses of 2.2.34 and 2.4.71; `truth/README.md` describes the recording. */
const folder = join(import.meta.dirname, "truth");
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

describe("the simulator has the results of real servers", () => {
  test("in recordings of both releases", () => {
    expect(files).toHaveLength(8);
  });

  test.each(files)("in %s", (name) => {
    const cases = readCases(join(folder, name));
    const { passed, disagreements } = conform(cases);
    expect(disagreements.slice(0, 3)).toEqual([]);
    expect(passed).toBe(cases.reduce((sum, { requests, startup }) => sum + requests.length + (startup ? 1 : 0), 0));
  });
});
