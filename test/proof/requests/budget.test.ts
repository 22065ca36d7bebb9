import { describe, expect, test } from "vitest";
import { BASE_STEPS, budgetFor, MAX_STEPS, STEPS_PER_LINE } from "../../../src/proof/model/budget.js";
import { type BddResult, Diagrams } from "../../../src/proof/requests/bdd.js";
import { SymbolicExplorer } from "../../../src/proof/requests/explorer.js";
import { ProductClassifier, productOf, stateAfter, trivialClassifier } from "../../../src/regex/automata/classifier.js";
import { AutomatonAlgebra } from "../../../src/regex/automata/operations.js";
import { buildPathTrie } from "../../../src/regex/automata/path-trie.js";
import { matchLiteral, repeat } from "../../../src/regex/automata/regular-language.js";
import { CurrentStepBudget, StepAllowance } from "../../../src/regex/budget.js";
import { unknownFact } from "../../../src/server/model/unknown-facts.js";
import { load } from "../../support/projects.js";

describe("an operation with a too large operand is too large", () => {
  const automata = new AutomatonAlgebra(40);
  const small = automata.of(matchLiteral("a"));

  test("on automata", () => {
    for (const [a, b] of [["too large", small] as const, [small, "too large"] as const]) {
      expect(automata.and(a, b)).toBe("too large");
      expect(automata.or(a, b)).toBe("too large");
      expect(automata.without(a, b)).toBe("too large");
      expect(automata.isWithin(a, b)).toBe("too large");
    }
    expect(automata.not("too large")).toBe("too large");
    const cycle = (length: number) =>
      automata.of(repeat(matchLiteral("a".repeat(length)), 0, Number.POSITIVE_INFINITY));
    expect(automata.isWithin(cycle(6), cycle(7))).toBe("too large");
    expect(automata.isWithin(cycle(6), cycle(3))).toBe(true);
  });

  test("on diagrams, in any position", () => {
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
  /** Returns a function that equates variables with others many levels below, which is the worst order. */
  const pairs = (diagrams: Diagrams, count: number): BddResult =>
    diagrams.and(
      ...Array.from({ length: count }, (_, i) =>
        diagrams.not(diagrams.xor(diagrams.variable(i), diagrams.variable(i + count))),
      ),
    );

  test("stops an operation that needs more nodes, and keeps existing ones", () => {
    const diagrams = new Diagrams(300);
    const both = diagrams.and(diagrams.variable(0), diagrams.variable(8));
    const neither = diagrams.not(both);
    expect(pairs(diagrams, 8)).toBe("too large");
    expect(diagrams.size).toBeLessThanOrEqual(300);
    expect(diagrams.not(neither)).toBe(both);
    expect(diagrams.and(diagrams.variable(8), diagrams.variable(0))).toBe(both);
  });

  test("allows a function that needs fewer nodes", () => {
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

describe("shared steps", () => {
  test("are exhausted if more are used than there are", () => {
    const whole = new StepAllowance(10);
    const [one, other] = [new StepAllowance(8, whole), new StepAllowance(8, whole)];
    one.take(8);
    expect([one.isUsedUp, other.isUsedUp, whole.isUsedUp]).toEqual([false, false, false]);
    other.take(3);
    expect([one.isUsedUp, other.isUsedUp, whole.isUsedUp]).toEqual([true, true, true]);
  });

  test("are counted for the caller that currently uses the cached results", () => {
    const [first, second] = [new StepAllowance(1), new StepAllowance(1)];
    const current = new CurrentStepBudget(first);
    current.take(2);
    expect(current.isUsedUp).toBe(true);
    current.of = second;
    expect(current.isUsedUp).toBe(false);
    current.take(2);
    expect([current.isUsedUp, second.isUsedUp]).toEqual([true, true]);
  });

  test("are used by automata of patterns, which are too large without enough steps", () => {
    const text = repeat(matchLiteral("ab"), 3, 3);
    const build = (steps: number) => new AutomatonAlgebra(1_000, new StepAllowance(steps)).of(text);
    expect(build(10)).toBe("too large");
    expect(build(10_000)).toEqual(new AutomatonAlgebra(1_000).of(text));
  });

  test("are used by products of classifiers, once for each state", () => {
    const [a, b] = ["/a", "/b"].map((path) => buildPathTrie({ paths: [path] }));
    if (a === undefined || b === undefined) throw new Error("no classifiers");
    let taken = 0;
    const counting = { take: (steps: number) => (taken += steps), isUsedUp: false };
    const pair = new ProductClassifier(a, b, counting);
    stateAfter(pair, "/a/x");
    const once = taken;
    expect(once).toBeGreaterThan(0);
    stateAfter(pair, "/a/x");
    expect(taken).toBe(once);
    stateAfter(pair, "/b");
    expect(taken).toBeGreaterThan(once);
  });

  test("are used by symbolic exploration", () => {
    const countBlocks = (steps: number) => {
      const explorer = new SymbolicExplorer({ nodes: 10_000, runs: 100, allowance: new StepAllowance(steps) });
      const atoms = ["a", "b", "c"].map((name) => ({ kind: "fact", fact: unknownFact("variable", name) }) as const);
      const result = explorer.explore(({ facts }) => ({
        observations: atoms.map((predicate) => ({ predicate, value: facts.has(predicate.fact) })),
      }));
      return result === "too large" ? result : result.blocks.length;
    };
    expect(countBlocks(100_000)).toBe(8);
    expect(countBlocks(2)).toBe("too large");
  });
});

test("a product of ten thousand classifiers does not overflow the stack", () => {
  const many = Array.from({ length: 10_000 }, (_, n) =>
    n === 5_000 ? buildPathTrie({ paths: ["/a"] }) : trivialClassifier,
  );
  const all = productOf(many);
  const outputFor = (text: string) => all.output(stateAfter(all, text), 0);
  expect(outputFor("/a/b")).toBe(outputFor("/a"));
  expect(outputFor("/a")).not.toBe(outputFor("/b"));
});

test("the steps of an exploration grow with the lines of all files, up to a limit", () => {
  const stepsOf = (main: string, own: string) => {
    const files = { "/etc/httpd/httpd.conf": main, "/srv/.htaccess": own };
    return budgetFor([load(files, { kind: "server" })]).steps;
  };
  const main = 'DocumentRoot "/srv"\n<Directory "/srv">\nAllowOverride All\n</Directory>\n';
  const short = stepsOf(main, "Options None\n");
  expect(short).toBeGreaterThan(BASE_STEPS);
  expect(stepsOf(`${main}Listen 80\n`, "Options None\n")).toBe(short + STEPS_PER_LINE);
  expect(stepsOf(main, "Options None\nDirectoryIndex a\n")).toBe(short + STEPS_PER_LINE);
  expect(stepsOf(main, "Options None\n".repeat(20_000))).toBe(MAX_STEPS);
});
