import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import {
  benchmark,
  benchmarkSections,
  groupRulesByRecommendation,
  judgeRecommendations,
  type RecommendationEvidence,
} from "../../src/lint/recommendations.js";
import { referenceCatalogues } from "../../src/lint/references.js";

const all = benchmarkSections.flatMap(({ recommendations }) => recommendations);
const referring = groupRulesByRecommendation(allRules);

describe("the table of recommendations", () => {
  test("has the same edition as the references of rules", () => {
    expect(referenceCatalogues.find(({ key }) => key === "cis")).toMatchObject(benchmark);
  });

  test("contains each recommendation that a rule refers to, with the facts that no rule checks", () => {
    const covered = all.filter(({ isWhole, unchecked }) => isWhole || unchecked !== undefined);
    expect(new Set(covered.map(({ number }) => number))).toEqual(new Set(referring.keys()));
    expect(covered.filter(({ isWhole, unchecked }) => isWhole === (unchecked !== undefined))).toEqual([]);
  });

  test("names only rules that no other rule supersedes", () => {
    const whole = new Set(all.filter(({ isWhole }) => isWhole).flatMap(({ number }) => referring.get(number) ?? []));
    const hidden = allRules.flatMap(({ supersedes = [] }) => supersedes).filter((id) => whole.has(id));
    expect(hidden).toEqual([]);
  });
});

describe("judgeRecommendations", () => {
  const ran = new Set(allRules.map(({ id }) => id));
  const clean: RecommendationEvidence = { findings: [], ran, incomplete: undefined, names: new Set() };
  const stateOf = (number: string, ...evidence: readonly RecommendationEvidence[]) =>
    judgeRecommendations(allRules, evidence).find((each) => each.number === number);

  test("requires all servers to meet a recommendation, and one to violate it", () => {
    expect(stateOf("5.8", clean, clean)?.state).toBe("met");
    expect(stateOf("5.8", clean, { ...clean, incomplete: "why" })).toMatchObject({
      state: "not decidable",
      reason: "why",
    });
    const violated = { ...clean, findings: [{ rule: "trace-enabled" }] };
    expect(stateOf("5.8", clean, violated)).toMatchObject({
      state: "not met",
      findings: new Map([["trace-enabled", 1]]),
    });
    expect(stateOf("5.8")).toMatchObject({ state: "not decidable", reason: "no server was checked" });
  });

  test("uses the references of a finding instead of those of its rule", () => {
    const findings = [{ rule: "verbose-server", references: { cis: ["8.2"] } }];
    expect(stateOf("8.2", { ...clean, findings })?.state).toBe("not met");
    expect(stateOf("8.1", { ...clean, findings })?.state).toBe("met");
  });
});
