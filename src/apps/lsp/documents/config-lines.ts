import { parseArguments } from "../../../../grammar/arguments.js";
import type { ConfigTree, Line } from "../../../../grammar/ast.js";
import { normalizeLine } from "../../../../grammar/line-scanner.js";
import { findLastSorted } from "../../../text/collections.js";
import { mapCopiedText, originOf } from "../../../text/mapped-text.js";
import { toReadable } from "../../../text/source.js";
import type { NamedLocation, NameKind } from "../job.js";
import { positionMapperOf } from "./protocol-conversion.js";

/** A word of a line and its location. Offsets are in bytes of the file. */
export interface LineWord {
  /** Without quotes. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** A parsed line of a file: the name, and the text after it. */
export interface ParsedLine {
  /** In lower case; a section's name includes its `<`. */
  readonly key: string;
  readonly name: LineWord;
  readonly words: readonly LineWord[];
  readonly line: Line;
}

/** Returns the index of the line that contains an offset; after the last line, that of the last line. */
export function findLineIndex({ lines }: ConfigTree, offset: number): number {
  return findLastSorted(lines, ({ start }) => start <= offset);
}

/** Parses a directive or an opening tag as written, without expanding variables; returns undefined for other lines. */
export function parseLine({ source }: ConfigTree, line: Line): ParsedLine | undefined {
  if (line.kind !== "directive" && line.kind !== "open") return undefined;
  const seen = line.needsNormalizing
    ? normalizeLine(source.text, line)
    : mapCopiedText(source.text.slice(line.nameStart, Math.max(line.nameEnd, line.restEnd)), line.nameStart);
  const written = line.kind === "open" ? cutAtBracket(seen.text) : seen.text;
  const [name, ...words] = parseArguments(written).map(({ value, start, end }) => ({
    value,
    start: originOf(seen, start),
    end: originOf(seen, end, "end"),
  }));
  return name && { key: name.value.toLowerCase(), name, words, line };
}

function cutAtBracket(text: string): string {
  const close = text.lastIndexOf(">");
  return close < 0 ? text : text.slice(0, close);
}

/** Returns `<directory` for the tags that open and close such a section. */
export function sectionKeyOf({ source }: ConfigTree, { nameStart, nameEnd }: Line): string {
  const tag = source.text.slice(nameStart, nameEnd).replace(/^["']?<\/?|>?["']?$/g, "");
  return `<${tag.toLowerCase()}`;
}

/** Returns the sections that are open before a line, as written, from the outside in. */
export function findEnclosingSections(tree: ConfigTree, index: number): readonly Line[] {
  const open: { readonly line: Line; readonly key: string }[] = [];
  for (let at = 0; at < index; at++) {
    const kind = tree.lines.kindAt(at);
    if (kind !== "open" && kind !== "close") continue;
    const line = tree.lines.at(at);
    if (line === undefined) continue;
    const key = sectionKeyOf(tree, line);
    if (kind === "open") open.push({ line, key });
    else {
      const opener = open.findLastIndex((each) => each.key === key);
      if (opener >= 0) open.length = opener;
    }
  }
  return open.map(({ line }) => line);
}

/** The arguments that define a name, by directive, with the kind of name. */
const namingDirectives: ReadonlyMap<string, { readonly kind: NameKind; readonly word: number }> = new Map([
  ["define", { kind: "define", word: 0 }],
  ["<macro", { kind: "macro", word: 0 }],
  ["use", { kind: "use", word: 0 }],
  ["<authnprovideralias", { kind: "authn alias", word: 1 }],
  ["<authzprovideralias", { kind: "authz alias", word: 1 }],
]);
const validName = /^(?:define|<macro|use|<auth[nz]provideralias)$/i;

/** Returns the names that a file defines, as written. */
export function collectNamedLocations(tree: ConfigTree, uri: string): NamedLocation[] {
  const found: NamedLocation[] = [];
  const { lines, source } = tree;
  for (let index = 0; index < lines.length; index++) {
    const kind = lines.kindAt(index);
    if (kind !== "directive" && kind !== "open") continue;
    const line = lines.at(index);
    if (line === undefined || !validName.test(source.text.slice(line.nameStart, line.nameEnd))) continue;
    const read = parseLine(tree, line);
    const named = read && namingDirectives.get(read.key);
    const word = named && read.words[named.word];
    if (word)
      found.push({
        kind: named.kind,
        name: toReadable(word.value),
        uri,
        range: positionMapperOf(source).rangeOf(word),
      });
  }
  return found;
}
