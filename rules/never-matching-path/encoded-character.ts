import { comparePatterns, type Directive, parseRewriteRules } from "../../src/lint/api/configuration.js";

/** An encoded character other than a percent sign. */
const encodedCharacter = /%(?!25)[\da-f]{2}/i;

/** Directives that compare the decoded path of a request (server/request.c `ap_process_request_internal`). */
const comparesPath = /^(?:(?:script)?alias|redirect|rewriterule$|<location)/;

/**
 * Returns a path or pattern with its encoded characters decoded, as httpd compares it; undefined if it has none, or matches
 * without them. A rule that denies requests may be about those that are encoded twice.
 */
export function decodeCharacters(directive: Directive, value: string, isPattern: boolean): string | undefined {
  if (!encodedCharacter.test(value) || !comparesPath.test(directive.key)) return undefined;
  if (isPattern && comparePatterns("[^%]*", value, false) !== "none") return undefined;
  if (parseRewriteRules([directive])[0]?.flags.answers) return undefined;
  // A control character is not meant.
  if (/%(?:[01][\da-f]|7f)/i.test(value)) return undefined;
  return value.replaceAll(/%(?!25)([\da-f]{2})/gi, (_, byte) => decodeByte(byte, isPattern));
}

function decodeByte(byte: string, isPattern: boolean): string {
  const character = String.fromCharCode(Number.parseInt(byte, 16));
  if (isPattern && character === " ") return "\\s";
  return isPattern && /[.*+?^${}()|[\]\\]/.test(character) ? `\\${character}` : character;
}
