import {
  allBytes,
  type ByteSet,
  byteRange,
  byteSetOf,
  complementBytes,
  digitBytes,
  emptyByteSet,
  foldCase,
  lowerCaseBytes,
  newlineByte,
  upperCaseBytes,
} from "../automata/regular-language.js";
import type { ClassItem, ClassNode, DotNode, SetNode } from "./ast.js";

const space = byteRange(0x09, 0x0d) | byteSetOf(" ");
/** The bytes of `\\w`. */
export const wordBytes = digitBytes | lowerCaseBytes | upperCaseBytes | byteSetOf("_");
const horizontal = byteSetOf("\t \xa0");
const vertical = byteRange(0x0a, 0x0d) | byteSetOf("\x85");
const graph = byteRange(0x21, 0x7e);

const simpleSets: ReadonlyMap<string, ByteSet> = new Map([
  ["d", digitBytes],
  ["D", complementBytes(digitBytes)],
  ["s", space],
  ["S", complementBytes(space)],
  ["w", wordBytes],
  ["W", complementBytes(wordBytes)],
]);

/** The multi-byte escapes in a character class (PCRE in the "C" locale). */
export const classSets: ReadonlyMap<string, ByteSet> = new Map([
  ...simpleSets,
  ["h", horizontal],
  ["H", complementBytes(horizontal)],
  ["v", vertical],
  ["V", complementBytes(vertical)],
]);

/**
 * The multi-byte escapes outside a class. `\v` and similar ones are excluded: PCRE2 treats them as part of `\s`, so
 * `\S+\v` does not match a letter followed by byte 85, which is in both.
 */
const patternSets: ReadonlyMap<string, ByteSet> = new Map([
  ...simpleSets,
  ["N", complementBytes(newlineByte)],
  ["C", allBytes],
]);

/** `[:name:]` in a class. */
const posixSets: ReadonlyMap<string, ByteSet> = new Map([
  ["alpha", lowerCaseBytes | upperCaseBytes],
  ["lower", lowerCaseBytes],
  ["upper", upperCaseBytes],
  ["alnum", lowerCaseBytes | upperCaseBytes | digitBytes],
  ["ascii", byteRange(0, 0x7f)],
  ["blank", byteSetOf("\t ")],
  ["cntrl", byteRange(0, 0x1f) | byteSetOf("\x7f")],
  ["digit", digitBytes],
  ["graph", graph],
  ["print", graph | byteSetOf(" ")],
  ["punct", graph & complementBytes(lowerCaseBytes | upperCaseBytes | digitBytes)],
  ["space", space],
  ["word", wordBytes],
  ["xdigit", digitBytes | byteSetOf("abcdefABCDEF")],
]);

/** Returns the bytes that a node for one byte matches; of an invalid class, the construct that is wrong. */
export function byteSetOfNode(node: DotNode | SetNode | ClassNode): ByteSet | string {
  switch (node.kind) {
    case "dot":
      return node.dotAll ? allBytes : complementBytes(newlineByte);
    case "set":
      return patternSets.get(node.letter) ?? emptyByteSet;
    case "class":
      return byteSetOfClass(node);
  }
}

function byteSetOfClass({ items, ignoreCase, isNegated, isClosed }: ClassNode): ByteSet | string {
  let set = emptyByteSet;
  for (const item of items) {
    if (item.kind === "irregular") return item.construct;
    set |= byteSetOfItem(item, ignoreCase);
  }
  if (!isClosed) return "`[` that is never closed";
  const folded = ignoreCase ? foldCase(set) : set;
  return isNegated ? complementBytes(folded) : folded;
}

function byteSetOfItem(item: Exclude<ClassItem, { kind: "irregular" }>, ignoreCase: boolean): ByteSet {
  switch (item.kind) {
    case "range":
      return byteRange(item.from, item.to);
    case "set":
      return classSets.get(item.letter) ?? emptyByteSet;
    case "posix": {
      const named = posixSets.get(item.name) ?? emptyByteSet;
      const folded = ignoreCase ? foldCase(named) : named;
      return item.isNegated ? complementBytes(folded) : folded;
    }
  }
}
