import { allBytes, type ByteSet, byteRange, bytesOf, inBothCases, lowerCase, upperCase } from "./byte-sets.js";

/** A set of texts: what a pattern or a wildcard describes, as a tree. */
export type Regular =
  /** One byte of a set; of the empty set: nothing at all. */
  | { readonly kind: "bytes"; readonly set: ByteSet }
  | { readonly kind: "sequence"; readonly parts: readonly Regular[] }
  /** One of several; of none: nothing at all. */
  | { readonly kind: "either"; readonly of: readonly Regular[] }
  | {
      readonly kind: "repeat";
      readonly of: Regular;
      readonly least: number;
      /** Infinity for no limit. */
      readonly most: number;
      /** It gives back nothing of what it took. That makes no difference where the pattern's reader let it pass. */
      readonly possessive?: boolean;
    }
  /** The place where the whole text starts. */
  | { readonly kind: "start" }
  /** The place where it ends, or also where nothing but a newline is left. */
  | { readonly kind: "end"; readonly beforeNewline: boolean };

export const nothing: Regular = { kind: "either", of: [] };
export const emptyText: Regular = { kind: "sequence", parts: [] };
export const anyText: Regular = repeated({ kind: "bytes", set: allBytes }, 0, Number.POSITIVE_INFINITY);

export function bytes(set: ByteSet): Regular {
  return { kind: "bytes", set };
}

export function sequence(...parts: readonly Regular[]): Regular {
  return { kind: "sequence", parts };
}

export function either(...of: readonly Regular[]): Regular {
  return { kind: "either", of };
}

export function repeated(of: Regular, least: number, most: number): Regular {
  return { kind: "repeat", of, least, most };
}

/** Exactly a text. */
export function literal(text: string, ignoreCase = false): Regular {
  const parts = Array.from(text, (character) => {
    const set = bytesOf(character);
    return bytes(ignoreCase ? inBothCases(set) : set);
  });
  return sequence(...parts);
}

/** Texts with such a part somewhere: what httpd asks of a pattern. */
export function somewhere(of: Regular): Regular {
  return sequence(anyText, of, anyText);
}

/** A path, or what lies below it: what a literal Directory or Location section is for. The empty path is above all. */
export function atOrBelow(path: Regular, endsInSlash = false): Regular {
  const below = sequence(bytes(bytesOf("/")), anyText);
  return sequence(path, endsInSlash ? anyText : either(emptyText, below));
}

/** The paths that a literal section is for, as `atOrBelow` of its text. */
export function pathPrefix(path: string): Regular {
  return atOrBelow(literal(path), path === "" || path.endsWith("/"));
}

/** The texts that come before one, as their bytes are compared. */
export function textsBefore(text: string): Regular {
  const before: Regular[] = [];
  for (let at = 0; at < text.length; at++) {
    const byte = text.charCodeAt(at);
    before.push(literal(text.slice(0, at)));
    if (byte > 0) before.push(sequence(literal(text.slice(0, at)), bytes(byteRange(0, byte - 1)), anyText));
  }
  return either(...before);
}

/** The texts that belong to a set once their letters are small. */
export function ignoringCase(of: Regular): Regular {
  switch (of.kind) {
    case "bytes":
      return bytes((of.set & ~upperCase) | ((of.set & lowerCase) >> 32n));
    case "sequence":
      return sequence(...of.parts.map(ignoringCase));
    case "either":
      return either(...of.of.map(ignoringCase));
    case "repeat":
      return { ...of, of: ignoringCase(of.of) };
    default:
      return of;
  }
}
