import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { decisionClassOf } from "../../../src/server/model/answer.js";
import { describeRequest } from "../../../src/server/model/request.js";
import { prepareSimulation } from "../../../src/server/process-request.js";
import { type Case, loadCase } from "../../support/cases/recorded-cases.js";
import { isDeep, sampleOf } from "../../support/depth.js";
import { isReported } from "./reported-regions.js";
import { recordedPairs } from "./witnesses.js";

/**
 * Compares a sample of the 500 configurations recorded with both releases, so that each verdict occurs.
 * A deep run compares all.
 */
const all = recordedPairs().map((pair) => ({ id: pair.before.id, ...pair }));
const pairs = sampleOf(all, 12);

/** The verdict for each configuration, with the servers' responses. */
const verdicts: string[] = [];

const list = "test/proof/compare/verdicts.txt";

describe("for configurations recorded with 2.2.34 and 2.4.71", () => {
  test.each(pairs)("exactly the requests with different results are in a reported region: $id", (each) => {
    const { before, after } = each;
    expect(after?.id).toBe(before.id);
    if (after) expect(mistakes(before, after)).toEqual([]);
  });

  test.skipIf(isDeep)("the verdicts match the list", () => {
    const listed = readFileSync(list, "utf8").trimEnd().split("\n");
    expect(verdicts).toEqual(sampleOf(listed, 12));
    expect(kindsOf(verdicts)).toEqual(kindsOf(listed));
  });

  test.runIf(isDeep)("the list has all verdicts", async () => {
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
    { project: old.project, semantics: "server" },
    { project: later.project, semantics: "server" },
  );
  const setup = prepareSimulation(later.project, later.files);
  let differing = 0;
  const mistaken = after.requests.flatMap((request, index) => {
    const previous = before.requests[index];
    const isDifferent = previous !== undefined && decisionClassOf(previous.status) !== decisionClassOf(request.status);
    if (isDifferent) differing++;
    const isFound = isReported(comparison, request, setup, later.files);
    return isDifferent === isFound ? [] : [`${describeRequest(request)}: ${previous?.status}, ${request.status}`];
  });
  const { verdict, unproved } = comparison;
  const recorded = differing === 0 ? "recorded alike" : `${differing} recorded answers differ`;
  verdicts.push(`${before.id}: ${verdict}; ${recorded}`);
  const isWrong = (mistaken.length > 0 && verdict === "equivalent") || (verdict === "unknown" && unproved.length === 0);
  return [...mistaken, ...unproved.map(({ reason }) => reason), ...(isWrong ? [verdict] : [])];
}
