import type { BudgetExceeded, StepBudget } from "../../regex/budget.js";
import type { Atom, Observation, RequestModel } from "../../server/model/atoms.js";
import { type BddResult, type Diagram, Diagrams } from "./bdd.js";
import { atomsOfPredicate, encodeObservation, isOfAddress, SymbolTable } from "./symbol-table.js";
import { atomKey } from "./variables.js";

/** A probe result with all predicates read. */
export interface ExplorationResult {
  readonly observations: readonly Observation[];
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
  readonly symbols: SymbolTable;
  readonly blocks: readonly SymbolicBlock<T>[];
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
const MAX_ATOMS = 12;

/** A set of diagrams with at most this many nodes counts as almost empty. */
const FRESH_NODES = 1_000;

/**
 * Explores all models symbolically: it probes one model, generalizes the result to the block of models for which the
 * predicates read have the same values, subtracts the block from the rest (BDD), and repeats until the rest is empty.
 */
export class SymbolicExplorer {
  private diagrams: Diagrams;
  private symbols: SymbolTable | undefined;
  private atoms = new Map<string, Atom>();
  /** The BDD steps already taken from the allowance. */
  private stepsCounted = 0;

  constructor(private readonly budget: ExplorerBudget) {
    this.diagrams = new Diagrams(budget.nodes);
  }

  /**
   * @param isEnough whether a result is conclusive, so that no further model needs a probe
   * @param runs the maximum number of models probed, if it is lower than that of the budget
   */
  explore<T extends ExplorationResult>(
    probe: (model: RequestModel) => T,
    isEnough?: (result: T) => boolean,
    runs = this.budget.runs,
  ): SymbolicPartition<T> | BudgetExceeded {
    if (this.diagrams.size > this.budget.nodes / 2) this.restart();
    else if (this.atoms.size > MAX_ATOMS) this.forgetAtoms();
    const { size } = this.diagrams;
    const found = this.countSteps(probe, isEnough, runs);
    if (found !== "too large" || size < FRESH_NODES || this.isUsedUp || runs < this.budget.runs) return found;
    // The attempt started with fewer free nodes than possible.
    this.restart();
    return this.countSteps(probe, isEnough, runs);
  }

  private countSteps<T extends ExplorationResult>(
    probe: (model: RequestModel) => T,
    isEnough: ((result: T) => boolean) | undefined,
    runs: number,
  ): SymbolicPartition<T> | BudgetExceeded {
    const found = this.isUsedUp ? "too large" : this.withSymbolTable(probe, isEnough, runs);
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
    this.symbols?.forget();
    this.symbols = undefined;
  }

  private withSymbolTable<T extends ExplorationResult>(
    probe: (model: RequestModel) => T,
    isEnough: ((result: T) => boolean) | undefined,
    runs: number,
  ): SymbolicPartition<T> | BudgetExceeded {
    const known: T[] = [];
    for (let maxProbes = runs; ; maxProbes--) {
      const symbols = this.symbols ?? SymbolTable.of(this.diagrams, [...this.atoms.values()]);
      if (symbols === "too large") return symbols;
      this.symbols = symbols;
      const blocks = this.exploreBlocks(symbols, probe, isEnough, maxProbes, known);
      if (blocks === "too large") return blocks;
      if (blocks !== "more atoms") return { symbols, blocks };
      this.dropSymbolTable();
    }
  }

  /** @param known the results of earlier probes, which also hold with more atoms; new ones are added */
  private exploreBlocks<T extends ExplorationResult>(
    symbols: SymbolTable,
    probe: (model: RequestModel) => T,
    isEnough: ((result: T) => boolean) | undefined,
    maxProbes: number,
    known: T[],
  ): readonly SymbolicBlock<T>[] | BudgetExceeded | "more atoms" {
    const { diagrams } = symbols;
    const blocks: SymbolicBlock<T>[] = [];
    let rest: BddResult = symbols.possible;
    for (const result of known) {
      const alike = generalize(result.observations, symbols);
      const when = diagrams.and(rest, alike);
      if (when === "too large") return when;
      if (diagrams.isFalse(when)) continue;
      blocks.push({ when, result, isUncertain: false });
      rest = diagrams.without(rest, alike);
    }
    while (rest !== "too large" && !diagrams.isFalse(rest)) {
      this.takeSteps();
      if (blocks.length >= maxProbes || this.isUsedUp) return "too large";
      const model = symbols.witness(rest);
      if (model === "too large" || model === undefined) return "too large";
      const result = probe(model);
      if (isEnough?.(result)) return [...blocks, { when: rest, result, isUncertain: true }];
      known.push(result);
      if (this.hasNewAtoms(result.observations)) return "more atoms";
      const alike = generalize(result.observations, symbols);
      const when = diagrams.and(rest, alike);
      if (when === "too large") return when;
      if (diagrams.isFalse(when)) return [...blocks, { when: rest, result, isUncertain: true }];
      blocks.push({ when, result, isUncertain: false });
      rest = diagrams.without(rest, alike);
    }
    return rest === "too large" ? rest : blocks;
  }

  /** Adds the atoms in the predicates read, and reports whether there were new ones. */
  private hasNewAtoms(observations: readonly Observation[]): boolean {
    const before = this.atoms.size;
    for (const { predicate } of observations)
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

/** Returns all models for which the predicates read have the same values. */
function generalize(observations: readonly Observation[], symbols: SymbolTable): BddResult {
  return symbols.diagrams.and(...observations.map((each) => encodeObservation(each, symbols)));
}

/** The result of probing two sides with a model. */
export interface EquivalenceProbe {
  readonly agree: boolean;
  /** All predicates that either side read. */
  readonly observations: readonly Observation[];
}

/** Proves that two sides have the same result for every request, by symbolic exploration. */
export class EquivalenceChecker {
  private readonly explorer: SymbolicExplorer;

  constructor(budget: ExplorerBudget) {
    this.explorer = new SymbolicExplorer(budget);
  }

  /** Reports whether the two never differ; stops at the first difference. */
  isProved(probe: (model: RequestModel) => EquivalenceProbe): boolean | BudgetExceeded {
    const found = this.explorer.explore(probe, ({ agree }) => !agree);
    if (found === "too large") return found;
    if (found.blocks.some(({ result }) => !result.agree)) return false;
    // A predicate that was not recorded affects the result.
    return found.blocks.some(({ isUncertain }) => isUncertain) ? "too large" : true;
  }
}
