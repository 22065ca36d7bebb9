import type { BddResult, Diagram, Diagrams } from "../bdd/bdd.js";
import type { BudgetExceeded } from "../budget.js";
import { ADDRESS_LEVELS } from "./address-sets.js";
import { type Atom, isInDomain, listEnclosingDomains, type RequestModel } from "./atoms.js";

/**
 * The kinds of variables, in the order in which they are tested. Addresses come first: they are the largest part of most
 * rules, and tested first they are there once, whatever else is asked behind them.
 */
export const variableAspects = ["address", "host", "method", "user", "file", "env", "value", "term"] as const;

export type VariableAspect = (typeof variableAspects)[number];

/** A variable that is no bit of the address. */
export interface SymbolVariable {
  readonly aspect: VariableAspect;
  readonly holds: (situation: RequestModel) => boolean;
  /** What it is in a request that nothing special is said of. */
  readonly usual: boolean;
}

/** The variables of some atoms, and each atom as a function of them. */
export interface VariableLayout {
  /** From the level ADDRESS_LEVELS on. */
  readonly variables: readonly SymbolVariable[];
  /** By the atom's key. */
  readonly diagrams: ReadonlyMap<string, Diagram>;
  /** The levels of the variables that are an atom's own, by its key: others come in by what it is a part of. */
  readonly own: ReadonlyMap<string, readonly number[]>;
}

/** What tells atoms apart; the members of a group belong to its source. */
export function atomKey(atom: Atom): string {
  switch (atom.kind) {
    case "address":
      return `address ${atom.subnet.family} ${atom.subnet.network} ${atom.subnet.mask}`;
    case "address-text":
      return `address-text ${atom.ignoreCase ? "i" : ""} ${atom.pattern}`;
    case "any-user":
      return atom.kind;
    case "host":
    case "env":
      return `${atom.kind} ${atom.name.toLowerCase()}`;
    case "user":
    case "method":
      return `${atom.kind} ${atom.name}`;
    case "group":
      return `group ${JSON.stringify([atom.source, atom.name])}`;
    case "value":
      return `value ${JSON.stringify([atom.of, atom.value])}`;
    case "exists":
    case "directory":
      return `${atom.kind} ${atom.path}`;
    case "term":
      return `term ${atom.text}`;
  }
}

/** Gives variables to atoms, so that no values of the variables stand for something impossible. */
export function layOutVariables(diagrams: Diagrams, atoms: readonly Atom[]): VariableLayout | BudgetExceeded {
  return new LayoutBuilder(diagrams).build(atoms);
}

type Holds = SymbolVariable["holds"];

/** One of some atoms that exclude one another, perhaps with more of them that are only true where it is. */
interface Option {
  readonly atom: Atom;
  readonly holds: Holds;
  readonly usual?: boolean;
  readonly inner?: readonly Option[];
}

interface PlacedAtom {
  readonly atom: Atom;
  readonly variable: BddResult;
  readonly inner: readonly PlacedAtom[];
}

class LayoutBuilder {
  private readonly variables: SymbolVariable[] = [];
  private readonly outcomes = new Map<string, BddResult>();
  private readonly own = new Map<string, readonly number[]>();

  constructor(private readonly diagrams: Diagrams) {}

  build(atoms: readonly Atom[]): VariableLayout | BudgetExceeded {
    const distinct = [...new Map(atoms.map((atom) => [atomKey(atom), atom])).values()];
    this.exclusive("host", hostOptions(distinct), this.diagrams.true);
    this.exclusive("method", methodOptions(distinct), this.diagrams.true);
    this.addUsers(distinct);
    this.addFiles(distinct);
    this.addEnvironment(distinct);
    this.addValues(distinct);
    this.addTerms(distinct);
    const finished = new Map<string, Diagram>();
    for (const [key, outcome] of this.outcomes) {
      if (outcome === "too large") return "too large";
      finished.set(key, outcome);
    }
    return { variables: this.variables, diagrams: finished, own: this.own };
  }

  private variable(aspect: VariableAspect, holds: Holds, usual = false): BddResult {
    this.variables.push({ aspect, holds, usual });
    return this.diagrams.variable(ADDRESS_LEVELS + this.variables.length - 1);
  }

  private variableOf(atom: Atom, aspect: VariableAspect, holds: Holds, usual = false): BddResult {
    this.own.set(atomKey(atom), [ADDRESS_LEVELS + this.variables.length]);
    return this.variable(aspect, holds, usual);
  }

  /** An atom that is true where its variable is and the outer one is. */
  private add(atom: Atom, aspect: VariableAspect, outer: BddResult, holds: Holds, usual = false): BddResult {
    const outcome = this.diagrams.and(this.variableOf(atom, aspect, holds, usual), outer);
    this.outcomes.set(atomKey(atom), outcome);
    return outcome;
  }

  private exclusive(aspect: VariableAspect, options: readonly Option[], outer: BddResult): void {
    this.defineAtom(this.place(aspect, options), outer);
  }

  private place(aspect: VariableAspect, options: readonly Option[]): readonly PlacedAtom[] {
    return options.map(({ atom, holds, usual, inner = [] }) => {
      const variable = this.variableOf(atom, aspect, holds, usual);
      return { atom, variable, inner: this.place(aspect, inner) };
    });
  }

