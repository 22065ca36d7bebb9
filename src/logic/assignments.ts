import type { Assignment, Diagram, Diagrams, Nodes } from "./bdd.js";
import type { TooLarge } from "./budget.js";

/** What a variable should be where it may be either, and how much that matters beside the wishes for others. */
export interface Wish {
  readonly value: boolean;
  readonly weight: number;
}

/** Finds what makes functions true, by the same wishes for all of them. */
export class Granting {
  private readonly nodes: Nodes;
  /** The least weight of wishes that stay open, by the node. */
  private readonly costs = new Map<number, number>();

  constructor(
    diagrams: Diagrams,
    private readonly wish: (level: number) => Wish,
  ) {
    this.nodes = diagrams.nodes;
  }

  /**
   * Values for variables that make a function true, with the least weight of wishes that stay open; undefined where the
   * function is false. A variable that is not in it may be either: its wish comes true.
   */
  for(of: Diagram): Assignment | undefined {
    if (this.cost(of.node) === Number.POSITIVE_INFINITY) return undefined;
    const assignment = new Map<number, boolean>();
    for (let node = of.node; !this.nodes.isConstant(node); ) {
      const level = this.nodes.level(node);
      const { value: wished, weight } = this.wish(level);
      const [low, high] = [this.nodes.low(node), this.nodes.high(node)];
      const without = this.cost(low) + (wished ? weight : 0);
      const withIt = this.cost(high) + (wished ? 0 : weight);
      const value = without === withIt ? wished : withIt < without;
      assignment.set(level, value);
      node = value ? high : low;
    }
    return assignment;
  }

  /** Drops what was worked out by now. */
  forget(): void {
    this.costs.clear();
  }

  private cost(node: number): number {
    const { nodes } = this;
    if (nodes.isConstant(node)) return nodes.isTrue(node) ? 0 : Number.POSITIVE_INFINITY;
    const before = this.costs.get(node);
    if (before !== undefined) return before;
    const { value, weight } = this.wish(nodes.level(node));
    const without = this.cost(nodes.low(node)) + (value ? weight : 0);
    const least = Math.min(without, this.cost(nodes.high(node)) + (value ? 0 : weight));
    this.costs.set(node, least);
    return least;
  }
}

/** The ways through a diagram to true: disjoint, and all of it together. @param most more are "too large" */
export function pathsOf(diagrams: Diagrams, of: Diagram, most: number): readonly Assignment[] | TooLarge {
  const paths: Assignment[] = [];
  const visit = (diagram: Diagram, path: Assignment): boolean => {
    const opened = diagrams.open(diagram);
    if (opened.kind === "constant") return !opened.value || paths.push(path) <= most;
    const { level, low, high } = opened;
    return visit(low, new Map([...path, [level, false]])) && visit(high, new Map([...path, [level, true]]));
  };
  return visit(of, new Map()) ? paths : "too large";
}

/** The variables that a function hangs on, the first one first. */
export function variablesOf(diagrams: Diagrams, of: Diagram): readonly number[] {
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
