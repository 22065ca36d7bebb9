import { nativePath } from "../../config/files/paths.js";
import type { Atom } from "../../server/model/atoms.js";
import { clauseOfFact } from "../../server/model/unknown-facts.js";
import { formatNetwork } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { toReadable } from "../../text/source.js";
import { type AddressCover, coverOf } from "../requests/address-sets.js";
import type { BddResult, Diagram } from "../requests/bdd.js";
import { decomposeAt } from "../requests/cubes.js";
import type { SymbolTable } from "../requests/symbol-table.js";

/** A description of the senders concerned; omitted properties may have any value. */
export interface ClientDescription {
  /** Networks, or all but some: `10.0.0.0/8`, `all IPv4 but 192.0.2.0/24`. */
  readonly clients: readonly string[];
  readonly users: readonly string[];
  /** Any other conditions. */
  readonly conditions: readonly string[];
}

/** Maximum numbers of parts distinguished by address, and by other properties; more are merged. */
const MAX_PARTS = 6;
const MAX_PIECES = 8;

/** Maximum number of networks listed. */
const MAX_NETWORKS = 24;

/** The remark for an incomplete description. */
const MORE = "further conditions apply";

/**
 * Describes the clients that satisfy a function: exactly if there are few parts; if not, aspect by aspect with a
 * remark.
 */
export function describeClients(symbols: SymbolTable, when: Diagram): readonly ClientDescription[] {
  const { diagrams } = symbols;
  const parts = decomposeAt(diagrams, when, symbols.endOf("address"));
  if (parts !== "too large" && parts.length <= MAX_PARTS)
    return parts.flatMap(({ upper, rest }) => {
      const clients = describeAddresses(symbols, upper);
      return piecesOf(symbols, rest, MAX_PIECES).map((piece) => ({ clients, ...piece }));
    });
  const { users, conditions } = describePiece(symbols, when);
  return [{ clients: describeAddresses(symbols, when), users, conditions: [...conditions, MORE] }];
}

function describeAddresses(symbols: SymbolTable, when: Diagram): readonly string[] {
  const set = symbols.project(when, new Set(["address"]));
  const covers = set === "too large" ? set : coverOf(symbols.diagrams, set, MAX_NETWORKS);
  return covers === "too large" ? ["more networks than can be listed"] : covers.map(coverText);
}

type FormulaPiece = Pick<ClientDescription, "users" | "conditions">;

/**
 * Partitions a function of everything but the address into pieces with an exact description. @param max maximum number
 * of pieces
 */
function piecesOf(symbols: SymbolTable, rest: Diagram, max: number): readonly FormulaPiece[] {
  const { diagrams } = symbols;
  const { users, conditions, described } = describePiece(symbols, rest);
  if (described !== "too large" && diagrams.equal(described, rest)) return [{ users, conditions }];
  if (max > 1)
    for (const atom of symbols.atomsIn(rest)) {
      const holds = diagrams.and(rest, symbols.formulaOf(atom));
      const fails = diagrams.without(rest, symbols.formulaOf(atom));
      if (holds === "too large" || fails === "too large") break;
      if (diagrams.isFalse(holds) || diagrams.isFalse(fails)) continue;
      const first = piecesOf(symbols, holds, max - 1);
      return [...first, ...piecesOf(symbols, fails, Math.max(max - first.length, 1))];
    }
  return [{ users, conditions: [...conditions, MORE] }];
}

/**
 * @returns also the function that the description represents: if it differs from the input, the description is
 *   incomplete
 */
function describePiece(symbols: SymbolTable, rest: Diagram): FormulaPiece & { readonly described: BddResult } {
  const { diagrams } = symbols;
  const atoms = symbols.atomsIn(rest);
  const users = describeUsers(symbols, atoms, rest);
  const folders = describeFolders(symbols, atoms, rest);
  const single = atoms.filter((atom) => !folders.some(({ of }) => of.has(atom)));
  const conditions = [...single.flatMap((atom) => conditionOf(symbols, rest, atom) ?? []), ...folders];
  return {
    users: users.map(({ text }) => text),
    conditions: conditions.map(({ text }) => text),
    described: diagrams.and(
      users.length === 0 ? diagrams.true : diagrams.or(...users.map(({ where }) => where)),
      ...conditions.map(({ where }) => where),
    ),
  };
}

