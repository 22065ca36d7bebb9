import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BddResult, type Diagram, Diagrams } from "../../../src/logic/bdd/bdd.js";
import { cubesOf, ModelFinder, supportOf } from "../../../src/logic/bdd/cubes.js";
import { runCount } from "../../support/depth.js";
import { anyFormula, diagramOf, type Formula, holds, rows, sure, VARIABLES } from "../formulas.js";

const seeded = { seed: 20_240_501, numRuns: runCount(60, 300) };

const table = (formula: Formula) => rows.map((row) => holds(formula, row));
const tableOf = (diagrams: Diagrams, of: Diagram) => rows.map((row) => diagrams.evaluate(of, row));

test("the steps of all operations add up", () => {
  const diagrams = new Diagrams(10_000);
  const taken = [0, 1, 2].map((first) => {
    sure(diagrams.and(...[first, first + 3, first + 6].map((level) => diagrams.variable(level))));
    return diagrams.stepsTaken;
  });
  const [one = 0, two = 0, three = 0] = taken;
  expect(one).toBeGreaterThan(0);
  expect([two, three]).toEqual([2 * one, 3 * one]);
});

describe("a diagram equals its truth table", () => {
  test("row by row", () => {
    fc.assert(
      fc.property(anyFormula, (formula) => {
        const diagrams = new Diagrams(10_000);
        expect(tableOf(diagrams, sure(diagramOf(diagrams, formula)))).toEqual(table(formula));
      }),
      seeded,
    );
  });

  test("two formulas are one diagram where their tables are one", () => {
    fc.assert(
      fc.property(anyFormula, anyFormula, (a, b) => {
        const diagrams = new Diagrams(10_000);
        const [of, other] = [sure(diagramOf(diagrams, a)), sure(diagramOf(diagrams, b))];
        const isSame = table(a).join() === table(b).join();
        expect([diagrams.equal(of, other), of === other]).toEqual([isSame, isSame]);
        expect(diagrams.isFalse(sure(diagrams.xor(of, other)))).toBe(isSame);
        expect(diagrams.isTrue(sure(diagrams.or(of, diagrams.not(of))))).toBe(true);
      }),
      seeded,
    );
  });

  test("restricted to known values, and where some value would do", () => {
    fc.assert(
      fc.property(anyFormula, fc.nat({ max: VARIABLES - 1 }), fc.boolean(), (formula, level, value) => {
        const diagrams = new Diagrams(10_000);
        const of = sure(diagramOf(diagrams, formula));
        const where = (fixed: boolean) =>
          rows.map((row) => holds(formula, (each) => (each === level ? fixed : row(each))));
        const restricted = sure(diagrams.restrict(of, new Map([[level, value]])));
        expect(tableOf(diagrams, restricted)).toEqual(where(value));
        const some = sure(diagrams.exists(of, (each) => each === level));
        const [without, withIt] = [where(false), where(true)];
        expect(tableOf(diagrams, some)).toEqual(without.map((each, row) => each || withIt[row] === true));
      }),
      seeded,
    );
  });
});

describe("values that make it true", () => {
  test("are found where there are some, and leave the least weight of wishes open", () => {
    const wishes = fc.array(fc.record({ value: fc.boolean(), weight: fc.nat({ max: 9 }) }), {
      minLength: VARIABLES,
      maxLength: VARIABLES,
    });
    fc.assert(
      fc.property(anyFormula, wishes, (formula, wanted) => {
        const diagrams = new Diagrams(10_000);
        const of = sure(diagramOf(diagrams, formula));
        const wish = (level: number) => wanted[level] ?? { value: false, weight: 0 };
        const found = new ModelFinder(diagrams, wish).findModel(of);
        const open = (row: (level: number) => boolean) =>
          wanted.reduce((sum, { value, weight }, level) => sum + (row(level) === value ? 0 : weight), 0);
        const right = rows.filter((row) => holds(formula, row));
        expect(found === undefined).toBe(right.length === 0);
        if (found === undefined) return;
        const row = (level: number) => found.get(level) ?? wish(level).value;
        expect(holds(formula, row)).toBe(true);
        expect(open(row)).toBe(Math.min(...right.map(open)));
      }),
      seeded,
    );
  });

  test("all ways to true are disjoint and cover it", () => {
    fc.assert(
      fc.property(anyFormula, (formula) => {
        const diagrams = new Diagrams(10_000);
        const paths = cubesOf(diagrams, sure(diagramOf(diagrams, formula)), 1 << VARIABLES);
        if (paths === "too large") throw new Error(paths);
        const fits = rows.map((row) =>
          paths.filter((path) => [...path].every(([level, value]) => row(level) === value)),
        );
        expect(fits.map(({ length }) => length)).toEqual(table(formula).map(Number));
      }),
      seeded,
    );
  });

  test("more ways than requested are too many", () => {
    const diagrams = new Diagrams(1_000);
    const either = sure(diagrams.xor(diagrams.variable(0), diagrams.variable(1)));
    expect(cubesOf(diagrams, either, 2)).toHaveLength(2);
    expect(cubesOf(diagrams, either, 1)).toBe("too large");
    expect(supportOf(diagrams, either)).toEqual([0, 1]);
  });
});

