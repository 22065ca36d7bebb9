import { type Cover, coverOf } from "../logic/address-sets.js";
import type { Atom } from "../logic/atoms.js";
import type { Diagram, Outcome } from "../logic/bdd.js";
import { partsOf } from "../logic/partition.js";
import type { Universe } from "../logic/universe.js";
import { networkText } from "../text/address-text.js";
import { toReadable } from "../text/source.js";
import { folderWords, type Words } from "./file-words.js";

/** Who is concerned, in words; what is left out may be anything. */
export interface Senders {
  /** Networks, or all but some: `10.0.0.0/8`, `all IPv4 but 192.0.2.0/24`. */
  readonly clients: readonly string[];
  readonly users: readonly string[];
  /** Whatever else must hold. */
  readonly conditions: readonly string[];
}

/** So many parts are told apart by their addresses, and so many by the rest; more are told together. */
const MOST_PARTS = 6;
const MOST_PIECES = 8;

/** So many networks are listed. */
const MOST_NETWORKS = 24;

/** Where words do not tell all. */
const MORE = "more than is told here holds";

/** Tells for whom a function holds: exactly where there are few parts, else aspect by aspect, and then it says so. */
export function sendersIn(universe: Universe, when: Diagram): readonly Senders[] {
  const { diagrams } = universe;
  const parts = partsOf(diagrams, when, universe.endOf("address"));
  if (parts !== "too large" && parts.length <= MOST_PARTS)
    return parts.flatMap(({ upper, rest }) => {
      const clients = clientsIn(universe, upper);
      return piecesOf(universe, rest, MOST_PIECES).map((piece) => ({ clients, ...piece }));
    });
  const { users, conditions } = toldOf(universe, when);
  return [{ clients: clientsIn(universe, when), users, conditions: [...conditions, MORE] }];
}

function clientsIn(universe: Universe, when: Diagram): readonly string[] {
  const set = universe.project(when, new Set(["address"]));
  const covers = set === "too large" ? set : coverOf(universe.diagrams, set, MOST_NETWORKS);
  return covers === "too large" ? ["more networks than can be listed"] : covers.map(coverText);
}

type Piece = Pick<Senders, "users" | "conditions">;

/** A function of all but the address, in pieces that words tell in full. @param most as many as there may be */
function piecesOf(universe: Universe, rest: Diagram, most: number): readonly Piece[] {
  const { diagrams } = universe;
  const { users, conditions, claim } = toldOf(universe, rest);
  if (claim !== "too large" && diagrams.equal(claim, rest)) return [{ users, conditions }];
  if (most > 1)
    for (const atom of universe.atomsIn(rest)) {
      const holds = diagrams.and(rest, universe.where(atom));
      const fails = diagrams.without(rest, universe.where(atom));
      if (holds === "too large" || fails === "too large") break;
      if (diagrams.isFalse(holds) || diagrams.isFalse(fails)) continue;
      const first = piecesOf(universe, holds, most - 1);
      return [...first, ...piecesOf(universe, fails, Math.max(most - first.length, 1))];
    }
  return [{ users, conditions: [...conditions, MORE] }];
}

/** @returns with the function that the words stand for: where it is not the one that they tell of, they leave something out */
function toldOf(universe: Universe, rest: Diagram): Piece & { readonly claim: Outcome } {
  const { diagrams } = universe;
  const atoms = universe.atomsIn(rest);
  const users = usersIn(universe, atoms, rest);
  const folders = folderWords(universe, atoms, rest);
  const single = atoms.filter((atom) => !folders.some(({ of }) => of.has(atom)));
  const conditions = [...single.flatMap((atom) => conditionOf(universe, rest, atom) ?? []), ...folders];
  return {
    users: users.map(({ text }) => text),
    conditions: conditions.map(({ text }) => text),
    claim: diagrams.and(
      users.length === 0 ? diagrams.true : diagrams.or(...users.map(({ where }) => where)),
      ...conditions.map(({ where }) => where),
    ),
  };
}

