import { describe, expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { findingsOf } from "../../support/rules.js";
import { type Pitfall, pitfalls } from "./pitfalls.js";

function rulesOn(text: string, { files = {}, modules, withoutModules }: Pitfall): readonly string[] {
  const options = { files, ...(modules ? { modules } : {}), ...(withoutModules ? { withoutModules } : {}) };
  return [...new Set(findingsOf(defaultRules, text, { from: "2.2", ...options }).map(({ rule }) => rule))];
}

describe.each(pitfalls.map((pitfall) => [`${pitfall.id}: ${pitfall.title}`, pitfall] as const))("%s", (_, pitfall) => {
  const { bad, good, rules } = pitfall;

  test("is reported", () => {
    expect(rulesOn(bad, pitfall)).toEqual(expect.arrayContaining([...rules]));
  });

  test("twin: is not reported in the correct configuration", () => {
    expect(rulesOn(good, pitfall).filter((rule) => rules.includes(rule))).toEqual([]);
  });
});
