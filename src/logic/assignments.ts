import type { Assignment, Diagram, Diagrams } from "./bdd.js";
import type { TooLarge } from "./budget.js";

/** What a variable should be where it may be either, and how much that matters beside the wishes for others. */
export interface Wish {
  readonly value: boolean;
  readonly weight: number;
}

/**
 * Values for variables that make a function true, with the least weight of wishes that stay open; undefined where the
 * function is false. A variable that is not in it may be either: its wish comes true.
 */
export function satisfying(diagrams: Diagrams, of: Diagram, wish: (level: number) => Wish): Assignment | undefined {
  const costs = new Map<Diagram, number>();
  const cost = (diagram: Diagram): number => {
    const before = costs.get(diagram);
    if (before !== undefined) return before;
    const opened = diagrams.open(diagram);
    const least =
      opened.kind === "constant" ? (opened.value ? 0 : Number.POSITIVE_INFINITY) : Math.min(...choices(opened));
    costs.set(diagram, least);
    return least;
  };
  const choices = ({ level, low, high }: { level: number; low: Diagram; high: Diagram }): [number, number] => {
    const { value, weight } = wish(level);
    return [cost(low) + (value ? weight : 0), cost(high) + (value ? 0 : weight)];
  };
  if (cost(of) === Number.POSITIVE_INFINITY) return undefined;
  const assignment = new Map<number, boolean>();
  for (let opened = diagrams.open(of); opened.kind === "test"; ) {
    const { level, low, high } = opened;
    const [without, withIt] = choices(opened);
    const value = without === withIt ? wish(level).value : withIt < without;
    assignment.set(level, value);
    opened = diagrams.open(value ? high : low);
  }
  return assignment;
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
