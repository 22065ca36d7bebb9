import { type Cover, coverOf } from "../logic/address-sets.js";
import type { Atom } from "../logic/atoms.js";
import type { Diagram, Outcome } from "../logic/bdd.js";
import { partsOf } from "../logic/partition.js";
import type { Universe } from "../logic/universe.js";
import { networkText } from "../text/address-text.js";

/** Who is concerned, in words; what is left out may be anything. */
export interface Senders {
  /** Networks, or all but some: `10.0.0.0/8`, `all IPv4 but 192.0.2.0/24`. */
  readonly clients: readonly string[];
  readonly users: readonly string[];
  /** Whatever else must hold. */
  readonly conditions: readonly string[];
}

/** So many parts are told apart by their addresses; more are told together. */
const MOST_PARTS = 6;

/** So many networks are listed. */
const MOST_NETWORKS = 24;

/** Tells for whom a function holds: exactly where there are few parts, else aspect by aspect. */
export function sendersIn(universe: Universe, when: Diagram): readonly Senders[] {
  const { diagrams } = universe;
  const parts = partsOf(diagrams, when, universe.endOf("address"));
  if (parts === "too large" || parts.length > MOST_PARTS) return [sendersOf(universe, when, when)];
  return parts.map(({ upper, rest }) => sendersOf(universe, upper, rest));
}

function sendersOf(universe: Universe, addresses: Diagram, rest: Diagram): Senders {
  const set = universe.project(addresses, new Set(["address"]));
  const covers = set === "too large" ? set : coverOf(universe.diagrams, set, MOST_NETWORKS);
  return {
    clients: covers === "too large" ? ["more networks than can be listed"] : covers.map(coverText),
    users: usersIn(universe, rest),
    conditions: universe.atomsIn(rest).flatMap((atom) => conditionOf(universe, rest, atom)),
  };
}

function coverText({ family, except, networks }: Cover): string {
  const list = networks.map(networkText).join(", ");
  if (!except) return list;
  return networks.length === 0 ? `all IPv${family}` : `all IPv${family} but ${list}`;
}

/** Nobody, those who are named, and others; empty where it may be anybody. */
function usersIn(universe: Universe, rest: Diagram): readonly string[] {
  const named = universe.atoms.filter((atom) => atom.kind === "user");
  if (!universe.atoms.some(({ kind }) => kind === "any-user" || kind === "user" || kind === "group")) return [];
  const { diagrams } = universe;
  const someone = universe.atoms.some(({ kind }) => kind === "any-user")
    ? universe.where({ kind: "any-user" })
    : diagrams.true;
  const others = diagrams.and(someone, diagrams.not(diagrams.or(...named.map((atom) => universe.where(atom)))));
  const options = [
    ["no user", diagrams.not(someone)] as const,
    ...named.map((atom) => [`\`${atom.name}\``, universe.where(atom)] as const),
    [named.length > 0 ? "any other user" : "any user", others] as const,
  ];
  const possible = options.filter(([, where]) => !isNever(universe, rest, where));
  return possible.length === options.length ? [] : possible.map(([title]) => title);
}

/** What must hold, or must not, of one atom; nothing where it may be either. */
function conditionOf(universe: Universe, rest: Diagram, atom: Atom): readonly string[] {
  const text = atomText(atom);
  if (text === undefined) return [];
  const where = universe.where(atom);
  if (isNever(universe, rest, universe.diagrams.not(where))) return [text.holds];
  if (!isNever(universe, rest, where)) return [];
  // What does not exist is no directory either.
  const isTold =
    atom.kind === "directory" && isNever(universe, rest, universe.where({ kind: "exists", path: atom.path }));
  return isTold ? [] : [text.fails];
}

function isNever({ diagrams }: Universe, rest: Diagram, where: Outcome): boolean {
  const both = diagrams.and(rest, where);
  return both !== "too large" && diagrams.isFalse(both);
}

/** Undefined for what is told in another way. */
function atomText(atom: Atom): { readonly holds: string; readonly fails: string } | undefined {
  switch (atom.kind) {
    case "host":
      return { holds: `the client's name is in \`${atom.name}\``, fails: `it is not in \`${atom.name}\`` };
    case "env":
      return { holds: `\`${atom.name}\` is set`, fails: `\`${atom.name}\` is not set` };
    case "group": {
      const file = atom.source === "dbm" ? "dbm group" : "group";
      return { holds: `the user is in ${file} \`${atom.name}\``, fails: `nobody in ${file} \`${atom.name}\`` };
    }
    case "exists":
      return { holds: `\`${atom.path}\` exists`, fails: `\`${atom.path}\` does not exist` };
    case "directory":
      return { holds: `\`${atom.path}\` is a directory`, fails: `\`${atom.path}\` is no directory` };
    case "term": {
      const test = atom.text.replace(/^whether /, "");
      return { holds: test, fails: `not: ${test}` };
    }
    case "value":
      return { holds: `\`${atom.of}\` is \`${atom.value}\``, fails: `\`${atom.of}\` is not \`${atom.value}\`` };
    case "address":
    case "any-user":
    case "user":
    case "method":
      return undefined;
  }
}
