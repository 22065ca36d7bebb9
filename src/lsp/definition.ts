import type { Location } from "vscode-languageserver/node";
import { toReadable } from "../text/source.js";
import type { Cursor } from "./documents.js";
import type { NamedPlace, NameKind, Outline } from "./jobs.js";
import type { ReadLine, Word } from "./lines.js";
import { uriOf } from "./uris.js";

const top = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** Which words of which directives are names that stand somewhere else, and of what. */
const uses: Readonly<Record<string, { readonly kind: NameKind; readonly isHere: (index: number) => boolean }>> = {
  use: { kind: "macro", isHere: isFirst },
  undefmacro: { kind: "macro", isHere: isFirst },
  "<macro": { kind: "use", isHere: isFirst },
  undefine: { kind: "define", isHere: isFirst },
  "<ifdefine": { kind: "define", isHere: isFirst },
  require: { kind: "authz alias", isHere: () => true },
  authbasicprovider: { kind: "authn alias", isHere: () => true },
  authdigestprovider: { kind: "authn alias", isHere: () => true },
  authformprovider: { kind: "authn alias", isHere: () => true },
};

function isFirst(index: number): boolean {
  return index === 0;
}

/** Where what stands at a place is defined: the files of an Include, a Define, a macro (or its uses), an alias of a provider. */
export function definitionsAt(cursor: Cursor, outline: Outline | undefined, names: readonly NamedPlace[]): Location[] {
  const { read, offset } = cursor;
  const variable = variableAt(cursor);
  if (variable !== undefined) return placesOf(names, "define", variable);
  const index = read?.words.findIndex(({ start, end }) => start <= offset && offset <= end) ?? -1;
  const word = read?.words[index];
  if (read === undefined || word === undefined) return [];
  if (isInclude(read)) return includedFiles(word, outline).map((path) => ({ uri: uriOf(path), range: top }));
  const use = Object.hasOwn(uses, read.key) ? uses[read.key] : undefined;
  return use?.isHere(index) ? placesOf(names, use.kind, toReadable(word.value).replace(/^!/, "")) : [];
}

/** Whether a line leads to other files. */
export function isInclude({ key }: ReadLine): boolean {
  return key === "include" || key === "includeoptional";
}

/** The files that the argument of an Include leads to. */
export function includedFiles({ value }: Word, outline: Outline | undefined): readonly string[] {
  const name = toReadable(value);
  return outline && Object.hasOwn(outline.includes, name) ? (outline.includes[name] ?? []) : [];
}

/** The name in the `${}` that a place is in. */
function variableAt({ document, offset, line }: Cursor): string | undefined {
  if (line === undefined) return undefined;
  const written = document.source.text.slice(line.start, line.end);
  // Cut at its last bracket every name in it has an end: the search stays linear.
  const text = written.slice(0, written.lastIndexOf("}") + 1);
  for (const { index, 0: found, 1: name = "" } of text.matchAll(/\$\{([^}]*)\}/g)) {
    const start = line.start + index;
    if (start <= offset && offset <= start + found.length) return toReadable(name);
  }
  return undefined;
}

/** Names are the same whatever the case of their letters, as the server has it for macros and variables. */
function placesOf(names: readonly NamedPlace[], kind: NameKind, name: string): Location[] {
  return names
    .filter((each) => each.kind === kind && each.name.toLowerCase() === name.toLowerCase())
    .map(({ uri, range }) => ({ uri, range }));
}
