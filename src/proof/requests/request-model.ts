import { type Atom, isInDomain, type RequestModel } from "../../server/model/atoms.js";
import { isLocalhost } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { decodeAddress } from "./address-sets.js";

/** Addresses reserved for examples: a client without specific properties has one of them. */
export const exampleAddresses: readonly RequestModel["address"][] = [
  { family: 4, bits: 0xcb007107n },
  { family: 6, bits: (0x20010db8n << 96n) | 7n },
];

const exampleMethods = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];

/**
 * Builds a request for which exactly the right atoms are true. If all known alternatives are false, it gets a new name.
 *
 * @param trueAtoms the atoms that are true
 * @param isTrue for atoms that are not among the given ones
 */
export function buildRequestModel(
  atoms: readonly Atom[],
  trueAtoms: readonly Atom[],
  isTrue: (atom: Atom) => boolean,
  valueAt: (level: number) => boolean,
): RequestModel {
  const address = decodeAddress(valueAt);
  return {
    address,
    host: hostOf(atoms, trueAtoms) ?? localNameOf(address, atoms),
    env: new Set(trueAtoms.flatMap((atom) => (atom.kind === "env" ? [atom.name.toLowerCase()] : []))),
    user: isTrue({ kind: "any-user" }) ? userOf(atoms, isTrue) : undefined,
    groups: groupsOf(trueAtoms),
    method: methodOf(atoms, trueAtoms),
    values: new Map(trueAtoms.flatMap((atom) => (atom.kind === "value" ? [[atom.of, atom.value] as const] : []))),
    files: filesOf(trueAtoms, isTrue),
    facts: new Set(trueAtoms.flatMap((atom) => (atom.kind === "fact" ? [atom.fact] : []))),
  };
}

function hostOf(atoms: readonly Atom[], trueAtoms: readonly Atom[]): string | undefined {
  const named = (from: readonly Atom[]) =>
    from.flatMap((atom) => (atom.kind === "host" ? [atom.name.toLowerCase()] : []));
  // Domains that are true together are nested.
  const innermost = named(trueAtoms).toSorted((a, b) => b.length - a.length)[0];
  if (innermost === undefined) return undefined;
  const others = named(atoms).filter((name) => !isInDomain(innermost, name));
  const fits = (host: string) => others.every((name) => name === innermost || !isInDomain(host, name));
  if (!innermost.startsWith(".")) return innermost;
  return `${freshName("client", (label) => fits(`${label}${innermost}`))}${innermost}`;
}

/** Returns the usual name of the machine itself for its addresses, unless an atom that is false excludes it. */
function localNameOf(address: RequestModel["address"], atoms: readonly Atom[]): string | undefined {
  const isExcluded = atoms.some((atom) => atom.kind === "host" && isInDomain("localhost", atom.name.toLowerCase()));
  return isLocalhost(address) && !isExcluded ? "localhost" : undefined;
}

function userOf(atoms: readonly Atom[], isTrue: (atom: Atom) => boolean): string {
  const names = atoms.flatMap((atom) =>
    atom.kind === "user" ? [atom.name] : atom.kind === "group" ? (atom.members ?? []) : [],
  );
  const named = names.find((name) => isTrue({ kind: "user", name }));
  return named ?? freshName("somebody", (name) => !names.includes(name));
}

function methodOf(atoms: readonly Atom[], trueAtoms: readonly Atom[]): string {
  const namesOf = (from: readonly Atom[]) => from.flatMap((atom) => (atom.kind === "method" ? [atom.name] : []));
  const [named] = namesOf(trueAtoms);
  const others = namesOf(atoms);
  if (named !== undefined) return named;
  return exampleMethods.find((name) => !others.includes(name)) ?? freshName("METHOD", (name) => !others.includes(name));
}

function groupsOf(trueAtoms: readonly Atom[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const atom of trueAtoms)
    if (atom.kind === "group") getOrCreate(groups, atom.source, () => new Set()).add(atom.name);
  return groups;
}

function filesOf(
  trueAtoms: readonly Atom[],
  isTrue: (atom: Atom) => boolean,
): ReadonlyMap<string, "file" | "directory"> {
  const files = new Map<string, "file" | "directory">();
  for (const atom of trueAtoms) if (atom.kind === "directory") files.set(atom.path, "directory");
  for (const atom of trueAtoms)
    if (atom.kind === "exists" && !files.has(atom.path))
      files.set(atom.path, isTrue({ kind: "directory", path: atom.path }) ? "directory" : "file");
  return files;
}

/** Returns a name that fits, with a number appended if necessary. */
function freshName(name: string, fits: (name: string) => boolean): string {
  for (let count = 1; ; count++) {
    const numbered = count === 1 ? name : `${name}${count}`;
    if (fits(numbered)) return numbered;
  }
}
