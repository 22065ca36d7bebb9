import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { findingsOf } from "../support/rules.js";
import { type Pitfall, pitfalls } from "./pitfalls.js";

function rulesOn(text: string, { files = {}, modules, withoutModules }: Pitfall): readonly string[] {
  const given = { files, ...(modules ? { modules } : {}), ...(withoutModules ? { withoutModules } : {}) };
  return [...new Set(findingsOf(defaultRules, text, { from: "2.2", ...given }).map(({ rule }) => rule))];
}

describe.each(pitfalls.map((pitfall) => [`${pitfall.id}: ${pitfall.title}`, pitfall] as const))("%s", (_, pitfall) => {
  const { bad, good, rules } = pitfall;

  test("is found", () => {
    expect(rulesOn(bad, pitfall)).toEqual(expect.arrayContaining([...rules]));
  });

  test("is not found where it is not", () => {
    expect(rulesOn(good, pitfall).filter((rule) => rules.includes(rule))).toEqual([]);
  });
});