function coverText({ family, except, networks }: AddressCover): string {
  const list = networks.map(formatNetwork).join(", ");
  if (!except) return list;
  return networks.length === 0 ? `all IPv${family}` : `all IPv${family} but ${list}`;
}

/** Describes the users: no user, named users, and others; empty if any is possible. */
function describeUsers(symbols: SymbolTable, atoms: readonly Atom[], rest: Diagram): readonly DescribedFormula[] {
  const { diagrams } = symbols;
  if (!symbols.atoms.some(({ kind }) => kind === "any-user")) return [];
  const anyUser = symbols.formulaOf({ kind: "any-user" });
  const named = atoms.flatMap((atom) => (atom.kind === "user" ? [nameWords(symbols, atom)] : []));
  const others = diagrams.without(anyUser, diagrams.or(...named.map(({ where }) => where)));
  const isPossible = ({ where }: Pick<DescribedFormula, "where">) => !isUnsatisfiable(symbols, rest, where);
  const notLoggedIn: DescribedFormula = { text: "no user", where: diagrams.not(anyUser) };
  const noUser = isPossible(notLoggedIn) ? [notLoggedIn] : [];
  if (!isPossible({ where: others })) return [...noUser, ...named.filter(isPossible)];
  const kept = named.filter((each) => !isPossible(each));
  if (noUser.length > 0 && kept.length === 0) return [];
  const but = kept.length === 0 ? "" : ` but ${kept.map(({ text }) => text).join(", ")}`;
  return [
    ...noUser,
    { text: `any user${but}`, where: diagrams.without(anyUser, diagrams.or(...kept.map(({ where }) => where))) },
  ];
}

function nameWords(symbols: SymbolTable, atom: Atom & { readonly kind: "user" }): DescribedFormula {
  return { text: `\`${toReadable(atom.name)}\``, where: symbols.formulaOf(atom) };
}

/** Describes the condition on one atom; returns undefined if either value is possible. */
function conditionOf(symbols: SymbolTable, rest: Diagram, atom: Atom): DescribedFormula | undefined {
  const text = readableText(atom);
  if (text === undefined) return undefined;
  const where = symbols.formulaOf(atom);
  const elsewhere = symbols.diagrams.not(where);
  if (isUnsatisfiable(symbols, rest, elsewhere)) return { text: text.holds, where };
  if (!isUnsatisfiable(symbols, rest, where)) return undefined;
  // The file's absence already implies that it is not a directory.
  const isImplied =
    atom.kind === "directory" && isUnsatisfiable(symbols, rest, symbols.formulaOf({ kind: "exists", path: atom.path }));
  return isImplied ? undefined : { text: text.fails, where: elsewhere };
}

function isUnsatisfiable({ diagrams }: SymbolTable, rest: Diagram, where: BddResult): boolean {
  const both = diagrams.and(rest, where);
  return both !== "too large" && diagrams.isFalse(both);
}

function readableText(atom: Atom): ReturnType<typeof atomText> {
  const text = atomText(atom);
  return text && { holds: toReadable(text.holds), fails: toReadable(text.fails) };
}

