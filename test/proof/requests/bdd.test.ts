import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BddResult, type Diagram, Diagrams } from "../../../src/proof/requests/bdd.js";
import { cubesOf, ModelFinder, supportOf } from "../../../src/proof/requests/cubes.js";
import { runCount } from "../../support/depth.js";
import { anyFormula, diagramOf, type Formula, holds, rows, unwrap, VARIABLES } from "./formulas.js";

const seeded = { seed: 20_240_501, numRuns: runCount(60, 300) };

const table = (formula: Formula) => rows.map((row) => holds(formula, row));
const tableOf = (diagrams: Diagrams, of: Diagram) => rows.map((row) => diagrams.evaluate(of, row));

test("steps of all operations are added up", () => {
  const diagrams = new Diagrams(10_000);
  const steps = [0, 1, 2].map((first) => {
    unwrap(diagrams.and(...[first, first + 3, first + 6].map((level) => diagrams.variable(level))));
    return diagrams.stepsTaken;
  });
  const [one = 0, two = 0, three = 0] = steps;
  expect(one).toBeGreaterThan(0);
  expect([two, three]).toEqual([2 * one, 3 * one]);
});

describe("a diagram equals its truth table", () => {
  test("row by row", () => {
    fc.assert(
      fc.property(anyFormula, (formula) => {
        const diagrams = new Diagrams(10_000);
        expect(tableOf(diagrams, unwrap(diagramOf(diagrams, formula)))).toEqual(table(formula));
      }),
      seeded,
    );
  });

  test("and is the same for two formulas with the same table", () => {
    fc.assert(
      fc.property(anyFormula, anyFormula, (a, b) => {
        const diagrams = new Diagrams(10_000);
        const [of, other] = [unwrap(diagramOf(diagrams, a)), unwrap(diagramOf(diagrams, b))];
        const isSame = table(a).join() === table(b).join();
        expect([diagrams.equal(of, other), of === other]).toEqual([isSame, isSame]);
        expect(diagrams.isFalse(unwrap(diagrams.xor(of, other)))).toBe(isSame);
        expect(diagrams.isTrue(unwrap(diagrams.or(of, diagrams.not(of))))).toBe(true);
      }),
      seeded,
    );
  });

  test("after restriction to known values, and after existential quantification", () => {
    fc.assert(
      fc.property(anyFormula, fc.nat({ max: VARIABLES - 1 }), fc.boolean(), (formula, level, value) => {
        const diagrams = new Diagrams(10_000);
        const of = unwrap(diagramOf(diagrams, formula));
        const where = (fixed: boolean) =>
          rows.map((row) => holds(formula, (each) => (each === level ? fixed : row(each))));
        const restricted = unwrap(diagrams.restrict(of, new Map([[level, value]])));
        expect(tableOf(diagrams, restricted)).toEqual(where(value));
        const some = unwrap(diagrams.exists(of, (each) => each === level));
        const [without, withIt] = [where(false), where(true)];
        expect(tableOf(diagrams, some)).toEqual(without.map((each, row) => each || withIt[row] === true));
      }),
      seeded,
    );
  });
});

describe("values that satisfy a diagram", () => {
  test("are found if they exist, with the least total weight of unmet preferences", () => {
    const preferences = fc.array(fc.record({ value: fc.boolean(), weight: fc.nat({ max: 9 }) }), {
      minLength: VARIABLES,
      maxLength: VARIABLES,
    });
    fc.assert(
      fc.property(anyFormula, preferences, (formula, preferred) => {
        const diagrams = new Diagrams(10_000);
        const of = unwrap(diagramOf(diagrams, formula));
        const preference = (level: number) => preferred[level] ?? { value: false, weight: 0 };
        const model = new ModelFinder(diagrams, preference).findModel(of);
        const unmetWeight = (row: (level: number) => boolean) =>
          preferred.reduce((sum, { value, weight }, level) => sum + (row(level) === value ? 0 : weight), 0);
        const satisfying = rows.filter((row) => holds(formula, row));
        expect(model === undefined).toBe(satisfying.length === 0);
        if (model === undefined) return;
        const row = (level: number) => model.get(level) ?? preference(level).value;
        expect(holds(formula, row)).toBe(true);
        expect(unmetWeight(row)).toBe(Math.min(...satisfying.map(unmetWeight)));
      }),
      seeded,
    );
  });

  test("are covered by disjoint cubes", () => {
    fc.assert(
      fc.property(anyFormula, (formula) => {
        const diagrams = new Diagrams(10_000);
        const paths = cubesOf(diagrams, unwrap(diagramOf(diagrams, formula)), 1 << VARIABLES);
        if (paths === "too large") throw new Error(paths);
        const fits = rows.map((row) =>
          paths.filter((path) => [...path].every(([level, value]) => row(level) === value)),
        );
        expect(fits.map(({ length }) => length)).toEqual(table(formula).map(Number));
      }),
      seeded,
    );
  });

  test("are too many if there are more cubes than the limit", () => {
    const diagrams = new Diagrams(1_000);
    const either = unwrap(diagrams.xor(diagrams.variable(0), diagrams.variable(1)));
    expect(cubesOf(diagrams, either, 2)).toHaveLength(2);
    expect(cubesOf(diagrams, either, 1)).toBe("too large");
    expect(supportOf(diagrams, either)).toEqual([0, 1]);
  });
});

