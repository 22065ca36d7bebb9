import type { Atom } from "../logic/atoms.js";
import type { Diagram, Outcome } from "../logic/bdd.js";
import type { Universe } from "../logic/universe.js";

/** Some words, and the function that they stand for. */
export interface Words {
  readonly text: string;
  readonly where: Outcome;
}

/** What is said of several files in one folder at once. */
export interface FolderWords extends Words {
  /** The atoms that nothing else needs to be said of. */
  readonly of: ReadonlySet<Atom>;
}

/**
 * What must hold of files that lie in one folder, such as those that may be the index of a directory: that none of them is
 * there, or that one is.
 */
export function folderWords(universe: Universe, atoms: readonly Atom[], rest: Diagram): readonly FolderWords[] {
  return [...byFolder(atoms)].flatMap(([folder, within]) => {
    const paths = [...new Set(within.map(({ path }) => path))];
    if (paths.length < 2) return [];
    const words = strongest(universe, paths, rest);
    const names = paths.map((path) => `\`${path.slice(folder.length)}\``).join(", ");
    return words ? [{ text: words.text(names, folder), where: words.where, of: new Set(within) }] : [];
  });
}

type FileAtom = Extract<Atom, { readonly path: string }>;

function byFolder(atoms: readonly Atom[]): ReadonlyMap<string, readonly FileAtom[]> {
  const folders = new Map<string, FileAtom[]>();
  for (const atom of atoms) {
    if (atom.kind !== "exists" && atom.kind !== "directory") continue;
    const folder = atom.path.slice(0, atom.path.lastIndexOf("/") + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), atom]);
  }
  return folders;
}

interface Saying {
  readonly text: (names: string, folder: string) => string;
  readonly where: Outcome;
}

/** The strongest of what can be said that a function implies. */
function strongest(universe: Universe, paths: readonly string[], rest: Diagram): Saying | undefined {
  const { diagrams } = universe;
  const exists = paths.map((path) => universe.where({ kind: "exists", path }));
  const files = paths.map((path, index) => {
    const there = exists[index] ?? diagrams.false;
    return diagrams.without(there, universe.where({ kind: "directory", path }));
  });
  const sayings: Saying[] = [
    { text: (names, folder) => `none of ${names} exists in \`${folder}\``, where: noneOf(universe, exists) },
    { text: (names, folder) => `none of ${names} in \`${folder}\` is a file`, where: noneOf(universe, files) },
    { text: (names, folder) => `at least one of ${names} in \`${folder}\` is a file`, where: diagrams.or(...files) },
    { text: (names, folder) => `at least one of ${names} exists in \`${folder}\``, where: diagrams.or(...exists) },
  ];
  return sayings.find(({ where }) => {
    const otherwise = diagrams.without(rest, where);
    return otherwise !== "too large" && diagrams.isFalse(otherwise);
  });
}

function noneOf({ diagrams }: Universe, any: readonly Outcome[]): Outcome {
  return diagrams.not(diagrams.or(...any));
}