/** Returns undefined for atoms that are described elsewhere. */
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
      return { holds: `\`${atom.path}\` is a directory`, fails: `\`${atom.path}\` is not a directory` };
    case "fact": {
      const test = clauseOfFact(atom.fact);
      return { holds: test, fails: negateClause(test) };
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

/** Verbs of tests, with their negation. */
const negations: readonly (readonly [verb: RegExp, negated: string])[] = [
  [/(?<=`) matches (?=`)/, " does not match "],
  [/(?<=`) grants access$/, " does not grant access"],
  [/(?<=`) holds$/, " does not hold"],
  [/(?<=`) exists$/, " does not exist"],
  [/(?<=`) is (?=set |of |in |a |`)/, " is not "],
  [/(?<=client) has (?=the )/, " does not have "],
];

/** Negates a test such as `X matches Y`; an unknown form gets a prefix. */
function negateClause(test: string): string {
  const quotes = test.match(/`[^`]*`/g) ?? [];
  const masked = test.replace(/`[^`]*`/g, "`");
  for (const [verb, negated] of negations)
    if (verb.test(masked)) {
      const rest = [...quotes];
      return masked.replace(verb, negated).replace(/`/g, () => rest.shift() ?? "`");
    }
  return `not: ${test}`;
}

/** Memoizes descriptions: many paths have the same senders. */
export function memoizeClientDescriptions(): typeof describeClients {
  const known = new WeakMap<SymbolTable, Map<Diagram, readonly ClientDescription[]>>();
  return (symbols, when) => {
    const within = known.get(symbols) ?? new Map<Diagram, readonly ClientDescription[]>();
    known.set(symbols, within);
    const found = within.get(when) ?? describeClients(symbols, when);
    within.set(when, found);
    return found;
  };
}

/** A text, and the function that it represents. */
interface DescribedFormula {
  readonly text: string;
  readonly where: BddResult;
}

/** A statement about several files in one folder. */
export interface FolderDescription extends DescribedFormula {
  /** The atoms that the statement covers. */
  readonly of: ReadonlySet<Atom>;
}

/**
 * Describes conditions on files in one folder, such as possible index files of a directory: that none of them exists,
 * or that at least one does.
 */
function describeFolders(symbols: SymbolTable, atoms: readonly Atom[], rest: Diagram): readonly FolderDescription[] {
  return [...groupByFolder(atoms)].flatMap(([folder, within]) => {
    const paths = [...new Set(within.map(({ path }) => path))];
    if (paths.length < 2) return [];
    const words = strongestStatement(symbols, paths, rest);
    const names = paths.map((path) => `\`${path.slice(folder.length)}\``).join(", ");
    return words ? [{ text: words.text(names, nativePath(folder)), where: words.where, of: new Set(within) }] : [];
  });
}

type FileAtom = Extract<Atom, { readonly path: string }>;

function groupByFolder(atoms: readonly Atom[]): ReadonlyMap<string, readonly FileAtom[]> {
  const folders = new Map<string, FileAtom[]>();
  for (const atom of atoms) {
    if (atom.kind !== "exists" && atom.kind !== "directory") continue;
    const folder = atom.path.slice(0, atom.path.lastIndexOf("/") + 1);
    getOrCreate(folders, folder, () => []).push(atom);
  }
  return folders;
}

interface FolderStatement {
  readonly text: (names: string, folder: string) => string;
  readonly where: BddResult;
}

/** Returns the strongest statement that a function implies. */
function strongestStatement(
  symbols: SymbolTable,
  paths: readonly string[],
  rest: Diagram,
): FolderStatement | undefined {
  const { diagrams } = symbols;
  const exists = paths.map((path) => symbols.formulaOf({ kind: "exists", path }));
  const files = paths.map((path, index) => {
    const there = exists[index] ?? diagrams.false;
    return diagrams.without(there, symbols.formulaOf({ kind: "directory", path }));
  });
  const statements: FolderStatement[] = [
    { text: (names, folder) => `none of ${names} exists in \`${folder}\``, where: noneOf(symbols, exists) },
    { text: (names, folder) => `none of ${names} in \`${folder}\` is a file`, where: noneOf(symbols, files) },
    { text: (names, folder) => `at least one of ${names} in \`${folder}\` is a file`, where: diagrams.or(...files) },
    { text: (names, folder) => `at least one of ${names} exists in \`${folder}\``, where: diagrams.or(...exists) },
  ];
  return statements.find(({ where }) => {
    const uncovered = diagrams.without(rest, where);
    return uncovered !== "too large" && diagrams.isFalse(uncovered);
  });
}

function noneOf({ diagrams }: SymbolTable, any: readonly BddResult[]): BddResult {
  return diagrams.not(diagrams.or(...any));
}
