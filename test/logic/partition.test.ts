import fc from "fast-check";
import { expect, test } from "vitest";
import { ADDRESS_LEVELS, networkSet, networksOf } from "../../src/logic/address-sets.js";
import { variablesOf } from "../../src/logic/assignments.js";
import { Diagrams } from "../../src/logic/bdd.js";
import { partsOf } from "../../src/logic/partition.js";
import { networkText } from "../../src/text/address-text.js";
import { addressOf } from "../../src/text/addresses.js";
import { anyFormula, diagramOf, sure } from "./formulas.js";

test("the parts of a function are disjoint, distinct, and together the function", () => {
  fc.assert(
    fc.property(anyFormula, fc.nat({ max: 6 }), (formula, level) => {
      const diagrams = new Diagrams(10_000);
      const of = sure(diagramOf(diagrams, formula));
      const parts = partsOf(diagrams, of, level);
      if (parts === "too large") throw new Error(parts);
      expect(diagrams.or(...parts.map(({ upper, rest }) => diagrams.and(upper, rest)))).toBe(of);
      expect(new Set(parts.map(({ rest }) => rest)).size).toBe(parts.length);
      for (const [index, { upper, rest }] of parts.entries()) {
        expect(variablesOf(diagrams, upper).every((each) => each < level)).toBe(true);
        expect(variablesOf(diagrams, rest).every((each) => each >= level)).toBe(true);
        const others = parts.slice(index + 1).map((part) => diagrams.and(part.upper, upper));
        expect(diagrams.or(...others)).toBe(diagrams.false);
      }
    }),
    { seed: 20_240_503, numRuns: 300 },
  );
});

test("a rule is taken apart into its clients and what is asked of them", () => {
  const diagrams = new Diagrams(10_000);
  const one = (text: string) => ({ family: 4 as const, network: addressOf(text)?.bits ?? 0n, mask: 0xffff_ffffn });
  const first = networkSet(diagrams, one("192.0.2.1"));
  const second = networkSet(diagrams, one("192.0.2.2"));
  const asked = sure(diagrams.variable(ADDRESS_LEVELS));
  const parts = partsOf(diagrams, sure(diagrams.or(first, diagrams.and(second, asked))), ADDRESS_LEVELS);
  if (parts === "too large") throw new Error(parts);
  const shown = parts.map(({ upper, rest }) => {
    const networks = networksOf(diagrams, upper, 5);
    return [networks === "too large" ? networks : networks.map(networkText), rest];
  });
  expect(shown).toEqual([
    [["192.0.2.1"], diagrams.true],
    [["192.0.2.2"], asked],
  ]);
});
