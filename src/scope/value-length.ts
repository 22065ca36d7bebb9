import type { Questions } from "./questions.js";

/**
 * The longest text that variables, groups and functions may build while a request is simulated. Such texts grow by a
 * factor with each line; a server takes no header longer than 8 KB.
 */
export const LONGEST_VALUE = 64 * 1024;

/** How deep maps may nest in the texts of mod_rewrite: `${a:${b:…}}`. */
export const DEEPEST_MAP = 256;

/** Names a text that is longer than `LONGEST_VALUE`, to complete "unknown is …". */
export function tooLongText(what: string): string {
  return `${what}, which exceeds ${LONGEST_VALUE.toLocaleString("en")} bytes`;
}

/** Returns a text, or leaves the answer open and returns the empty text if the text is too long. */
export function boundedValue(value: string, what: string, questions: Questions): string {
  if (value.length <= LONGEST_VALUE) return value;
  questions.leaveOpen(tooLongText(what));
  return "";
}

/**
 * Replaces `$0` to `$9` with the groups of a match.
 *
 * @returns undefined if the result is longer than `LONGEST_VALUE` and than the text itself
 */
export function replaceGroups(text: string, groups: readonly (string | undefined)[]): string | undefined {
  const most = Math.max(LONGEST_VALUE, text.length);
  let result = "";
  let done = 0;
  for (const { index, 1: digit } of text.matchAll(/\$(\d)/g)) {
    result += text.slice(done, index) + (groups[Number(digit)] ?? "");
    if (result.length > most) return undefined;
    done = index + 2;
  }
  return result + text.slice(done);
}
