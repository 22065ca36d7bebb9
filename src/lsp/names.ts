import type { ConfigTree } from "../../grammar/ast.js";
import { toReadable } from "../text/source.js";
import type { NamedPlace, NameKind } from "./jobs.js";
import { readLine } from "./lines.js";
import { placedText } from "./placed-text.js";

/** Which word of which line is a name, and of what. */
const naming: ReadonlyMap<string, { readonly kind: NameKind; readonly word: number }> = new Map([
  ["define", { kind: "define", word: 0 }],
  ["<macro", { kind: "macro", word: 0 }],
  ["use", { kind: "use", word: 0 }],
  ["<authnprovideralias", { kind: "authn alias", word: 1 }],
  ["<authzprovideralias", { kind: "authz alias", word: 1 }],
]);
const looksLikeOne = /^(?:define|<macro|use|<auth[nz]provideralias)$/i;

/** What a file gives a name to, as it is written. */
export function namesIn(tree: ConfigTree, uri: string): NamedPlace[] {
  const found: NamedPlace[] = [];
  const { lines, source } = tree;
  for (let index = 0; index < lines.length; index++) {
    const kind = lines.kindAt(index);
    if (kind !== "directive" && kind !== "open") continue;
    const line = lines.at(index);
    if (line === undefined || !looksLikeOne.test(source.text.slice(line.nameStart, line.nameEnd))) continue;
    const read = readLine(tree, line);
    const named = read && naming.get(read.key);
    const word = named && read.words[named.word];
    if (word)
      found.push({ kind: named.kind, name: toReadable(word.value), uri, range: placedText(source).rangeOf(word) });
  }
  return found;
}
