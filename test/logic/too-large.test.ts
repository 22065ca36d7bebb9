import { describe, expect, test } from "vitest";
import { Automata } from "../../src/logic/automata.js";
import { Diagrams, type Outcome } from "../../src/logic/bdd.js";
import { literal, repeated } from "../../src/logic/regular.js";

describe("an operation with an operand that is too large", () => {
  const automata = new Automata(40);
  const small = automata.of(literal("a"));

  test("on automata", () => {
    for (const [a, b] of [["too large", small] as const, [small, "too large"] as const]) {
      expect(automata.and(a, b)).toBe("too large");
      expect(automata.or(a, b)).toBe("too large");
      expect(automata.without(a, b)).toBe("too large");
      expect(automata.isWithin(a, b)).toBe("too large");
    }
    expect(automata.not("too large")).toBe("too large");
    const cycle = (length: number) => automata.of(repeated(literal("a".repeat(length)), 0, Number.POSITIVE_INFINITY));
    expect(automata.isWithin(cycle(6), cycle(7))).toBe("too large");
    expect(automata.isWithin(cycle(6), cycle(3))).toBe(true);
  });

  test("on diagrams, in whichever place", () => {
    const diagrams = new Diagrams(100);
    const a = diagrams.variable(0);
    expect(diagrams.not("too large")).toBe("too large");
    for (const of of ["too large", a] as const) expect(diagrams.and(of, "too large", a)).toBe("too large");
    expect(diagrams.or(a, "too large")).toBe("too large");
    expect(diagrams.xor("too large", a)).toBe("too large");
    expect(diagrams.without(a, "too large")).toBe("too large");
    expect(diagrams.ite("too large", a, a)).toBe("too large");
    expect(diagrams.ite(a, "too large", a)).toBe("too large");
    expect(diagrams.ite(a, a, "too large")).toBe("too large");
    expect(diagrams.ite(diagrams.true, a, "too large")).toBe("too large");
    expect(diagrams.restrict("too large", new Map())).toBe("too large");
  });
});

describe("the budget of diagrams", () => {
  /** Some variables, of which each is equal to the one that many levels further down: the order at its worst. */
  const pairs = (diagrams: Diagrams, count: number): Outcome =>
    diagrams.and(
      ...Array.from({ length: count }, (_, i) =>
        diagrams.not(diagrams.xor(diagrams.variable(i), diagrams.variable(i + count))),
      ),
    );

  test("ends what needs more nodes, and leaves what was there as it was", () => {
    const diagrams = new Diagrams(300);
    const both = diagrams.and(diagrams.variable(0), diagrams.variable(8));
    const neither = diagrams.not(both);
    expect(pairs(diagrams, 8)).toBe("too large");
    expect(diagrams.size).toBeLessThanOrEqual(300);
    expect(diagrams.not(neither)).toBe(both);
    expect(diagrams.and(diagrams.variable(8), diagrams.variable(0))).toBe(both);
  });

  test("is enough for a function that has room", () => {
    const diagrams = new Diagrams(3_000);
    const small = pairs(diagrams, 4);
    expect(small).not.toBe("too large");
    expect(
      diagrams.restrict(
        small,
        new Map([
          [0, true],
          [4, false],
        ]),
      ),
    ).toBe(diagrams.false);
    expect(diagrams.xor(small, pairs(diagrams, 4))).toBe(diagrams.false);
  });
});
