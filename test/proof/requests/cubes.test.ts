import fc from "fast-check";
import { expect, test } from "vitest";
import { ADDRESS_LEVELS, addressesOfNetwork, networksOf } from "../../../src/proof/requests/address-sets.js";
import { Diagrams } from "../../../src/proof/requests/bdd.js";
import { decomposeAt, supportOf } from "../../../src/proof/requests/cubes.js";
import { formatNetwork, parseAddress } from "../../../src/text/addresses.js";
import { runCount } from "../../support/depth.js";
import { anyFormula, diagramOf, unwrap } from "./formulas.js";

test("decomposition returns disjoint, distinct parts whose union is the function", () => {
  fc.assert(
    fc.property(anyFormula, fc.nat({ max: 6 }), (formula, level) => {
      const diagrams = new Diagrams(10_000);
      const of = unwrap(diagramOf(diagrams, formula));
      const parts = decomposeAt(diagrams, of, level);
      if (parts === "too large") throw new Error(parts);
      expect(diagrams.or(...parts.map(({ upper, rest }) => diagrams.and(upper, rest)))).toBe(of);
      expect(new Set(parts.map(({ rest }) => rest)).size).toBe(parts.length);
      for (const [index, { upper, rest }] of parts.entries()) {
        expect(supportOf(diagrams, upper).every((each) => each < level)).toBe(true);
        expect(supportOf(diagrams, rest).every((each) => each >= level)).toBe(true);
        const others = parts.slice(index + 1).map((part) => diagrams.and(part.upper, upper));
        expect(diagrams.or(...others)).toBe(diagrams.false);
      }
    }),
    { seed: 20_240_503, numRuns: runCount(60, 300) },
  );
});

test("decomposition splits a rule into clients and their requirements", () => {
  const diagrams = new Diagrams(10_000);
  const one = (text: string) => ({ family: 4 as const, network: parseAddress(text)?.bits ?? 0n, mask: 0xffff_ffffn });
  const first = addressesOfNetwork(diagrams, one("192.0.2.1"));
  const second = addressesOfNetwork(diagrams, one("192.0.2.2"));
  const login = unwrap(diagrams.variable(ADDRESS_LEVELS));
  const parts = decomposeAt(diagrams, unwrap(diagrams.or(first, diagrams.and(second, login))), ADDRESS_LEVELS);
  if (parts === "too large") throw new Error(parts);
  const described = parts.map(({ upper, rest }) => {
    const networks = networksOf(diagrams, upper, 5);
    return [networks === "too large" ? networks : networks.map(formatNetwork), rest];
  });
  expect(described).toEqual([
    [["192.0.2.1"], diagrams.true],
    [["192.0.2.2"], login],
  ]);
});
