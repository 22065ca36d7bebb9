import type { Atom, Seen, Situation } from "./atoms.js";
import { Diagrams, type Outcome } from "./bdd.js";
import type { TooLarge } from "./budget.js";
import { atomsIn, whereSeen } from "./looks.js";
import { isOfAddress, Universe } from "./universe.js";
import { keyOf } from "./variables.js";

/** What came of asking two sides about a situation. */
export interface Asked {
  readonly agree: boolean;
  /** All that either looked at. */
  readonly seen: readonly Seen[];
}

/** So many things that were looked at are kept in one universe, so that what comes next need not make another. */
const MOST_ATOMS = 30;

/**
 * Proves that two sides say the same to every request: somebody is asked about, what was looked at tells for whom else the
 * answers are the same, and then somebody is asked about who is not among those, until nobody is left.
 */
export class Agreement {
  private diagrams: Diagrams;
  private universe: Universe | undefined;
  private atoms = new Map<string, Atom>();

  /**
   * @param nodes the most nodes of diagrams
   * @param runs the most situations asked about for one proof
   */
  constructor(
    private readonly nodes: number,
    private readonly runs: number,
  ) {
    this.diagrams = new Diagrams(nodes);
  }

  /** Whether the two never differ; where they do somewhere, nobody else is asked about. */
  isProved(ask: (situation: Situation) => Asked): boolean | TooLarge {
    if (this.diagrams.size > this.nodes / 2) this.startAnew();
    else if (this.atoms.size > MOST_ATOMS) this.forgetAtoms();
    for (let left = this.runs; left > 0; left--) {
      const proved = this.proved(ask);
      if (proved !== "more atoms") return proved;
      this.universe = undefined;
    }
    return "too large";
  }

  private startAnew(): void {
    this.diagrams = new Diagrams(this.nodes);
    this.forgetAtoms();
  }

  private forgetAtoms(): void {
    this.atoms = new Map();
    this.universe = undefined;
  }

  private proved(ask: (situation: Situation) => Asked): boolean | TooLarge | "more atoms" {
    const universe = this.universe ?? Universe.of(this.diagrams, [...this.atoms.values()]);
    if (universe === "too large") return universe;
    this.universe = universe;
    const { diagrams } = universe;
    let rest: Outcome = universe.possible;
    for (let left = this.runs; left > 0; left--) {
      if (rest === "too large") return rest;
      if (diagrams.isFalse(rest)) return true;
      const situation = universe.witness(rest);
      if (situation === "too large" || situation === undefined) return "too large";
      const { agree, seen } = ask(situation);
      if (!agree) return false;
      if (this.hasMore(seen)) return "more atoms";
      const next = diagrams.without(rest, diagrams.and(...seen.map((each) => whereSeen(each, universe))));
      // Something that was not looked at decides.
      if (next === rest) return "too large";
      rest = next;
    }
    return "too large";
  }

  /** Whether there are new ones among what was looked at. */
  private hasMore(seen: readonly Seen[]): boolean {
    const before = this.atoms.size;
    for (const { look } of seen)
      for (const atom of atomsIn(look)) if (!isOfAddress(atom.kind)) this.atoms.set(keyOf(atom), atom);
    return this.atoms.size > before;
  }
}