function coverText({ family, except, networks }: Cover): string {
  const list = networks.map(networkText).join(", ");
  if (!except) return list;
  return networks.length === 0 ? `all IPv${family}` : `all IPv${family} but ${list}`;
}

/** Nobody, those who are named, and others; empty where it may be anybody. */
function usersIn(universe: Universe, atoms: readonly Atom[], rest: Diagram): readonly Words[] {
  const { diagrams } = universe;
  if (!universe.atoms.some(({ kind }) => kind === "any-user")) return [];
  const someone = universe.where({ kind: "any-user" });
  const named = atoms.flatMap((atom) => (atom.kind === "user" ? [nameWords(universe, atom)] : []));
  const others = diagrams.without(someone, diagrams.or(...named.map(({ where }) => where)));
  const isPossible = ({ where }: Pick<Words, "where">) => !isNever(universe, rest, where);
  const nobody: Words = { text: "no user", where: diagrams.not(someone) };
  const said = isPossible(nobody) ? [nobody] : [];
  if (!isPossible({ where: others })) return [...said, ...named.filter(isPossible)];
  const kept = named.filter((each) => !isPossible(each));
  if (said.length > 0 && kept.length === 0) return [];
  const but = kept.length === 0 ? "" : ` but ${kept.map(({ text }) => text).join(", ")}`;
  return [
    ...said,
    { text: `any user${but}`, where: diagrams.without(someone, diagrams.or(...kept.map(({ where }) => where))) },
  ];
}

function nameWords(universe: Universe, atom: Atom & { readonly kind: "user" }): Words {
  return { text: `\`${toReadable(atom.name)}\``, where: universe.where(atom) };
}

/** What must hold, or must not, of one atom; nothing where it may be either. */
function conditionOf(universe: Universe, rest: Diagram, atom: Atom): Words | undefined {
  const text = readableText(atom);
  if (text === undefined) return undefined;
  const where = universe.where(atom);
  const elsewhere = universe.diagrams.not(where);
  if (isNever(universe, rest, elsewhere)) return { text: text.holds, where };
  if (!isNever(universe, rest, where)) return undefined;
  // What does not exist is no directory either.
  const isTold =
    atom.kind === "directory" && isNever(universe, rest, universe.where({ kind: "exists", path: atom.path }));
  return isTold ? undefined : { text: text.fails, where: elsewhere };
}

function isNever({ diagrams }: Universe, rest: Diagram, where: Outcome): boolean {
  const both = diagrams.and(rest, where);
  return both !== "too large" && diagrams.isFalse(both);
}

function readableText(atom: Atom): ReturnType<typeof atomText> {
  const text = atomText(atom);
  return text && { holds: toReadable(text.holds), fails: toReadable(text.fails) };
}

/** Undefined for what is told in another way. */
function atomText(atom: Atom): { readonly holds: string; readonly fails: string } | undefined {
  switch (atom.kind) {
    case "host":
      return {
        holds: `the client's name is in \`${atom.name}\``,
        fails: `the client's name is not in \`${atom.name}\``,
      };
    case "env":
      return { holds: `\`${atom.name}\` is set`, fails: `\`${atom.name}\` is not set` };
    case "group": {
      const file = atom.source === "dbm" ? "dbm group" : "group";
      return { holds: `the user is in ${file} \`${atom.name}\``, fails: `the user is not in ${file} \`${atom.name}\`` };
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
    case "address-text":
    case "any-user":
    case "user":
    case "method":
      return undefined;
  }
}

/** The same people are often those of many paths. */
export function rememberedSenders(): typeof sendersIn {
  const known = new Map<Universe, Map<Diagram, readonly Senders[]>>();
  return (universe, when) => {
    const within = known.get(universe) ?? new Map<Diagram, readonly Senders[]>();
    known.set(universe, within);
    const found = within.get(when) ?? sendersIn(universe, when);
    within.set(when, found);
    return found;
  };
}
