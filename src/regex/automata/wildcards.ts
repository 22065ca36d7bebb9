import { parseWildcard, splitPathWildcard, type WildcardToken } from "../../text/wildcards.js";
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
} from "./regular-language.js";

/**
 * Returns the texts that an httpd wildcard matches as a whole. A leading period is not special.
 *
 * @param slashIsSpecial whether only a slash matches a slash, as in the paths of Directory and Location
 */
export function wildcardLanguageOf(pattern: string, slashIsSpecial: boolean): RegularLanguage {
  if (!slashIsSpecial) return languageOfComponent(pattern, allBytes);
  const slash = matchBytes(byteSetOf("/"));
  const parts = splitPathWildcard(pattern).map((part) => languageOfComponent(part, complementBytes(byteSetOf("/"))));
  return concatenate(...parts.flatMap((part, index) => (index === 0 ? [part] : [slash, part])));
}

/** @param any the bytes that wildcards match */
function languageOfComponent(pattern: string, any: ByteSet): RegularLanguage {
  return concatenate(...parseWildcard(pattern).map((token) => languageOfToken(token, any)));
}

function languageOfToken(token: WildcardToken, any: ByteSet): RegularLanguage {
  switch (token.kind) {
    case "literal":
      return matchBytes(byteSetOf(token.character));
    case "anyCharacter":
      return matchBytes(any);
    case "anySequence":
      return repeat(matchBytes(any), 0, Number.POSITIVE_INFINITY);
    case "bracket": {
      let set = emptyByteSet;
      for (const [from, to] of token.ranges) if (from <= to) set |= byteRange(from.charCodeAt(0), to.charCodeAt(0));
      return matchBytes((token.isNegated ? complementBytes(set) : set) & any);
    }
  }
}
