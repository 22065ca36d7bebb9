import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { findingsOf } from "../support/rules.js";
import { coverage, type Fact } from "./facts/index.js";

/** Number of facts of each kind: a dropped one would be noticed here. */
const counts = [27, 25, 91, 65, 31, 22, 35, 79];

test("every kind of facts is there whole, each fact once", () => {
  expect(coverage.map(({ facts }) => facts.length)).toEqual(counts);
  for (const { facts } of coverage) {
    const names = facts.map(({ fact }) => fact);
    expect(new Set(names).size).toBe(names.length);
  }
});

describe.each(coverage.map(({ title, facts }) => [title, facts] as const))("%s", (_, facts) => {
  const told = facts.flatMap(({ fact, told: how }) => ("by" in how ? [[fact, how] as const] : []));

  test.each(told)("%s", (_fact, { by, example, files = {}, modules, withoutModules }) => {
    const given = { files, ...(modules ? { modules } : {}), ...(withoutModules ? { withoutModules } : {}) };
    expect(findingsOf(defaultRules, example, { from: "2.2", ...given }).map(({ rule }) => rule)).toContain(by);
  });

  test("changes without a rule have a reason", () => {
    const reasons = facts.flatMap(({ told: how }: Fact) => ("because" in how ? [how.why] : []));
    for (const reason of reasons) expect(reason).toMatch(/^\S.{10,}[^.]$/);
  });
});
