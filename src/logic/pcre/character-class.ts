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
  singleByte,
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
const classEscapeSets: ReadonlyMap<string, ByteSet> = new Map([
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
export const patternEscapeSets: ReadonlyMap<string, ByteSet> = new Map([
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
  ["word", word],
  ["xdigit", digitBytes | byteSetOf("abcdefABCDEF")],
]);

const controls: Readonly<Record<string, number>> = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9 };

/** An escaped character, and the offset of the text after it. */
interface EscapedByte {
  readonly byte: number;
  readonly end: number;
}

const numbered = /\\(?:x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{0,2}))|o\{([0-7]+)\}|(0[0-7]{0,2}))/y;
const octal = /\\([0-7]{1,3})/y;

/**
 * Returns the byte that an escape represents; undefined if it is not a byte, or if PCRE releases disagree.
 *
 * @param at the offset of its backslash
 */
export function parseEscapedByte(text: string, at: number, inClass: boolean): EscapedByte | undefined {
  const letter = text.charAt(at + 1);
  const control = inClass && letter === "b" ? 8 : controls[letter];
  if (control !== undefined) return { byte: control, end: at + 2 };
  if (letter === "c") return controlByte(text, at);
  numbered.lastIndex = at;
  const found = numbered.exec(text);
  if (found) {
    const [whole, braced, short, braced8, short8] = found;
    // Braces without a number are an error, or plain text in older releases.
    if (short === "" && text.charAt(at + 2) === "{") return undefined;
    const hexadecimal = braced ?? short;
    return asByte(
      hexadecimal === undefined ? Number.parseInt(braced8 ?? short8 ?? "", 8) : hex(hexadecimal),
      at + whole.length,
    );
  }
  octal.lastIndex = at;
  const [whole = "", number] = (inClass && octal.exec(text)) || [];
  if (number !== undefined) return asByte(Number.parseInt(number, 8), at + whole.length);
  return /[^A-Za-z0-9]/.test(letter) ? { byte: letter.charCodeAt(0), end: at + 2 } : undefined;
}

/** Parses a hexadecimal number; no digits mean zero. */
function hex(text: string): number {
  return text === "" ? 0 : Number.parseInt(text, 16);
}

function asByte(byte: number, end: number): EscapedByte | undefined {
  return byte <= 0xff ? { byte, end } : undefined;
}

function controlByte(text: string, at: number): EscapedByte | undefined {
  const character = text.charAt(at + 2);
  if (!/[ -~]/.test(character)) return undefined;
  return { byte: character.toUpperCase().charCodeAt(0) ^ 0x40, end: at + 3 };
}

/**
 * A parsed `[…]`: its bytes and the offset of the text after it; or the construct that prevents it from being a set of
 * bytes.
 */
export type ClassParseResult =
  | { readonly kind: "class"; readonly set: ByteSet; readonly end: number }
  | { readonly kind: "refused"; readonly construct: string };

interface ClassElement {
  /** Undefined for several bytes, which cannot be an end of a range. */
  readonly byte?: number;
  readonly set: ByteSet;
  readonly end: number;
}

type ElementParseResult = ClassElement | { readonly construct: string };

const posix = /\[([:.=])((?:(?!\1\]|[\]\\])[\s\S])*)\1\]/y;

/** Parses a character class as PCRE does. @param start offset of its `[` */
export function parseClass(text: string, start: number, ignoreCase: boolean): ClassParseResult {
  if (/^\[\[:[<>]:\]\]/.test(text.slice(start, start + 7)))
    return { kind: "refused", construct: "the word boundary `[[:<:]]` or `[[:>:]]`" };
  posix.lastIndex = start;
  if (posix.test(text)) return { kind: "refused", construct: "a POSIX class outside of `[…]`" };
  const isNegated = text.charAt(start + 1) === "^";
  const first = start + (isNegated ? 2 : 1);
  let set = emptyByteSet;
  for (let at = first; at < text.length; ) {
    if (text.charAt(at) === "]" && at > first) {
      const folded = ignoreCase ? foldCase(set) : set;
      return { kind: "class", set: isNegated ? complementBytes(folded) : folded, end: at + 1 };
    }
    const item = parseClassItem(text, at, ignoreCase);
    if ("construct" in item) return { kind: "refused", construct: item.construct };
    set |= item.set;
    at = item.end;
  }
  return { kind: "refused", construct: "`[` that is never closed" };
}

/** Parses a range, or a single element. */
function parseClassItem(text: string, at: number, ignoreCase: boolean): ElementParseResult {
  const from = parseClassElement(text, at, ignoreCase);
  if ("construct" in from) return from;
  const mayBeRange = text.charAt(from.end) === "-" && text.charAt(from.end + 1) !== "]";
  if (!mayBeRange || from.end + 1 >= text.length) return from;
  const to = from.byte === undefined ? undefined : parseClassElement(text, from.end + 1, ignoreCase);
  if (to && "construct" in to) return to;
  if (from.byte === undefined || to?.byte === undefined || to.byte < from.byte)
    return { construct: "a range of characters that PCRE refuses" };
  return { set: byteRange(from.byte, to.byte), end: to.end };
}

function parseClassElement(text: string, at: number, ignoreCase: boolean): ElementParseResult {
  const character = text.charAt(at);
  if (character === "\\") return parseClassEscape(text, at);
  posix.lastIndex = at;
  const [whole, mark, name = ""] = posix.exec(text) ?? [];
  if (whole === undefined)
    return { byte: character.charCodeAt(0), set: singleByte(character.charCodeAt(0)), end: at + 1 };
  const named = mark === ":" ? posixSets.get(name.replace(/^\^/, "")) : undefined;
  if (named === undefined) return { construct: `\`${whole}\`` };
  const folded = ignoreCase ? foldCase(named) : named;
  return { set: name.startsWith("^") ? complementBytes(folded) : folded, end: at + whole.length };
}

function parseClassEscape(text: string, at: number): ElementParseResult {
  const several = classEscapeSets.get(text.charAt(at + 1));
  if (several !== undefined) return { set: several, end: at + 2 };
  const found = parseEscapedByte(text, at, true);
  if (found === undefined) return { construct: `\`${text.slice(at, at + 2)}\` in a class` };
  return { byte: found.byte, set: singleByte(found.byte), end: found.end };
}
