/**
 * Finds credentials in text: compared with headers that carry them (`req('Authorization') == '…'`), sent in such
 * headers, or given by name (`password=…`). The text is a line of configuration, or a message that quotes some.
 */
import { findHeaderValues, findSchemeValues, findSetCookies } from "./header-credentials.js";
import { findCommandValues, findNamedValues } from "./named-credentials.js";
import { mergeRanges, type TextRange } from "./text-ranges.js";

/** A part of each text with a credential: most texts lack it. */
const mayContainSecret =
  /auth(?:orization|[^a-z])|bearer|basic|digest|negotiate|cookie|token|secret|key|pass|pwd?|cred|pin-value|jwt|psk|salt|(?:pat|sk)[^a-z]|curl|mysql|mariadb/i;
/** All ways in which a text may have credentials. */
const finders = [findHeaderValues, findSchemeValues, findNamedValues, findSetCookies, findCommandValues];

/** Returns the ranges of such values, in no order; they may overlap. */
export function findCredentials(text: string): readonly TextRange[] {
  return mayContainSecret.test(text) ? finders.flatMap((find) => find(text)) : [];
}

/** Masks such values in a text. */
export function maskCredentials(words: string, mask: string): string {
  let masked = words;
  for (const { start, end } of mergeRanges(findCredentials(words)).toReversed())
    masked = masked.slice(0, start) + mask + masked.slice(end);
  return masked;
}
