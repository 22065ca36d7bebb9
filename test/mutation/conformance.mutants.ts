import { describe, expect, test } from "vitest";
import { conform } from "../conformance/conformance.js";
import { counterfactuals } from "../server/counterfactuals.js";
import { logComplaints } from "../server/recorded-logs.js";
import { sampledCases } from "./sampled-cases.js";

describe.each(sampledCases.map((each) => [each.id, each] as const))("%s", (_, each) => {
  test("matches the recorded answer", () => {
    expect(conform([each]).disagreements).toEqual([]);
  });

  test("logs the recorded messages in order", () => {
    expect(logComplaints([each])).toEqual([]);
  });
});

/** A case is decided again without each of its lines. */
const sample = sampledCases.filter((_, i) => i % 12 === 0).map((each) => [each.id, each] as const);

test.each(sample)("%s has a trace with each line that decides its answer", (_, each) => {
  expect(counterfactuals(each).complaints).toEqual([]);
});