  /** Of options whose variables are true the last one counts: so the functions of all of them share their ends. */
  private defineAtom(options: readonly PlacedAtom[], outer: BddResult): void {
    let noneBehind: BddResult = this.diagrams.true;
    for (const { atom, variable, inner } of options.toReversed()) {
      const outcome = this.diagrams.and(variable, noneBehind, outer);
      this.outcomes.set(atomKey(atom), outcome);
      this.defineAtom(inner, outcome);
      noneBehind = this.diagrams.and(this.diagrams.not(variable), noneBehind);
    }
  }

  /** Whether there is a user is tested behind all that asks which: so the users share their ends. */
  private addUsers(atoms: readonly Atom[]): void {
    const groups = atoms.filter((atom) => atom.kind === "group");
    const unknown = groups.filter(({ members }) => members === undefined);
    const named = atoms.flatMap((atom) => (atom.kind === "user" ? [atom.name] : []));
    const names = new Set([...named, ...groups.flatMap(({ members = [] }) => members)]);
    const users = this.place("user", [...names].map(userOption));
    const memberships = unknown.map((group) =>
      this.variableOf(group, "user", ({ groups: all }) => all.get(group.source)?.has(group.name) === true),
    );
    const someone = this.add({ kind: "any-user" }, "user", this.diagrams.true, ({ user }) => user !== undefined);
    this.defineAtom(users, someone);
    for (const [index, group] of unknown.entries())
      this.outcomes.set(atomKey(group), this.diagrams.and(memberships[index] ?? "too large", someone));
    for (const group of groups)
      if (group.members) {
        const ofMembers = group.members.flatMap((name) => this.own.get(atomKey({ kind: "user", name })) ?? []);
        this.own.set(atomKey(group), ofMembers);
        this.outcomes.set(atomKey(group), this.diagrams.or(...group.members.map((each) => this.user(each))));
      }
  }

  private user(name: string): BddResult {
    return this.outcomes.get(atomKey({ kind: "user", name })) ?? this.diagrams.false;
  }

  /** What lies below a path is there only where the path is a directory. */
  private addFiles(atoms: readonly Atom[]): void {
    const paths = new Set(
      atoms.flatMap((atom) => (atom.kind === "exists" || atom.kind === "directory" ? [atom.path] : [])),
    );
    for (const path of [...paths].sort()) {
      if (path === "/") {
        for (const kind of ["exists", "directory"] as const)
          this.outcomes.set(atomKey({ kind, path }), this.diagrams.true);
        continue;
      }
      const outer = outerPaths(path).find((each) => paths.has(each));
      const within = outer === undefined ? undefined : this.outcomes.get(atomKey({ kind: "directory", path: outer }));
      const isThere: Holds = ({ files }) => files.has(path);
      const there = this.add({ kind: "exists", path }, "file", within ?? this.diagrams.true, isThere, true);
      this.add({ kind: "directory", path }, "file", there, ({ files }) => files.get(path) === "directory");
    }
  }

  private addEnvironment(atoms: readonly Atom[]): void {
    for (const atom of atoms)
      if (atom.kind === "env") this.add(atom, "env", this.diagrams.true, ({ env }) => env.has(atom.name.toLowerCase()));
  }

  private addValues(atoms: readonly Atom[]): void {
    const options = new Map<string, Option[]>();
    for (const atom of atoms) {
      if (atom.kind !== "value") continue;
      const option: Option = { atom, holds: ({ values }) => values.get(atom.of) === atom.value };
      options.set(atom.of, [...(options.get(atom.of) ?? []), option]);
    }
    for (const each of options.values()) this.exclusive("value", each, this.diagrams.true);
  }

  private addTerms(atoms: readonly Atom[]): void {
    for (const atom of atoms)
      if (atom.kind === "term") this.add(atom, "term", this.diagrams.true, ({ terms }) => terms.has(atom.text));
  }
}

function userOption(name: string): Option {
  return { atom: { kind: "user", name }, holds: ({ user }) => user === name };
}

function methodOptions(atoms: readonly Atom[]): Option[] {
  const methods = atoms.filter((atom) => atom.kind === "method");
  return methods.map((atom) => ({ atom, holds: ({ method }) => method === atom.name, usual: atom.name === "GET" }));
}

/** Two domains either exclude one another, or one is within the other: a forest. */
function hostOptions(atoms: readonly Atom[]): readonly Option[] {
  const names = new Set(atoms.flatMap((atom) => (atom.kind === "host" ? [atom.name.toLowerCase()] : [])));
  const within = new Map<string | undefined, string[]>();
  for (const name of names) {
    const outer = listEnclosingDomains(name).find((each) => names.has(each));
    within.set(outer, [...(within.get(outer) ?? []), name]);
  }
  const optionsIn = (outer: string | undefined): Option[] =>
    (within.get(outer) ?? []).map((name) => ({
      atom: { kind: "host", name },
      holds: ({ host }) => host !== undefined && isInDomain(host, name),
      inner: optionsIn(name),
    }));
  return optionsIn(undefined);
}

/** The directories that a path lies in, the innermost first. */
function outerPaths(path: string): string[] {
  const slash = path.lastIndexOf("/");
  if (slash <= 0) return path === "/" || slash < 0 ? [] : ["/"];
  const outer = path.slice(0, slash);
  return [outer, ...outerPaths(outer)];
}