describe("the node budget", () => {
  /** Returns a function without a small variable order: bit k of one half equals bit k of the other. */
  function pairs(diagrams: Diagrams, count: number): BddResult {
    const same = Array.from({ length: count }, (_, k) =>
      diagrams.not(diagrams.xor(diagrams.variable(k), diagrams.variable(count + k))),
    );
    return diagrams.and(...same);
  }

  test("stops an operation, and all operations that use its result", () => {
    const diagrams = new Diagrams(5_000);
    const large = pairs(diagrams, 20);
    expect(large).toBe("too large");
    expect(diagrams.or(diagrams.not(large), diagrams.true)).toBe("too large");
    expect(diagrams.restrict(large, new Map())).toBe("too large");
    expect(diagrams.size).toBeLessThanOrEqual(5_000);
    expect(diagrams.and(diagrams.variable(0), diagrams.true)).toBe(diagrams.variable(0));
  });

  test("also limits steps that create no nodes", () => {
    const equal = (diagrams: Diagrams, from: number) =>
      Array.from({ length: 7 }, (_, k) =>
        diagrams.not(diagrams.xor(diagrams.variable(from + k), diagrams.variable(14 + k))),
      );
    const sides = (diagrams: Diagrams) => {
      const last = diagrams.variable(21);
      return [
        diagrams.and(...equal(diagrams, 0), last),
        diagrams.and(...equal(diagrams, 7), diagrams.not(last)),
      ] as const;
    };
    const roomy = new Diagrams(10_000);
    const [a, b] = sides(roomy);
    const { size } = roomy;
    expect(roomy.and(a, b)).toBe(roomy.false);
    expect(roomy.size).toBe(size);
    const tight = new Diagrams(size);
    const [c, d] = sides(tight);
    expect([c, d]).not.toContain("too large");
    expect(tight.and(c, d)).toBe("too large");
  });

  test("stops later operations after an operation exceeded it", () => {
    const equal = (diagrams: Diagrams, from: number) =>
      Array.from({ length: 8 }, (_, k) =>
        diagrams.not(diagrams.xor(diagrams.variable(2 + from + k), diagrams.variable(18 + k))),
      );
    const build = (diagrams: Diagrams) => {
      const last = diagrams.variable(26);
      const a = diagrams.and(...equal(diagrams, 0), last);
      const b = diagrams.and(...equal(diagrams, 8), diagrams.not(last));
      const either = diagrams.ite(diagrams.variable(1), diagrams.not(a), diagrams.not(b));
      return { a, b, outer: diagrams.and(diagrams.variable(0), either) };
    };
    const roomy = new Diagrams(100_000);
    const all = build(roomy);
    const { size } = roomy;
    expect(roomy.and(all.a, all.b)).toBe(roomy.false);
    expect(roomy.exists(all.outer, (level) => level === 1)).toBe(roomy.variable(0));
    const tight = new Diagrams(size + 100);
    const { a, b, outer } = build(tight);
    expect(outer).not.toBe("too large");
    expect(tight.and(a, b)).toBe("too large");
    expect(tight.exists(outer, (level) => level === 1)).toBe("too large");
    expect(tight.size).toBeLessThan(size + 100);
  });

  test("is deterministic", () => {
    const minimumBudget = (count: number) => {
      let budget = 2;
      while (pairs(new Diagrams(budget), count) === "too large") budget++;
      return budget;
    };
    expect([minimumBudget(3), minimumBudget(5), minimumBudget(3)]).toEqual([39, 143, 39]);
  });

  test("limits variables too", () => {
    const diagrams = new Diagrams(100_000);
    const all = Array.from({ length: 2_000 }, (_, level) => diagrams.variable(level));
    expect(diagrams.variable(1_999) === all[1_999]).toBe(true);
    expect(diagrams.variable(2_000) === "too large").toBe(true);
  });

  test("allows thousands of variables without a stack overflow", () => {
    const diagrams = new Diagrams(100_000);
    const all = Array.from({ length: 2_000 }, (_, level) => diagrams.variable(level));
    const any = unwrap(diagrams.not(diagrams.or(...all.toReversed())));
    expect(diagrams.evaluate(any, () => false)).toBe(true);
    expect(supportOf(diagrams, any)).toHaveLength(2_000);
    expect(new ModelFinder(diagrams, () => ({ value: true, weight: 1 })).findModel(any)?.size).toBe(2_000);
  });

  test("rejects a diagram of another set", () => {
    const [one, other] = [new Diagrams(10), new Diagrams(10)];
    expect(() => one.not(other.true)).toThrow("another set");
  });
});
