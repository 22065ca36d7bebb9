import type { BudgetExceeded } from "../../regex/budget.js";
import type { Atom, Observation, Predicate, RequestModel } from "../../server/model/atoms.js";
import type { Subnet } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { type AddressPattern, addressesMatching, parseAddressPattern } from "./address-patterns.js";
import { ADDRESS_LEVELS, addressBitAt, addressesOfNetwork, buildPossibleAddresses } from "./address-sets.js";
import type { BddResult, Diagram, Diagrams } from "./bdd.js";
import { ModelFinder, type Preference, supportOf } from "./cubes.js";
import { buildRequestModel, exampleAddresses } from "./request-model.js";
import { atomKey, layOutVariables, type SymbolVariable, type VariableAspect, variableAspects } from "./variables.js";

/**
 * The weights of deviations from the usual values. A witness with another address is preferred to one with a host name,
 * a user or a variable.
 */
const weights: Readonly<Record<VariableAspect, number>> = {
  address: 1,
  method: 200,
  file: 200,
  host: 400,
  user: 400,
  env: 2000,
  value: 800,
  fact: 1600,
};

/** The preferences for a request. */
interface WitnessPreference {
  readonly address: RequestModel["address"];
  readonly preferenceOf: (level: number) => Preference;
  readonly finder: ModelFinder;
}

/**
 * The atoms of an exploration as functions of variables. Their relations are built in: users, methods and names exclude
 * or include one another for any values of the variables. The remaining condition is `possible`.
 */
export class SymbolTable {
  // Cached results.
  private readonly addressTexts = new Map<AddressPattern, BddResult>();
  private readonly network = memoize((subnet: Subnet) => addressesOfNetwork(this.diagrams, subnet));
  private readonly usual: readonly WitnessPreference[];
  private readonly witnesses = new Map<Diagram, RequestModel | undefined | BudgetExceeded>();

  private constructor(
    readonly diagrams: Diagrams,
    /** All atoms except addresses. */
    readonly atoms: readonly Atom[],
    private readonly variables: readonly SymbolVariable[],
    /** The function of each atom. */
    private readonly functions: readonly (Diagram | undefined)[],
    private readonly known: ReadonlyMap<string, Diagram>,
    private readonly own: ReadonlyMap<string, readonly number[]>,
    /** The possible values of a request's variables. */
    readonly possible: Diagram,
  ) {
    this.usual = exampleAddresses.map((address) => this.preferencesFor(address, (level) => this.variable(level).usual));
  }

  /** @param atoms all atoms that will be used; those of addresses and `any-user` may be omitted */
  static of(diagrams: Diagrams, atoms: readonly Atom[]): SymbolTable | BudgetExceeded {
    const layout = layOutVariables(diagrams, atoms);
    const possible = buildPossibleAddresses(diagrams);
    if (layout === "too large" || possible === "too large") return "too large";
    const named = atoms.filter(({ kind }) => !isOfAddress(kind));
    const functions = named.map((atom) => layout.diagrams.get(atomKey(atom)));
    return new SymbolTable(diagrams, named, layout.variables, functions, layout.diagrams, layout.own, possible);
  }

  /** Returns the function that is true if an atom is. */
  formulaOf(atom: Atom): BddResult {
    if (atom.kind === "address") return this.network(atom.subnet);
    if (atom.kind === "address-text") return this.addressesBy(atom.pattern, atom.ignoreCase);
    const diagram = this.known.get(atomKey(atom));
    if (diagram === undefined) throw new Error(`an atom that was not named at the start: ${atomKey(atom)}`);
    return diagram;
  }

  /** Returns the atoms that a function depends on, among those given at creation. */
  atomsIn(of: Diagram): readonly Atom[] {
    const levels = new Set(supportOf(this.diagrams, of));
    return this.atoms.filter((atom) => this.own.get(atomKey(atom))?.some((level) => levels.has(level)));
  }

  private addressesBy(pattern: string, ignoreCase: boolean): BddResult {
    const read = parseAddressPattern(pattern, ignoreCase);
    if (read === undefined) throw new Error(`a pattern that tells no addresses: ${pattern}`);
    return getOrCreate(this.addressTexts, read, () => addressesMatching(this.diagrams, read));
  }

  /** Reports whether a function is true for a request. */
  holds(of: Diagram, model: RequestModel): boolean {
    return this.diagrams.evaluate(of, (level) =>
      level < ADDRESS_LEVELS ? addressBitAt(model.address, level) : this.variable(level).holds(model),
    );
  }

  /** Returns the most usual request that satisfies a function; undefined if there is none. */
  witness(of: Diagram): RequestModel | undefined | BudgetExceeded {
    if (this.witnesses.has(of)) return this.witnesses.get(of);
    const found = this.find(of, this.usual);
    this.witnesses.set(of, found);
    return found;
  }

  /** Clears caches that only speed up further calls. */
  forget(): void {
    this.witnesses.clear();
    for (const { finder } of this.usual) finder.forget();
  }