describe("the budget", () => {
  /** Returns a function without a small variable order: bit k of one half equals bit k of the other. */
  function pairs(diagrams: Diagrams, count: number): BddResult {
    const same = Array.from({ length: count }, (_, k) =>
      diagrams.not(diagrams.xor(diagrams.variable(k), diagrams.variable(count + k))),
    );
    return diagrams.and(...same);
  }

  test("ends an operation, and all that builds on it", () => {
    const diagrams = new Diagrams(5_000);
    const large = pairs(diagrams, 20);
    expect(large).toBe("too large");
    expect(diagrams.or(diagrams.not(large), diagrams.true)).toBe("too large");
    expect(diagrams.restrict(large, new Map())).toBe("too large");
    expect(diagrams.size).toBeLessThanOrEqual(5_000);
    expect(diagrams.and(diagrams.variable(0), diagrams.true)).toBe(diagrams.variable(0));
  });

  test("also limits the time, if much is examined without a result", () => {
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

  test("returns no result after the time limit", () => {
    const equal = (diagrams: Diagrams, from: number) =>
      Array.from({ length: 8 }, (_, k) =>
        diagrams.not(diagrams.xor(diagrams.variable(2 + from + k), diagrams.variable(18 + k))),
      );
    const made = (diagrams: Diagrams) => {
      const last = diagrams.variable(26);
      const a = diagrams.and(...equal(diagrams, 0), last);
      const b = diagrams.and(...equal(diagrams, 8), diagrams.not(last));
      const either = diagrams.ite(diagrams.variable(1), diagrams.not(a), diagrams.not(b));
      return { a, b, outer: diagrams.and(diagrams.variable(0), either) };
    };
    const roomy = new Diagrams(100_000);
    const all = made(roomy);
    const { size } = roomy;
    expect(roomy.and(all.a, all.b)).toBe(roomy.false);
    expect(roomy.exists(all.outer, (level) => level === 1)).toBe(roomy.variable(0));
    const tight = new Diagrams(size + 100);
    const { a, b, outer } = made(tight);
    expect(outer).not.toBe("too large");
    expect(tight.and(a, b)).toBe("too large");
    expect(tight.exists(outer, (level) => level === 1)).toBe("too large");
    expect(tight.size).toBeLessThan(size + 100);
  });

  test("is the same on every run", () => {
    const needed = (count: number) => {
      let budget = 2;
      while (pairs(new Diagrams(budget), count) === "too large") budget++;
      return budget;
    };
    expect([needed(3), needed(5), needed(3)]).toEqual([39, 143, 39]);
  });

  test("applies to variables too", () => {
    const diagrams = new Diagrams(100_000);
    const all = Array.from({ length: 2_000 }, (_, level) => diagrams.variable(level));
    expect(diagrams.variable(1_999) === all[1_999]).toBe(true);
    expect(diagrams.variable(2_000) === "too large").toBe(true);
  });

  test("has room for as many variables as the stack is deep", () => {
    const diagrams = new Diagrams(100_000);
    const all = Array.from({ length: 2_000 }, (_, level) => diagrams.variable(level));
    const any = sure(diagrams.not(diagrams.or(...all.toReversed())));
    expect(diagrams.evaluate(any, () => false)).toBe(true);
    expect(supportOf(diagrams, any)).toHaveLength(2_000);
    expect(new ModelFinder(diagrams, () => ({ value: true, weight: 1 })).findModel(any)?.size).toBe(2_000);
  });

  test("a diagram of another set is a mistake of the caller", () => {
    const [one, other] = [new Diagrams(10), new Diagrams(10)];
    expect(() => one.not(other.true)).toThrow("another set");
  });
});
