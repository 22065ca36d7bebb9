import {
  allBytes,
  type ByteSet,
  byteRange,
  bytesOf,
  digits,
  lowerCase,
  newline,
  otherBytes,
  upperCase,
} from "./byte-sets.js";

const space = byteRange(0x09, 0x0d) | bytesOf(" ");
const word = digits | lowerCase | upperCase | bytesOf("_");
const horizontal = bytesOf("\t \xa0");
const vertical = byteRange(0x0a, 0x0d) | bytesOf("\x85");
const graph = byteRange(0x21, 0x7e);

const simpleSets: ReadonlyMap<string, ByteSet> = new Map([
  ["d", digits],
  ["D", otherBytes(digits)],
  ["s", space],
  ["S", otherBytes(space)],
  ["w", word],
  ["W", otherBytes(word)],
]);

/** What a backslash and a letter stand for in a class where that is several bytes (PCRE in the "C" locale). */
export const setsInClass: ReadonlyMap<string, ByteSet> = new Map([
  ...simpleSets,
  ["h", horizontal],
  ["H", otherBytes(horizontal)],
  ["v", vertical],
  ["V", otherBytes(vertical)],
]);

/**
 * The same outside of a class. `\v` and its like are left out: PCRE2 takes them for a part of `\s`, so that `\S+\v` does not
 * match a letter and the byte 85, which is in both.
 */
export const setsOutside: ReadonlyMap<string, ByteSet> = new Map([
  ...simpleSets,
  ["N", otherBytes(newline)],
  ["C", allBytes],
]);

/** `[:name:]` in a class. */
export const posixSets: ReadonlyMap<string, ByteSet> = new Map([
  ["alpha", lowerCase | upperCase],
  ["lower", lowerCase],
  ["upper", upperCase],
  ["alnum", lowerCase | upperCase | digits],
  ["ascii", byteRange(0, 0x7f)],
  ["blank", bytesOf("\t ")],
  ["cntrl", byteRange(0, 0x1f) | bytesOf("\x7f")],
  ["digit", digits],
  ["graph", graph],
  ["print", graph | bytesOf(" ")],
  ["punct", graph & otherBytes(lowerCase | upperCase | digits)],
  ["space", space],
  ["word", word],
  ["xdigit", digits | bytesOf("abcdefABCDEF")],
]);

const controls: Readonly<Record<string, number>> = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9 };

/** A character that an escape names, and where the text behind it starts. */
interface EscapedByte {
  readonly byte: number;
  readonly end: number;
}

const numbered = /\\(?:x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{0,2}))|o\{([0-7]+)\}|(0[0-7]{0,2}))/y;
const octal = /\\([0-7]{1,3})/y;

/**
 * The byte that an escape stands for; undefined where it is no byte, or none that every release of PCRE agrees on.
 *
 * @param at where its backslash stands
 */
export function escapedByte(text: string, at: number, inClass: boolean): EscapedByte | undefined {
  const letter = text.charAt(at + 1);
  const control = inClass && letter === "b" ? 8 : controls[letter];
  if (control !== undefined) return { byte: control, end: at + 2 };
  if (letter === "c") return controlByte(text, at);
  numbered.lastIndex = at;
  const found = numbered.exec(text);
  if (found) {
    const [whole, braced, short, braced8, short8] = found;
    // Braces that do not hold a number are an error, or were none in older releases.
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

/** No digits at all are a zero. */
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
