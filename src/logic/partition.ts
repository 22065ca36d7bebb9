import type { Diagram, Diagrams, Outcome } from "./bdd.js";
import type { TooLarge } from "./budget.js";

/** Where the upper variables are as the one diagram says, a function is the other one, of the lower variables. */
export interface Part {
  readonly upper: Diagram;
  readonly rest: Diagram;
}

/**
 * A function taken apart at a level: its distinct outcomes once the variables above are known, each with where it comes
 * to that. The parts are disjoint; where the function is false is left out.
 *
 * @param level the first of the lower variables
 */
export function partsOf(diagrams: Diagrams, of: Diagram, level: number): readonly Part[] | TooLarge {
  const parts: Part[] = [];
  for (const rest of restsOf(diagrams, of, level)) {
    const upper = whereItIs(diagrams, of, rest, level);
    if (upper === "too large") return "too large";
    parts.push({ upper, rest });
  }
  return parts;
}

function restsOf(diagrams: Diagrams, of: Diagram, level: number): ReadonlySet<Diagram> {
  const rests = new Set<Diagram>();
  const seen = new Set<Diagram>();
  const visit = (diagram: Diagram): void => {
    if (seen.has(diagram)) return;
    seen.add(diagram);
    const opened = diagrams.open(diagram);
    if (opened.kind === "test" && opened.level < level) {
      visit(opened.low);
      visit(opened.high);
    } else if (!diagrams.isFalse(diagram)) rests.add(diagram);
  };
  visit(of);
  return rests;
}

function whereItIs(diagrams: Diagrams, of: Diagram, rest: Diagram, level: number): Outcome {
  const done = new Map<Diagram, Outcome>();
  const visit = (diagram: Diagram): Outcome => {
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
