import { describe, expect, test } from "vitest";
import { conform } from "../conformance/conformance.js";
import { counterfactuals } from "../simulate/counterfactuals.js";
import { logComplaints } from "../simulate/recorded-logs.js";
import { sampledCases } from "./sampled-cases.js";

describe.each(sampledCases.map((each) => [each.id, each] as const))("%s", (_, each) => {
  test("is decided as it was recorded", () => {
    expect(conform([each]).disagreements).toEqual([]);
  });

  test("with the messages of the error log in their order", () => {
    expect(logComplaints([each])).toEqual([]);
  });
});

/** A case is decided again without each of its lines. */
const few = sampledCases.filter((_, i) => i % 12 === 0).map((each) => [each.id, each] as const);

test.each(few)("the trace of %s names the lines that its answer hangs on", (_, each) => {
  expect(counterfactuals(each).complaints).toEqual([]);
});
