import { describe, expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { findingsOf } from "../../support/rules.js";
import { coverage, type Fact } from "../upgrade-facts/index.js";

/** Number of facts of each kind, so that none is dropped unnoticed. */
const counts = [27, 25, 91, 65, 31, 22, 35, 79];

test("each kind of fact is complete and without duplicates", () => {
  expect(coverage.map(({ facts }) => facts.length)).toEqual(counts);
  for (const { facts } of coverage) {
    const names = facts.map(({ fact }) => fact);
    expect(new Set(names).size).toBe(names.length);
  }
});

describe.each(coverage.map(({ title, facts }) => [title, facts] as const))("%s", (_, facts) => {
  const reported = facts.flatMap(({ fact, treatment }) => ("by" in treatment ? [[fact, treatment] as const] : []));

  test.each(reported)("%s", (_fact, { by, example, files = {}, modules, withoutModules }) => {
    const options = { files, ...(modules ? { modules } : {}), ...(withoutModules ? { withoutModules } : {}) };
    expect(findingsOf(defaultRules, example, { from: "2.2", ...options }).map(({ rule }) => rule)).toContain(by);
  });

  test("changes without a rule have a reason", () => {
    const reasons = facts.flatMap(({ treatment }: Fact) => ("because" in treatment ? [treatment.why] : []));
    for (const reason of reasons) expect(reason).toMatch(/^\S.{10,}[^.]$/);
  });
});
