import { type BddResult, type Diagram, Diagrams } from "../bdd/bdd.js";
import type { BudgetExceeded, StepBudget } from "../budget.js";
import type { Atom, Observation, RequestModel } from "./atoms.js";
import { atomsOfPredicate, encodeObservation, isOfAddress, SymbolTable } from "./symbol-table.js";
import { atomKey } from "./variables.js";

/** A probe result with all predicates read. */
export interface ExplorationResult {
  readonly seen: readonly Observation[];
}

/** A block of models with the same result. */
export interface SymbolicBlock<T> {
  /** As a function in the symbol table. */
  readonly when: Diagram;
  /** The result for one of them. */
  readonly result: T;
  /** Whether an unrecorded predicate affected the result: the result of the others is unknown. */
  readonly isUncertain: boolean;
}

/** A partition of all models. */
export interface SymbolicPartition<T> {
  readonly universe: SymbolTable;
  readonly parts: readonly SymbolicBlock<T>[];
}

/** The limits of an exploration. The result depends only on them: it is the same on every machine. */
export interface ExplorerBudget {
  /** Maximum number of BDD nodes. */
  readonly nodes: number;
  /** Maximum number of models probed. */
  readonly runs: number;
  /** The budget for BDD steps; the caller takes the steps of probing. If it is used up, the result is "too large". */
  readonly allowance?: StepBudget;
}

/** Maximum number of atoms kept in a symbol table, which the next exploration can then reuse. */
const MOST_ATOMS = 12;

/** A set of diagrams with at most this many nodes counts as almost empty. */
const FRESH_NODES = 1_000;

/**
 * Explores all models symbolically. It probes one model; the predicates read give the block of models with the same
 * result. It then probes a model outside all blocks, until none is left.
 */
export class SymbolicExplorer {
  private diagrams: Diagrams;
  private universe: SymbolTable | undefined;
  private atoms = new Map<string, Atom>();
  /** The BDD steps already taken from the allowance. */
  private stepsCounted = 0;

  constructor(private readonly budget: ExplorerBudget) {
    this.diagrams = new Diagrams(budget.nodes);
  }

  /** @param isEnough whether a result is conclusive, so that no further model needs a probe */
  explore<T extends ExplorationResult>(
    ask: (situation: RequestModel) => T,
    isEnough?: (told: T) => boolean,
  ): SymbolicPartition<T> | BudgetExceeded {
    if (this.diagrams.size > this.budget.nodes / 2) this.restart();
    else if (this.atoms.size > MOST_ATOMS) this.forgetAtoms();
    const { size } = this.diagrams;
    const found = this.countSteps(ask, isEnough);
    if (found !== "too large" || size < FRESH_NODES || this.isUsedUp) return found;
    // The attempt started with fewer free nodes than possible.
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

  /** Adds the atoms in the predicates read, and reports whether there were new ones. */
  private hasNewAtoms(seen: readonly Observation[]): boolean {
    const before = this.atoms.size;
    for (const { predicate } of seen)
      for (const atom of atomsOfPredicate(predicate)) {
        if (!isOfAddress(atom.kind)) this.atoms.set(atomKey(atom), atom);
        if (atom.kind !== "exists") continue;
        // The kind of an existing object is tested next.
        const directory = { kind: "directory", path: atom.path } as const;
        this.atoms.set(atomKey(directory), directory);
      }
    return this.atoms.size > before;
  }
}

/** The result of probing two sides with a model. */
export interface EquivalenceProbe {
  readonly agree: boolean;
  /** All predicates that either side read. */
  readonly seen: readonly Observation[];
}

/** Proves that two sides have the same result for every request, by symbolic exploration. */
export class EquivalenceChecker {
  private readonly everybody: SymbolicExplorer;

  constructor(budget: ExplorerBudget) {
    this.everybody = new SymbolicExplorer(budget);
  }

  /** Reports whether the two never differ; stops at the first difference. */
  isProved(ask: (situation: RequestModel) => EquivalenceProbe): boolean | BudgetExceeded {
    const found = this.everybody.explore(ask, ({ agree }) => !agree);
    if (found === "too large") return found;
    if (found.parts.some(({ result }) => !result.agree)) return false;
    // A predicate that was not recorded affects the result.
    return found.parts.some(({ isUncertain }) => isUncertain) ? "too large" : true;
  }
}
