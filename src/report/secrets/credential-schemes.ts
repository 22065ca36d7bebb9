import { computeOnce } from "../../text/memoize.js";
import type { TextRange } from "./text-ranges.js";

/** The schemes of authentication, before the credentials in a header. */
export const scheme = `(?:Basic|Bearer|Digest|Negotiate|Token)`;

const startsWithScheme = computeOnce(
  () => new RegExp(String.raw`^[!<>=^]*(?:\(?(?:\?:)?${scheme}(?:\|${scheme})*\)?(?:\\s|\[[^\]]*\]|[\s+*\\])*)?`, "i"),
);
/** The syntax of patterns, as opposed to the text that they match. */
const patternMarks = /\\[A-Za-z]|\[[^\]]*\]|\(\?(?:[:=!]|<\w*>)|\{[\d,]*\}/g;
/** A longer text is not treated as a pattern. */
const MAX_PATTERN_LENGTH = 4096;
/** Returns the text after the scheme if it is more than pattern syntax: `^Basic (.+)$` is not a secret. */
export function credentialIn(text: string, { start, end }: TextRange): TextRange[] {
  const whole = text.slice(start, end);
  if (whole.length > MAX_PATTERN_LENGTH) return [{ start, end }];
  const from = startsWithScheme().exec(whole)?.[0].length ?? 0;
  const rest = whole.slice(from);
  return /[\w+/=-]{3,}/.test(rest.replaceAll(patternMarks, " ")) ? [{ start: start + from, end }] : [];
}
