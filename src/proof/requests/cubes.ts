import type { BudgetExceeded } from "../../regex/budget.js";
import type { Assignment, BddResult, Diagram, Diagrams, NodeReader } from "./bdd.js";

/** The preferred value of a variable if both are possible, and its weight relative to other preferences. */
export interface Preference {
  readonly value: boolean;
  readonly weight: number;
}

/** Finds assignments that satisfy functions, with the same preferences for all of them. */
export class ModelFinder {
  private readonly nodes: NodeReader;
  /** The minimum weight of violated preferences, by node. */
  private readonly costs = new Map<number, number>();

  constructor(
    private readonly diagrams: Diagrams,
    private readonly preferenceOf: (level: number) => Preference,
  ) {
    this.nodes = diagrams.nodes;
  }

  /**
   * Returns an assignment that satisfies a function with the minimum weight of violated preferences; undefined if the
   * function is false. A variable that it does not contain is free and takes its preferred value.
   */
  findModel(of: Diagram): Assignment | undefined {
    if (this.cost(of.node) === Number.POSITIVE_INFINITY) return undefined;
    const assignment = new Map<number, boolean>();
    for (let node = of.node; !this.nodes.isConstant(node); ) {
      const level = this.nodes.level(node);
      const { value: preferred, weight } = this.preferenceOf(level);
      const [low, high] = [this.nodes.low(node), this.nodes.high(node)];
      const costIfFalse = this.cost(low) + (preferred ? weight : 0);
      const costIfTrue = this.cost(high) + (preferred ? 0 : weight);
      const value = costIfFalse === costIfTrue ? preferred : costIfTrue < costIfFalse;
      assignment.set(level, value);
      node = value ? high : low;
    }
    return assignment;
  }

  /** Clears cached results. */
  forget(): void {
    this.costs.clear();
  }

  private cost(node: number): number {
    const { nodes } = this;
    if (nodes.isConstant(node)) return nodes.isTrue(node) ? 0 : Number.POSITIVE_INFINITY;
    const before = this.costs.get(node);
    if (before !== undefined) return before;
    const { value, weight } = this.preferenceOf(nodes.level(node));
    const costIfFalse = this.cost(nodes.low(node)) + (value ? weight : 0);
    const min = Math.min(costIfFalse, this.cost(nodes.high(node)) + (value ? 0 : weight));
    this.costs.set(node, min);
    this.diagrams.countSteps(1);
    return min;
  }
}

/**
 * Returns the disjoint paths through a diagram to true, which together cover the function. @param max more are "too
 * large"
 */
export function cubesOf(diagrams: Diagrams, of: Diagram, max: number): readonly Assignment[] | BudgetExceeded {
  const paths: Assignment[] = [];
  const visit = (diagram: Diagram, path: Assignment): boolean => {
    const opened = diagrams.open(diagram);
    if (opened.kind === "constant") return !opened.value || paths.push(path) <= max;
    const { level, low, high } = opened;
    return visit(low, new Map([...path, [level, false]])) && visit(high, new Map([...path, [level, true]]));
  };
  return visit(of, new Map()) ? paths : "too large";
}

/** Returns the variables that a function depends on, in order. */
export function supportOf(diagrams: Diagrams, of: Diagram): readonly number[] {
  const levels = new Set<number>();
  const seen = new Set<Diagram>();
  const visit = (diagram: Diagram): void => {
    if (seen.has(diagram)) return;
    seen.add(diagram);
    const opened = diagrams.open(diagram);
    if (opened.kind === "constant") return;
    levels.add(opened.level);
    visit(opened.low);
    visit(opened.high);
  };
  visit(of);
  return [...levels].sort((a, b) => a - b);
}

/** A condition on the upper variables, and the function of the lower variables under it. */
export interface DecompositionPart {
  readonly upper: Diagram;
  readonly rest: Diagram;
}

/**
 * Splits a function at a level into its distinct residual functions, each with its condition on the variables above.
 * The parts are disjoint; the part where the function is false is omitted.
 *
 * @param level the first of the lower variables
 */
export function decomposeAt(
  diagrams: Diagrams,
  of: Diagram,
  level: number,
): readonly DecompositionPart[] | BudgetExceeded {
  const parts: DecompositionPart[] = [];
  for (const rest of findCofactors(diagrams, of, level)) {
    const upper = preimage(diagrams, of, rest, level);
    if (upper === "too large") return "too large";
    parts.push({ upper, rest });
  }
  return parts;
}

function findCofactors(diagrams: Diagrams, of: Diagram, level: number): ReadonlySet<Diagram> {
  const remainders = new Set<Diagram>();
  const seen = new Set<Diagram>();
  const visit = (diagram: Diagram): void => {
    if (seen.has(diagram)) return;
    seen.add(diagram);
    const opened = diagrams.open(diagram);
    if (opened.kind === "test" && opened.level < level) {
      visit(opened.low);
      visit(opened.high);
    } else if (!diagrams.isFalse(diagram)) remainders.add(diagram);
  };
  visit(of);
  return remainders;
}

function preimage(diagrams: Diagrams, of: Diagram, rest: Diagram, level: number): BddResult {
  const done = new Map<Diagram, BddResult>();
  const visit = (diagram: Diagram): BddResult => {
    const before = done.get(diagram);
    if (before) return before;
    const opened = diagrams.open(diagram);
    const outcome =
      opened.kind === "test" && opened.level < level
        ? diagrams.ite(diagrams.variable(opened.level), visit(opened.high), visit(opened.low))
        : diagrams.constant(diagram === rest);
    done.set(diagram, outcome);
    return outcome;
  };
  return visit(of);
}
