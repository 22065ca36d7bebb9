import type { Atom, Situation } from "../logic/atoms.js";
import { type Diagram, Diagrams, type Outcome as Where } from "../logic/bdd.js";
import type { TooLarge } from "../logic/budget.js";
import { atomsIn, whereSeen } from "../logic/looks.js";
import { isOfAddress, Universe } from "../logic/universe.js";
import { keyOf } from "../logic/variables.js";
import type { Asked } from "./asked.js";

/** Requests that differ in nothing but who sends them, and that each of some sides answers by the same lines. */
export interface PolicyPart {
  /** For whom, as a function in the universe that the policy was made in. */
  readonly when: Diagram;
  /** What each side was asked for one of them. */
  readonly asked: readonly Asked[];
}

/** Who gets what of some sides. The parts are disjoint, and together they are everybody. */
export interface Policy {
  readonly universe: Universe;
  readonly parts: readonly PolicyPart[];
}

/** What a policy may take. The outcome hangs on nothing but these: it is the same on every machine. */
export interface PolicyBudget {
  /** The most nodes of diagrams. */
  readonly nodes: number;
  /** The most situations asked about. */
  readonly runs: number;
}

/** Asks what comes of a situation. */
export type Ask = (situation: Situation) => Asked;

/** So many things that decisions look at are kept in one universe, so that what comes next need not make another. */
const MOST_ATOMS = 30;

/** A set of diagrams with no more nodes has about all of its room left. */
const FRESH_NODES = 1_000;

/**
 * Works out who gets what by asking: somebody is asked about, what the decision looked at tells for whom else it comes out
 * the same, and then somebody is asked about who is not among those, until nobody is left.
 */
export class PolicyMaker {
  private diagrams: Diagrams;
  private universe: Universe | undefined;
  private atoms = new Map<string, Atom>();

  constructor(private readonly budget: PolicyBudget) {
    this.diagrams = new Diagrams(budget.nodes);
  }

  /** @param sides all are asked about the same */
  of(sides: readonly Ask[]): Policy | TooLarge {
    if (this.atoms.size > MOST_ATOMS) this.forgetAtoms();
    if (this.diagrams.size > this.budget.nodes / 2) this.startAnew();
    const { size } = this.diagrams;
    const made = this.made(sides);
    if (made !== "too large" || size < FRESH_NODES) return made;
    // There was less room than there could be.
    this.startAnew();
    return this.made(sides);
  }

  private startAnew(): void {
    this.diagrams = new Diagrams(this.budget.nodes);
    this.forgetAtoms();
  }

  private forgetAtoms(): void {
    this.atoms = new Map();
    this.universe = undefined;
  }

  private made(sides: readonly Ask[]): Policy | TooLarge {
    for (let left = this.budget.runs; ; left--) {
      const universe = this.universe ?? Universe.of(this.diagrams, [...this.atoms.values()]);
      if (universe === "too large") return universe;
      this.universe = universe;
      const parts = partsIn(universe, this.atoms, sides, left);
      if (parts === "too large") return parts;
      if (parts !== "more atoms") return { universe, parts };
      this.universe = undefined;
    }
  }
}

/** @param atoms those of the universe; takes those that come up beside */
function partsIn(
  universe: Universe,
  atoms: Map<string, Atom>,
  sides: readonly Ask[],
  mostRuns: number,
): readonly PolicyPart[] | TooLarge | "more atoms" {
  const { diagrams } = universe;
  const parts: PolicyPart[] = [];
  let rest: Where = universe.possible;
  while (rest !== "too large" && !diagrams.isFalse(rest)) {
    if (parts.length >= mostRuns) return "too large";
    const situation = universe.witness(rest);
    if (situation === "too large" || situation === undefined) return "too large";
    const asked = sides.map((ask) => ask(situation));
    if (addAtoms(asked, atoms)) return "more atoms";
    const alike = diagrams.and(...asked.flatMap(({ seen }) => seen.map((each) => whereSeen(each, universe))));
    const when = diagrams.and(rest, alike);
    if (when === "too large") return when;
    if (diagrams.isFalse(when)) {
      const untold = "what it looks at";
      return [...parts, { when: rest, asked: asked.map((each) => ({ ...each, untold })) }];
    }
    parts.push({ when, asked });
    rest = diagrams.without(rest, alike);
  }
  return rest === "too large" ? rest : parts;
}

/** Whether there are new ones among what was looked at. */
function addAtoms(asked: readonly Asked[], atoms: Map<string, Atom>): boolean {
  const before = atoms.size;
  for (const { seen } of asked)
    for (const { look } of seen)
      for (const atom of atomsIn(look)) {
        if (!isOfAddress(atom.kind)) atoms.set(keyOf(atom), atom);
        if (atom.kind !== "exists") continue;
        // What is there is asked next.
        const directory = { kind: "directory", path: atom.path } as const;
        atoms.set(keyOf(directory), directory);
      }
  return atoms.size > before;
}

/** Whether a condition is that of a pattern which is not read: what it comes to is not open, it is only not known here. */
export function asksForPattern(atom: Atom): boolean {
  return atom.kind === "term" && atom.text.startsWith("whether the pattern ");
}
