import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compare } from "../../src/compare/compare.js";
import { describeRequest } from "../../src/httpd/model/request.js";
import { decisionClassOf } from "../../src/simulate/model/decision.js";
import { prepareSimulation } from "../../src/simulate/process-request.js";
import { type Case, loadCase } from "../support/cases/recorded-cases.js";
import { isDeep, sampleOf } from "../support/depth.js";
import { isReported } from "./reported-regions.js";
import { recordedPairs } from "./witnesses.js";

/**
 * Compares a sample of the 500 configurations recorded with both releases, so that each verdict occurs.
 * A deep run compares all.
 */
const all = recordedPairs().map((pair) => ({ id: pair.before.id, ...pair }));
const pairs = sampleOf(all, 12);

/** The verdict for each, with the servers' answers. */
const verdicts: string[] = [];

const list = "test/compare/verdicts.txt";

describe("configurations that 2.2.34 and 2.4.71 answered for", () => {
  test.each(pairs)(
    "$id: what they answered differently lies in a region, what they answered alike does not",
    (each) => {
      const { before, after } = each;
      expect(after?.id).toBe(before.id);
      if (after) expect(mistakes(before, after)).toEqual([]);
    },
  );

  test.skipIf(isDeep)("the verdicts are those that are listed", () => {
    const listed = readFileSync(list, "utf8").trimEnd().split("\n");
    expect(verdicts).toEqual(sampleOf(listed, 12));
    expect(kindsOf(verdicts)).toEqual(kindsOf(listed));
  });

  test.runIf(isDeep)("the verdicts of all are written down", async () => {
    await expect(`${verdicts.join("\n")}\n`).toMatchFileSnapshot("verdicts.txt");
  });
});

/** Returns the distinct verdicts, each with whether the recorded answers differ. */
function kindsOf(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.map((line) => line.replace(/^[^:]*: /, "").replace(/\d+ (?=recorded)/, "")))].sort();
}

function mistakes(before: Case, after: Case): string[] {
  const [old, later] = [loadCase(before), loadCase(after)];
  const comparison = compare(
    { project: old.project, reading: "server" },
    { project: later.project, reading: "server" },
  );
  const setup = prepareSimulation(later.project, later.files);
  let differing = 0;
  const wrong = after.requests.flatMap((request, index) => {
    const was = before.requests[index];
    const isDifferent = was !== undefined && decisionClassOf(was.status) !== decisionClassOf(request.status);
    if (isDifferent) differing++;
    const isFound = isReported(comparison, request, setup, later.files);
    return isDifferent === isFound ? [] : [`${describeRequest(request)}: ${was?.status}, ${request.status}`];
  });
  const { verdict, unproved } = comparison;
  const recorded = differing === 0 ? "recorded alike" : `${differing} recorded answers differ`;
  verdicts.push(`${before.id}: ${verdict}; ${recorded}`);
  const isWrong = (wrong.length > 0 && verdict === "equivalent") || (verdict === "unknown" && unproved.length === 0);
  return [...wrong, ...unproved.map(({ reason }) => reason), ...(isWrong ? [verdict] : [])];
}
