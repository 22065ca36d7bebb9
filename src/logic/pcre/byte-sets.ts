import {
  allBytes,
  type ByteSet,
  byteRange,
  byteSetOf,
  complementBytes,
  digitBytes,
  lowerCaseBytes,
  newlineByte,
  upperCaseBytes,
} from "../languages/regular-language.js";

const space = byteRange(0x09, 0x0d) | byteSetOf(" ");
const word = digitBytes | lowerCaseBytes | upperCaseBytes | byteSetOf("_");
const horizontal = byteSetOf("\t \xa0");
const vertical = byteRange(0x0a, 0x0d) | byteSetOf("\x85");
const graph = byteRange(0x21, 0x7e);

const simpleSets: ReadonlyMap<string, ByteSet> = new Map([
  ["d", digitBytes],
  ["D", complementBytes(digitBytes)],
  ["s", space],
  ["S", complementBytes(space)],
  ["w", word],
  ["W", complementBytes(word)],
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
export const patternSets: ReadonlyMap<string, ByteSet> = new Map([
  ...simpleSets,
  ["N", complementBytes(newlineByte)],
  ["C", allBytes],
]);

/** `[:name:]` in a class. */
export const posixSets: ReadonlyMap<string, ByteSet> = new Map([
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
  ["word", word],
  ["xdigit", digitBytes | byteSetOf("abcdefABCDEF")],
]);
