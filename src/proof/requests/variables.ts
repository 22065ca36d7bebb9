import type { BudgetExceeded } from "../../regex/budget.js";
import { type Atom, isInDomain, listEnclosingDomains, type RequestModel } from "../../server/model/atoms.js";
import { getOrCreate } from "../../text/collections.js";
import { ADDRESS_LEVELS } from "./address-sets.js";
import type { BddResult, Diagram, Diagrams } from "./bdd.js";

/**
 * The kinds of variables, in test order. Addresses come first: they are the largest part of most rules, and occur only
 * once at the top, before any other test.
 */
export const variableAspects = ["address", "host", "method", "user", "file", "env", "value", "fact"] as const;

export type VariableAspect = (typeof variableAspects)[number];

/** A variable other than an address bit. */
export interface SymbolVariable {
  readonly aspect: VariableAspect;
  readonly holds: (model: RequestModel) => boolean;
  /** Its value in a request without specific properties. */
  readonly usual: boolean;
}

/** The variables of some atoms, and each atom as a function of them. */
export interface VariableLayout {
  /** From the level ADDRESS_LEVELS on. */
  readonly variables: readonly SymbolVariable[];
  /** By the atom's key. */
  readonly diagrams: ReadonlyMap<string, Diagram>;
  /** The levels of an atom's own variables, by its key: the variables of enclosing atoms are not included. */
  readonly own: ReadonlyMap<string, readonly number[]>;
}

/** Returns a key that identifies an atom; the members of a group belong to its source. */
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
    case "fact":
      return `fact ${atom.fact}`;
  }
}

/** Assigns variables to atoms so that no assignment represents an impossible request. */
export function layOutVariables(diagrams: Diagrams, atoms: readonly Atom[]): VariableLayout | BudgetExceeded {
  return new LayoutBuilder(diagrams).build(atoms);
}

type Holds = SymbolVariable["holds"];

/** One of several mutually exclusive atoms, optionally with nested ones that are only true if it is. */
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
    this.addFacts(distinct);
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

  /** Adds an atom that is true if both its variable and the outer function are. */
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

  /**
   * Sets the functions of exclusive options. The last option with a true variable counts, so that the functions of all
   * options share their ends.
   */
  private defineAtom(options: readonly PlacedAtom[], outer: BddResult): void {
    let noneFollowing: BddResult = this.diagrams.true;
    for (const { atom, variable, inner } of options.toReversed()) {
      const outcome = this.diagrams.and(variable, noneFollowing, outer);
      this.outcomes.set(atomKey(atom), outcome);
      this.defineAtom(inner, outcome);
      noneFollowing = this.diagrams.and(this.diagrams.not(variable), noneFollowing);
    }
  }

  /** Adds users. The existence of a user is tested after the user's identity, so that the users share their ends. */
  private addUsers(atoms: readonly Atom[]): void {
    const groups = atoms.filter((atom) => atom.kind === "group");
    const unknown = groups.filter(({ members }) => members === undefined);
    const named = atoms.flatMap((atom) => (atom.kind === "user" ? [atom.name] : []));
    const names = new Set([...named, ...groups.flatMap(({ members = [] }) => members)]);
    const users = this.place("user", [...names].map(userOption));
    const memberships = unknown.map((group) =>
      this.variableOf(group, "user", ({ groups: all }) => all.get(group.source)?.has(group.name) === true),
    );
    const anyUser = this.add({ kind: "any-user" }, "user", this.diagrams.true, ({ user }) => user !== undefined);
    this.defineAtom(users, anyUser);
    for (const [index, group] of unknown.entries())
      this.outcomes.set(atomKey(group), this.diagrams.and(memberships[index] ?? "too large", anyUser));
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

  /** Adds files: a path exists only if its parent is a directory. */
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
      const exists: Holds = ({ files }) => files.has(path);
      const there = this.add({ kind: "exists", path }, "file", within ?? this.diagrams.true, exists, true);
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
      getOrCreate(options, atom.of, () => []).push(option);
    }
    for (const each of options.values()) this.exclusive("value", each, this.diagrams.true);
  }

  private addFacts(atoms: readonly Atom[]): void {
    for (const atom of atoms)
      if (atom.kind === "fact") this.add(atom, "fact", this.diagrams.true, ({ facts }) => facts.has(atom.fact));
  }
}

function userOption(name: string): Option {
  return { atom: { kind: "user", name }, holds: ({ user }) => user === name };
}

function methodOptions(atoms: readonly Atom[]): Option[] {
  const methods = atoms.filter((atom) => atom.kind === "method");
  return methods.map((atom) => ({ atom, holds: ({ method }) => method === atom.name, usual: atom.name === "GET" }));
}

/** Returns the domains as options. Two domains either exclude each other or are nested: they form a forest. */
function hostOptions(atoms: readonly Atom[]): readonly Option[] {
  const names = new Set(atoms.flatMap((atom) => (atom.kind === "host" ? [atom.name.toLowerCase()] : [])));
  const within = new Map<string | undefined, string[]>();
  for (const name of names) {
    const outer = listEnclosingDomains(name).find((each) => names.has(each));
    getOrCreate(within, outer, () => []).push(name);
  }
  const optionsIn = (outer: string | undefined): Option[] =>
    (within.get(outer) ?? []).map((name) => ({
      atom: { kind: "host", name },
      holds: ({ host }) => host !== undefined && isInDomain(host, name),
      inner: optionsIn(name),
    }));
  return optionsIn(undefined);
}

/** Returns the directories above a path, innermost first, without the root, which exists. */
function outerPaths(path: string): string[] {
  const slash = path.lastIndexOf("/");
  if (slash <= 0) return [];
  const outer = path.slice(0, slash);
  return [outer, ...outerPaths(outer)];
}
