import fc from "fast-check";
import type { BddResult, Diagram, Diagrams } from "../../../src/proof/requests/bdd.js";

/** A formula over numbered variables, to compare a BDD with. */
export type Formula =
  | { readonly kind: "variable"; readonly level: number }
  | { readonly kind: "not"; readonly of: Formula }
  | { readonly kind: "and" | "or" | "xor"; readonly a: Formula; readonly b: Formula }
  | { readonly kind: "ite"; readonly test: Formula; readonly a: Formula; readonly b: Formula };

export const VARIABLES = 6;

export const anyFormula: fc.Arbitrary<Formula> = fc.letrec<{ formula: Formula }>((tie) => ({
  formula: fc.oneof(
    { maxDepth: 6, depthSize: "medium" },
    fc.record({ kind: fc.constant("variable" as const), level: fc.nat({ max: VARIABLES - 1 }) }),
    fc.record({ kind: fc.constant("not" as const), of: tie("formula") }),
    fc.record({ kind: fc.constantFrom("and", "or", "xor"), a: tie("formula"), b: tie("formula") }),
    fc.record({ kind: fc.constant("ite" as const), test: tie("formula"), a: tie("formula"), b: tie("formula") }),
  ),
})).formula;

export function holds(formula: Formula, valueAt: (level: number) => boolean): boolean {
  switch (formula.kind) {
    case "variable":
      return valueAt(formula.level);
    case "not":
      return !holds(formula.of, valueAt);
    case "and":
      return holds(formula.a, valueAt) && holds(formula.b, valueAt);
    case "or":
      return holds(formula.a, valueAt) || holds(formula.b, valueAt);
    case "xor":
      return holds(formula.a, valueAt) !== holds(formula.b, valueAt);
    case "ite":
      return holds(holds(formula.test, valueAt) ? formula.a : formula.b, valueAt);
  }
}

/** @param at returns the BDD of a variable */
export function diagramOf(
  diagrams: Diagrams,
  formula: Formula,
  at = (level: number): BddResult => diagrams.variable(level),
): BddResult {
  const of = (each: Formula) => diagramOf(diagrams, each, at);
  switch (formula.kind) {
    case "variable":
      return at(formula.level);
    case "not":
      return diagrams.not(of(formula.of));
    case "and":
    case "or":
    case "xor":
      return diagrams[formula.kind](of(formula.a), of(formula.b));
    case "ite":
      return diagrams.ite(of(formula.test), of(formula.a), of(formula.b));
  }
}

/** All assignments of the variables: the bits of a number. */
export const rows: readonly ((level: number) => boolean)[] = Array.from(
  { length: 1 << VARIABLES },
  (_, bits) => (level: number) => ((bits >> level) & 1) === 1,
);

/** Returns the BDD, which must be within the test's budget. */
export function unwrap(outcome: BddResult): Diagram {
  if (outcome === "too large") throw new Error(outcome);
  return outcome;
}
