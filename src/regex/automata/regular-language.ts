/** A set of bytes: bit n of the number is byte n. */
export type ByteSet = bigint;

export const emptyByteSet: ByteSet = 0n;
export const allBytes: ByteSet = (1n << 256n) - 1n;

export function byteRange(from: number, to: number): ByteSet {
  return ((1n << BigInt(to + 1 - from)) - 1n) << BigInt(from);
}

export function singleByte(byte: number): ByteSet {
  return 1n << BigInt(byte);
}

/** Returns the bytes of some characters, one byte per character. */
export function byteSetOf(characters: string): ByteSet {
  return [...characters].reduce((set, character) => set | singleByte(character.charCodeAt(0)), emptyByteSet);
}

export function complementBytes(set: ByteSet): ByteSet {
  return allBytes ^ set;
}

export function hasByte(set: ByteSet, byte: number): boolean {
  return ((set >> BigInt(byte)) & 1n) === 1n;
}

export const upperCaseBytes = byteRange(0x41, 0x5a);
export const lowerCaseBytes = byteRange(0x61, 0x7a);
export const digitBytes = byteRange(0x30, 0x39);
export const newlineByte = singleByte(0x0a);

/** Returns the set with both cases of its letters. Only ASCII has letters in httpd's locale. */
export function foldCase(set: ByteSet): ByteSet {
  return set | ((set & upperCaseBytes) << 32n) | ((set & lowerCaseBytes) >> 32n);
}

/** A set of texts described by a pattern or a wildcard, as a tree. */
export type RegularLanguage =
  /** One byte of a set; an empty set matches nothing. */
  | { readonly kind: "bytes"; readonly set: ByteSet }
  | { readonly kind: "sequence"; readonly parts: readonly RegularLanguage[] }
  /** One of several alternatives; without any, matches nothing. */
  | { readonly kind: "either"; readonly of: readonly RegularLanguage[] }
  | {
      readonly kind: "repeat";
      readonly of: RegularLanguage;
      readonly min: number;
      /** Infinity if unlimited. */
      readonly max: number;
      /** Whether it does not backtrack. The pattern parser only accepts this if it makes no difference. */
      readonly possessive?: boolean;
    }
  /** The start of the whole text. */
  | { readonly kind: "start" }
  /** The end of the text, or also the position before a final newline. */
  | { readonly kind: "end"; readonly beforeNewline: boolean }
  | Lookaround;

/**
 * A position that a text of a language follows or precedes; if negative, that none of them does. A lookahead must not
 * contain the start of the text or a lookbehind, and a lookbehind not the end or a lookahead.
 */
export interface Lookaround {
  readonly kind: "look";
  readonly direction: "ahead" | "behind";
  readonly isNegative: boolean;
  readonly of: RegularLanguage;
}

export const emptyLanguage: RegularLanguage = { kind: "either", of: [] };
export const emptyText: RegularLanguage = { kind: "sequence", parts: [] };
export const anyText: RegularLanguage = repeat({ kind: "bytes", set: allBytes }, 0, Number.POSITIVE_INFINITY);

export function matchBytes(set: ByteSet): RegularLanguage {
  return { kind: "bytes", set };
}

export function concatenate(...parts: readonly RegularLanguage[]): RegularLanguage {
  return { kind: "sequence", parts };
}

export function alternate(...of: readonly RegularLanguage[]): RegularLanguage {
  return { kind: "either", of };
}

export function repeat(of: RegularLanguage, min: number, max: number): RegularLanguage {
  return { kind: "repeat", of, min, max };
}

/** Returns exactly one text. */
export function matchLiteral(text: string, ignoreCase = false): RegularLanguage {
  const parts = Array.from(text, (character) => {
    const set = byteSetOf(character);
    return matchBytes(ignoreCase ? foldCase(set) : set);
  });
  return concatenate(...parts);
}

/** Returns the texts that contain such a part: httpd searches for patterns this way. */
export function matchAnywhere(of: RegularLanguage): RegularLanguage {
  return concatenate(anyText, of, anyText);
}

/**
 * Returns a path and everything below it: the scope of a literal Directory or Location section. The empty path is above
 * all.
 */
export function matchPathOrBelow(path: RegularLanguage, endsInSlash = false): RegularLanguage {
  const below = concatenate(matchBytes(byteSetOf("/")), anyText);
  return concatenate(path, endsInSlash ? anyText : alternate(emptyText, below));
}

/** Returns the language of a literal section: its path and all paths below it. */
export function matchPathPrefix(path: string): RegularLanguage {
  return matchPathOrBelow(matchLiteral(path), path === "" || path.endsWith("/"));
}

/** Returns the texts that sort before a given one, compared by bytes. */
export function matchTextsBefore(text: string): RegularLanguage {
  const prefixes: RegularLanguage[] = [];
  for (let at = 0; at < text.length; at++) {
    const byte = text.charCodeAt(at);
    prefixes.push(matchLiteral(text.slice(0, at)));
    if (byte > 0)
      prefixes.push(concatenate(matchLiteral(text.slice(0, at)), matchBytes(byteRange(0, byte - 1)), anyText));
  }
  return alternate(...prefixes);
}

/** Returns the texts that are in a set after conversion to lower case. */
export function ignoreCaseOf(of: RegularLanguage): RegularLanguage {
  switch (of.kind) {
    case "bytes":
      return matchBytes((of.set & ~upperCaseBytes) | ((of.set & lowerCaseBytes) >> 32n));
    case "sequence":
      return concatenate(...of.parts.map(ignoreCaseOf));
    case "either":
      return alternate(...of.of.map(ignoreCaseOf));
    case "repeat":
    case "look":
      return { ...of, of: ignoreCaseOf(of.of) };
    default:
      return of;
  }
}

/**
 * Returns the texts of a small finite set in the order in which PCRE tries them: alternatives as written, and optional
 * parts first included. Returns undefined if there are more than `max`, or if the set contains anything but bytes.
 */
export function enumerateTexts(of: RegularLanguage, max: number): readonly string[] | undefined {
  const texts = enumerateFrom(of, max);
  return texts && texts.length <= max ? texts : undefined;
}

function enumerateFrom(of: RegularLanguage, max: number): readonly string[] | undefined {
  switch (of.kind) {
    case "bytes":
      return Array.from({ length: 256 }, (_, byte) => byte)
        .filter((byte) => hasByte(of.set, byte))
        .map((byte) => String.fromCharCode(byte));
    case "either": {
      const all = of.of.map((each) => enumerateTexts(each, max));
      return all.some((each) => each === undefined) ? undefined : all.flatMap((each) => each ?? []);
    }
    case "sequence":
      return of.parts.reduce<readonly string[] | undefined>(
        (prefixes, part) => {
          const suffixes = prefixes && enumerateTexts(part, max);
          if (prefixes === undefined || suffixes === undefined || prefixes.length * suffixes.length > max)
            return undefined;
          return prefixes.flatMap((text) => suffixes.map((more) => text + more));
        },
        [""],
      );
    case "repeat": {
      const once = enumerateTexts(of.of, max);
      if (once === undefined || of.possessive || of.max !== 1) return undefined;
      return of.min === 0 ? [...once, ""] : once;
    }
    case "start":
    case "end":
    case "look":
      return undefined;
  }
}
