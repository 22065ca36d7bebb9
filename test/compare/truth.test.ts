import { describe, expect, test } from "vitest";
import { compare } from "../../src/compare/compare.js";
import { requestText } from "../../src/scope/request-text.js";
import { classOf } from "../../src/simulate/decision.js";
import { setUp } from "../../src/simulate/setup.js";
import { type Case, loadCase } from "../support/cases.js";
import { isReported } from "./in-region.js";
import { recordedPairs } from "./witnesses.js";

const pairs = recordedPairs().map((pair) => ({ id: pair.before.id, ...pair }));

/** What came out for each, with what the servers answered. */
const verdicts: string[] = [];

describe("configurations that 2.2.34 and 2.4.71 answered for", () => {
  test.each(pairs)(
    "$id: what they answered differently lies in a region, what they answered alike does not",
    (each) => {
      const { before, after } = each;
      expect(after?.id).toBe(before.id);
      if (after) expect(mistakes(before, after)).toEqual([]);
    },
  );

  test("the verdicts are those that are listed", async () => {
    await expect(`${verdicts.join("\n")}\n`).toMatchFileSnapshot("verdicts.txt");
  });
});

function mistakes(before: Case, after: Case): string[] {
  const [old, later] = [loadCase(before), loadCase(after)];
  const comparison = compare(
    { project: old.project, reading: "server" },
    { project: later.project, reading: "server" },
  );
  const setup = setUp(later.project, later.files);
  let differing = 0;
  const wrong = after.requests.flatMap((request, index) => {
    const was = before.requests[index];
    const isDifferent = was !== undefined && classOf(was.status) !== classOf(request.status);
    if (isDifferent) differing++;
    const isFound = isReported(comparison, request, setup, later.files);
    return isDifferent === isFound ? [] : [`${requestText(request)}: ${was?.status}, ${request.status}`];
  });
  const { verdict, unproved } = comparison;
  const recorded = differing === 0 ? "recorded alike" : `${differing} recorded answers differ`;
  verdicts.push(`${before.id}: ${verdict}; ${recorded}`);
  const isWrong = (wrong.length > 0 && verdict === "equivalent") || (verdict === "unknown" && unproved.length === 0);
  return [...wrong, ...unproved.map(({ reason }) => reason), ...(isWrong ? [verdict] : [])];
}
