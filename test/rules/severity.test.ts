import { expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { readRulePage } from "../support/rule-pages.js";
import { findingsOf, type ReportedFinding } from "../support/rules.js";

/** Returns a key for a fact: what a rule says of which place. */
function factOf({ rule, at, message }: ReportedFinding): string {
  return `${rule} ${at} ${message}`;
}

test("a fact has the same severity in check and in upgrade", { timeout: 120_000 }, () => {
  const shared: string[] = [];
  const different: string[] = [];
  for (const rule of allRules.filter(({ upgrade }) => upgrade !== undefined))
    for (const { text, given } of readRulePage(rule.id).examples) {
      if (given.release === "2.2") continue;
      const { from: _from, ...ofCheck } = given;
      const severities = new Map(findingsOf([rule], text, ofCheck).map((each) => [factOf(each), each.severity]));
      for (const each of findingsOf([rule], text, { ...given, from: "2.2" })) {
        const fact = factOf(each);
        const severity = severities.get(fact);
        if (severity === undefined) continue;
        shared.push(fact);
        if (severity !== each.severity) different.push(`${fact}: ${severity} in check, ${each.severity} in upgrade`);
      }
    }
  expect(different).toEqual([]);
  // Rules that both commands use have facts in common.
  expect(new Set(shared.map((fact) => fact.split(" ", 1)[0])).size).toBeGreaterThan(10);
});
