import { type BddResult, type Diagram, Diagrams } from "../bdd/bdd.js";
import type { BudgetExceeded, StepBudget } from "../budget.js";
import type { Atom, Observation, RequestModel } from "./atoms.js";
import { atomsOfPredicate, encodeObservation, isOfAddress, SymbolTable } from "./symbol-table.js";
import { atomKey } from "./variables.js";

/** What came of asking about somebody, with all that was looked at. */
export interface ExplorationResult {
  readonly seen: readonly Observation[];
}

/** Those of whom the same came. */
export interface SymbolicBlock<T> {
  /** As a function in the universe. */
  readonly when: Diagram;
  /** What came of one of them. */
  readonly result: T;
  /** Whether something decided that was not looked at: what came of the others is not known. */
  readonly isUncertain: boolean;
}

/** Everybody, in disjoint parts. */
export interface SymbolicPartition<T> {
  readonly universe: SymbolTable;
  readonly parts: readonly SymbolicBlock<T>[];
}

/** How much it may take to ask about everybody. The outcome hangs on nothing but these: it is the same on every machine. */
export interface ExplorerBudget {
  /** The most nodes of diagrams. */
  readonly nodes: number;
  /** The most situations asked about. */
  readonly runs: number;
  /** What the steps of diagrams are taken from; who asks takes those of asking. Where it is used up, it is too much. */
  readonly allowance?: StepBudget;
}

/** So many things that decisions look at are kept in one universe, so that what comes next need not make another. */
const MOST_ATOMS = 12;

/** A set of diagrams with no more nodes has about all of its room left. */
const FRESH_NODES = 1_000;

/**
 * Asks about everybody: about somebody first; what was looked at tells for whom else it comes out the same, and then
 * somebody is asked about who is not among those, until nobody is left.
 */
export class SymbolicExplorer {
  private diagrams: Diagrams;
  private universe: SymbolTable | undefined;
  private atoms = new Map<string, Atom>();
  /** As many of the diagrams' steps as were taken from the allowance. */
  private stepsCounted = 0;

  constructor(private readonly budget: ExplorerBudget) {
    this.diagrams = new Diagrams(budget.nodes);
  }

  /** @param isEnough whether what came of somebody settles it, and nobody else need be asked about */
  explore<T extends ExplorationResult>(
    ask: (situation: RequestModel) => T,
    isEnough?: (told: T) => boolean,
  ): SymbolicPartition<T> | BudgetExceeded {
    if (this.diagrams.size > this.budget.nodes / 2) this.restart();
    else if (this.atoms.size > MOST_ATOMS) this.forgetAtoms();
    const { size } = this.diagrams;
    const found = this.countSteps(ask, isEnough);
    if (found !== "too large" || size < FRESH_NODES || this.isUsedUp) return found;
    // There was less room than there could be.
    this.restart();
    return this.countSteps(ask, isEnough);
  }

  private countSteps<T extends ExplorationResult>(
    ask: (situation: RequestModel) => T,
    isEnough: ((told: T) => boolean) | undefined,
  ): SymbolicPartition<T> | BudgetExceeded {
    const found = this.isUsedUp ? "too large" : this.withSymbolTable(ask, isEnough);
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

  private restart(): void {
    this.takeSteps();
    this.diagrams = new Diagrams(this.budget.nodes);
    this.stepsCounted = 0;
    this.forgetAtoms();
  }

  private forgetAtoms(): void {
    this.atoms = new Map();
    this.dropSymbolTable();
  }

  private dropSymbolTable(): void {
    this.universe?.forget();
    this.universe = undefined;
  }

  private withSymbolTable<T extends ExplorationResult>(
    ask: (situation: RequestModel) => T,
    isEnough: ((told: T) => boolean) | undefined,
  ): SymbolicPartition<T> | BudgetExceeded {
    for (let left = this.budget.runs; ; left--) {
      const universe = this.universe ?? SymbolTable.of(this.diagrams, [...this.atoms.values()]);
      if (universe === "too large") return universe;
      this.universe = universe;
      const parts = this.exploreBlocks(universe, ask, isEnough, left);
      if (parts === "too large") return parts;
      if (parts !== "more atoms") return { universe, parts };
      this.dropSymbolTable();
    }
  }

  private exploreBlocks<T extends ExplorationResult>(
    universe: SymbolTable,
    ask: (situation: RequestModel) => T,
    isEnough: ((told: T) => boolean) | undefined,
    mostRuns: number,
  ): readonly SymbolicBlock<T>[] | BudgetExceeded | "more atoms" {
    const { diagrams } = universe;
    const parts: SymbolicBlock<T>[] = [];
    let rest: BddResult = universe.possible;
    while (rest !== "too large" && !diagrams.isFalse(rest)) {
      this.takeSteps();
      if (parts.length >= mostRuns || this.isUsedUp) return "too large";
      const situation = universe.witness(rest);
      if (situation === "too large" || situation === undefined) return "too large";
      const told = ask(situation);
      if (isEnough?.(told)) return [...parts, { when: rest, result: told, isUncertain: true }];
      if (this.hasNewAtoms(told.seen)) return "more atoms";
      const alike = diagrams.and(...told.seen.map((each) => encodeObservation(each, universe)));
      const when = diagrams.and(rest, alike);
      if (when === "too large") return when;
      if (diagrams.isFalse(when)) return [...parts, { when: rest, result: told, isUncertain: true }];
      parts.push({ when, result: told, isUncertain: false });
      rest = diagrams.without(rest, alike);
    }
    return rest === "too large" ? rest : parts;
  }

  /** Whether there are new ones among what was looked at. */
  private hasNewAtoms(seen: readonly Observation[]): boolean {
    const before = this.atoms.size;
    for (const { look } of seen)
      for (const atom of atomsOfPredicate(look)) {
        if (!isOfAddress(atom.kind)) this.atoms.set(atomKey(atom), atom);
        if (atom.kind !== "exists") continue;
        // What is there is asked next.
        const directory = { kind: "directory", path: atom.path } as const;
        this.atoms.set(atomKey(directory), directory);
      }
    return this.atoms.size > before;
  }
}

/** What came of asking two sides about a situation. */
export interface EquivalenceProbe {
  readonly agree: boolean;
  /** All that either looked at. */
  readonly seen: readonly Observation[];
}

/** Proves that two sides say the same to every request, by asking about everybody. */
export class EquivalenceChecker {
  private readonly everybody: SymbolicExplorer;

  constructor(budget: ExplorerBudget) {
    this.everybody = new SymbolicExplorer(budget);
  }

  /** Whether the two never differ; where they do somewhere, nobody else is asked about. */
  isProved(ask: (situation: RequestModel) => EquivalenceProbe): boolean | BudgetExceeded {
    const found = this.everybody.explore(ask, ({ agree }) => !agree);
    if (found === "too large") return found;
    if (found.parts.some(({ result }) => !result.agree)) return false;
    // Something that was not looked at decides.
    return found.parts.some(({ isUncertain }) => isUncertain) ? "too large" : true;
  }
}
