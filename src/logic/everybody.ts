import type { Atom, Seen, Situation } from "./atoms.js";
import { type Diagram, Diagrams, type Outcome } from "./bdd.js";
import type { Steps, TooLarge } from "./budget.js";
import { atomsIn, whereSeen } from "./looks.js";
import { isOfAddress, Universe } from "./universe.js";
import { keyOf } from "./variables.js";

/** What came of asking about somebody, with all that was looked at. */
export interface Told {
  readonly seen: readonly Seen[];
}

/** Those of whom the same came. */
export interface PartOf<T> {
  /** As a function in the universe. */
  readonly when: Diagram;
  /** What came of one of them. */
  readonly told: T;
  /** Whether something decided that was not looked at: what came of the others is not known. */
  readonly isUncertain: boolean;
}

/** Everybody, in disjoint parts. */
export interface Parts<T> {
  readonly universe: Universe;
  readonly parts: readonly PartOf<T>[];
}

/** How much it may take to ask about everybody. The outcome hangs on nothing but these: it is the same on every machine. */
export interface AskingBudget {
  /** The most nodes of diagrams. */
  readonly nodes: number;
  /** The most situations asked about. */
  readonly runs: number;
  /** What the steps of diagrams are taken from; who asks takes those of asking. Where it is used up, it is too much. */
  readonly allowance?: Steps;
}

/** So many things that decisions look at are kept in one universe, so that what comes next need not make another. */
const MOST_ATOMS = 12;

/** A set of diagrams with no more nodes has about all of its room left. */
const FRESH_NODES = 1_000;

/**
 * Asks about everybody: about somebody first; what was looked at tells for whom else it comes out the same, and then
 * somebody is asked about who is not among those, until nobody is left.
 */
export class Everybody {
  private diagrams: Diagrams;
  private universe: Universe | undefined;
  private atoms = new Map<string, Atom>();
  /** As many of the diagrams' steps as were taken from the allowance. */
  private stepsCounted = 0;

  constructor(private readonly budget: AskingBudget) {
    this.diagrams = new Diagrams(budget.nodes);
  }

  /** @param isEnough whether what came of somebody settles it, and nobody else need be asked about */
  ask<T extends Told>(ask: (situation: Situation) => T, isEnough?: (told: T) => boolean): Parts<T> | TooLarge {
    if (this.diagrams.size > this.budget.nodes / 2) this.startAnew();
    else if (this.atoms.size > MOST_ATOMS) this.forgetAtoms();
    const { size } = this.diagrams;
    const found = this.counted(ask, isEnough);
    if (found !== "too large" || size < FRESH_NODES || this.isUsedUp) return found;
    // There was less room than there could be.
    this.startAnew();
    return this.counted(ask, isEnough);
  }

  private counted<T extends Told>(
    ask: (situation: Situation) => T,
    isEnough: ((told: T) => boolean) | undefined,
  ): Parts<T> | TooLarge {
    const found = this.isUsedUp ? "too large" : this.inSomeUniverse(ask, isEnough);
    this.takeSteps();
    return found;
  }

  private get isUsedUp(): boolean {
    return this.budget.allowance?.isUsedUp === true;
  }

  private takeSteps(): void {
    const { stepsTaken } = this.diagrams;
    this.budget.allowance?.take(stepsTaken - this.stepsCounted);
    this.stepsCounted = stepsTaken;
  }

  private startAnew(): void {
    this.takeSteps();
    this.diagrams = new Diagrams(this.budget.nodes);
    this.stepsCounted = 0;
    this.forgetAtoms();
  }

  private forgetAtoms(): void {
    this.atoms = new Map();
    this.leaveUniverse();
  }

  private leaveUniverse(): void {
    this.universe?.forget();
    this.universe = undefined;
  }

  private inSomeUniverse<T extends Told>(
    ask: (situation: Situation) => T,
    isEnough: ((told: T) => boolean) | undefined,
  ): Parts<T> | TooLarge {
    for (let left = this.budget.runs; ; left--) {
      const universe = this.universe ?? Universe.of(this.diagrams, [...this.atoms.values()]);
      if (universe === "too large") return universe;
      this.universe = universe;
      const parts = this.partsIn(universe, ask, isEnough, left);
      if (parts === "too large") return parts;
      if (parts !== "more atoms") return { universe, parts };
      this.leaveUniverse();
    }
  }

  private partsIn<T extends Told>(
    universe: Universe,
    ask: (situation: Situation) => T,
    isEnough: ((told: T) => boolean) | undefined,
    mostRuns: number,
  ): readonly PartOf<T>[] | TooLarge | "more atoms" {
    const { diagrams } = universe;
    const parts: PartOf<T>[] = [];
    let rest: Outcome = universe.possible;
    while (rest !== "too large" && !diagrams.isFalse(rest)) {
      this.takeSteps();
      if (parts.length >= mostRuns || this.isUsedUp) return "too large";
      const situation = universe.witness(rest);
      if (situation === "too large" || situation === undefined) return "too large";
      const told = ask(situation);
      if (isEnough?.(told)) return [...parts, { when: rest, told, isUncertain: true }];
      if (this.hasMore(told.seen)) return "more atoms";
      const alike = diagrams.and(...told.seen.map((each) => whereSeen(each, universe)));
      const when = diagrams.and(rest, alike);
      if (when === "too large") return when;
      if (diagrams.isFalse(when)) return [...parts, { when: rest, told, isUncertain: true }];
      parts.push({ when, told, isUncertain: false });
      rest = diagrams.without(rest, alike);
    }
    return rest === "too large" ? rest : parts;
  }

  /** Whether there are new ones among what was looked at. */
  private hasMore(seen: readonly Seen[]): boolean {
    const before = this.atoms.size;
    for (const { look } of seen)
      for (const atom of atomsIn(look)) {
        if (!isOfAddress(atom.kind)) this.atoms.set(keyOf(atom), atom);
        if (atom.kind !== "exists") continue;
        // What is there is asked next.
        const directory = { kind: "directory", path: atom.path } as const;
        this.atoms.set(keyOf(directory), directory);
      }
    return this.atoms.size > before;
  }
}
