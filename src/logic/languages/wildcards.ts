import {
  allBytes,
  type ByteSet,
  byteRange,
  byteSetOf,
  complementBytes,
  concatenate,
  emptyByteSet,
  matchBytes,
  type RegularLanguage,
  repeat,
  singleByte,
} from "./regular-language.js";

/**
 * Returns the texts that an httpd wildcard matches as a whole (`apr_fnmatch`): `*`, `?`, `[a-z]`, `[!a]`, `[^a]`,
 * backslash escapes. A leading period is not special.
 *
 * @param slashIsSpecial whether only a slash matches a slash, as in the paths of Directory and Location
 */
export function parseWildcard(pattern: string, slashIsSpecial: boolean): RegularLanguage {
  if (!slashIsSpecial) return parseWildcardComponent(pattern, allBytes);
  const slash = matchBytes(byteSetOf("/"));
  // An escaped slash is still a slash.
  const plain = pattern.replace(/\\([\s\S])/g, (whole, character) => (character === "/" ? "/" : whole));
  const parts = plain.split("/").map((part) => parseWildcardComponent(part, complementBytes(byteSetOf("/"))));
  return concatenate(...parts.flatMap((part, index) => (index === 0 ? [part] : [slash, part])));
}

/** @param any the bytes that wildcards match */
function parseWildcardComponent(pattern: string, any: ByteSet): RegularLanguage {
  const parts: RegularLanguage[] = [];
  for (let at = 0; at < pattern.length; ) {
    const character = pattern.charAt(at);
    const bracket = character === "[" ? readBracket(pattern, at) : undefined;
    if (bracket) {
      parts.push(matchBytes(bracket.set & any));
      at = bracket.end;
    } else if (character === "*" || character === "?") {
      parts.push(character === "*" ? repeat(matchBytes(any), 0, Number.POSITIVE_INFINITY) : matchBytes(any));
      at++;
    } else {
      const isEscape = character === "\\" && at + 1 < pattern.length;
      parts.push(matchBytes(byteSetOf(isEscape ? pattern.charAt(at + 1) : character)));
      at += isEscape ? 2 : 1;
    }
  }
  return concatenate(...parts);
}

/** Parses `[…]`; returns undefined if it is never closed: then its `[` is literal. */
function readBracket(pattern: string, start: number): { readonly set: ByteSet; readonly end: number } | undefined {
  const isNegated = /[!^]/.test(pattern.charAt(start + 1));
  const first = start + (isNegated ? 2 : 1);
  let set = emptyByteSet;
  for (let at = first; at < pattern.length; ) {
    if (pattern.charAt(at) === "]" && at > first) return { set: isNegated ? complementBytes(set) : set, end: at + 1 };
    const from = readCharacter(pattern, at);
    const isRange = pattern.charAt(from.end) === "-" && !["", "]"].includes(pattern.charAt(from.end + 1));
    const to = isRange ? readCharacter(pattern, from.end + 1) : from;
    if (from.byte <= to.byte) set |= isRange ? byteRange(from.byte, to.byte) : singleByte(from.byte);
    at = to.end;
  }
  return undefined;
}

function readCharacter(pattern: string, at: number): { readonly byte: number; readonly end: number } {
  const escaped = pattern.charAt(at) === "\\" && at + 1 < pattern.length;
  return { byte: pattern.charCodeAt(escaped ? at + 1 : at), end: at + (escaped ? 2 : 1) };
}