  /**
   * Returns a random request that satisfies a function, for testing a region.
   *
   * @param random returns numbers from 0 up to 1
   */
  sample(of: Diagram, random: () => number): RequestModel | undefined | BudgetExceeded {
    const values = new Map<number, boolean>();
    const randomPreference = (level: number) => getOrCreate(values, level, () => random() < 0.5);
    const families = random() < 0.5 ? exampleAddresses : exampleAddresses.toReversed();
    return this.find(
      of,
      families.map(({ family, bits }) =>
        this.preferencesFor({ family, bits: bits ^ randomBits(family === 4 ? 32 : 128, random) }, randomPreference),
      ),
    );
  }

  /** Projects a function onto some aspects: the result is true if some values of the others satisfy it. */
  project(of: BddResult, onto: ReadonlySet<VariableAspect>): BddResult {
    return this.diagrams.exists(this.diagrams.and(of, this.possible), (level) => !onto.has(this.aspectAt(level)));
  }

  /**
   * Quantifies universally: returns a function that is true if another one is for all values of the given conditions.
   * @param facts of the kind `fact`
   */
  forgetFacts(of: BddResult, facts: readonly Atom[]): BddResult {
    const { diagrams } = this;
    const levels = new Set<number>();
    for (const fact of facts) {
      const where = this.formulaOf(fact);
      const opened = where === "too large" ? undefined : diagrams.open(where);
      if (opened?.kind === "test") levels.add(opened.level);
    }
    return diagrams.not(diagrams.exists(diagrams.not(of), (level) => levels.has(level)));
  }

  /** Returns the first level after the variables of an aspect, where a function can be split. */
  endOf(aspect: VariableAspect): number {
    const last = variableAspects.indexOf(aspect);
    const index = this.variables.findIndex((each) => variableAspects.indexOf(each.aspect) > last);
    return ADDRESS_LEVELS + (index < 0 ? this.variables.length : index);
  }

  /** @param preferred the preferred values of the variables, except those of the address */
  private preferencesFor(address: RequestModel["address"], preferred: (level: number) => boolean): WitnessPreference {
    const wishes: Preference[] = [];
    const preferenceOf = (level: number) => {
      const known = wishes[level];
      if (known) return known;
      const value = level < ADDRESS_LEVELS ? addressBitAt(address, level) : preferred(level);
      const weight = level === 0 ? Number.MAX_SAFE_INTEGER / 2 : weights[this.aspectAt(level)];
      const made = { value, weight };
      wishes[level] = made;
      return made;
    };
    return { address, preferenceOf, finder: new ModelFinder(this.diagrams, preferenceOf) };
  }

  private find(of: Diagram, preferences: readonly WitnessPreference[]): RequestModel | undefined | BudgetExceeded {
    const possible = this.diagrams.and(of, this.possible);
    if (possible === "too large") return "too large";
    for (const { address, preferenceOf, finder } of preferences) {
      const found = finder.findModel(possible);
      if (found === undefined) return undefined;
      const valueAt = (level: number) => found.get(level) ?? preferenceOf(level).value;
      // The other family may have a solution if this one does not.
      if (valueAt(0) !== (address.family === 6)) continue;
      const isTrue = (atom: Atom) => {
        const where = this.formulaOf(atom);
        return where !== "too large" && this.diagrams.evaluate(where, valueAt);
      };
      const trueAtoms = this.atoms.filter((_, index) => {
        const where = this.functions[index];
        return where !== undefined && this.diagrams.evaluate(where, valueAt);
      });
      return buildRequestModel(this.atoms, trueAtoms, isTrue, valueAt);
    }
    return undefined;
  }

  private variable(level: number): SymbolVariable {
    const variable = this.variables[level - ADDRESS_LEVELS];
    if (variable === undefined) throw new Error("a diagram with variables of another universe");
    return variable;
  }

  private aspectAt(level: number): VariableAspect {
    return level < ADDRESS_LEVELS ? "address" : this.variable(level).aspect;
  }
}

/** Reports whether an atom is a function of only the address, which does not need its own variable. */
export function isOfAddress(kind: Atom["kind"]): boolean {
  return kind === "address" || kind === "address-text";
}

function randomBits(width: number, random: () => number): bigint {
  let bits = 0n;
  for (let bit = 0; bit < width; bit++) bits = (bits << 1n) | (random() < 0.5 ? 1n : 0n);
  return bits;
}

/** Returns all atoms of a predicate. */
export function atomsOfPredicate(predicate: Predicate): readonly Atom[] {
  switch (predicate.kind) {
    case "any":
      return predicate.of.flatMap(atomsOfPredicate);
    case "not":
      return atomsOfPredicate(predicate.of);
    case "constant":
      return [];
    default:
      return [predicate];
  }
}

/** Returns the models for which a decision would observe the same value. */
export function encodeObservation({ predicate, value }: Observation, symbols: SymbolTable): BddResult {
  const where = encodePredicate(predicate, symbols);
  return value ? where : symbols.diagrams.not(where);
}

/** Returns the models for which a predicate is true. */
function encodePredicate(predicate: Predicate, symbols: SymbolTable): BddResult {
  const { diagrams } = symbols;
  switch (predicate.kind) {
    case "any":
      return diagrams.or(...predicate.of.map((each) => encodePredicate(each, symbols)));
    case "not":
      return diagrams.not(encodePredicate(predicate.of, symbols));
    case "constant":
      return diagrams.constant(predicate.value);
    default:
      return symbols.formulaOf(predicate);
  }
}
