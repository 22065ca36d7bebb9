import type { PatternErrorCode } from "./ast.js";
import { parsePcre } from "./parser.js";

/** An error that prevents a pattern from compiling, with its position in the pattern. */
export interface PatternCompileError {
  /** A clause. */
  readonly wrong: string;
  /** The remedy, as a clause. */
  readonly remedy: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the reason why a regular expression does not compile in PCRE2, which httpd 2.4 is built with. It is reported
 * only if all releases from 10.30 to 10.47 agree. Undefined if it compiles, or for constructs that are not checked:
 * named references, conditions, verbs, and the text after `(?x)`.
 *
 * @param pattern one code unit per byte
 */
export function findPatternError(pattern: string): PatternCompileError | undefined {
  // Most patterns with one of these are valid, but many patterns have none.
  const error = /[\\[\](){*+?]/.test(pattern) ? parsePcre(pattern).error : undefined;
  if (error === undefined) return undefined;
  const { code, start, end } = error;
  const [wrong, remedy] = messages[code](pattern.slice(start, end));
  return { start, end, wrong, remedy };
}

/** What is wrong and the remedy, by error, for the text at its position. */
const messages: Readonly<Record<PatternErrorCode, (text: string) => readonly [wrong: string, remedy: string]>> = {
  "bad-range": (text) => [
    `\`${text}\` in a class is no range in PCRE2`,
    "put the hyphen last in the class, or write `\\-`",
  ],
  "collating-element": (text) => [`PCRE2 has no collating elements such as \`${text}\``, "take it out"],
  "missing-group": (text) => [
    `\`${text}\` refers to a group that does not exist`,
    "take it out, or put what it refers to in `(…)`",
  ],
  "missing-group-name": (text) => {
    const [start = ""] = /^\(\?P?[<']/.exec(text) ?? [];
    const end = start.endsWith("'") ? "'" : ">";
    return [`\`${start}\` has no name with a \`${end}\` behind it`, "correct it, or write `(` alone"];
  },
  "nothing-to-repeat": (text) => [
    `there is nothing that \`${text}\` could repeat`,
    text === "*" ? "write `.*` for any text, `\\*` for the character" : `write \`\\${text}\` for the text`,
  ],
  "posix-outside-class": (text) => [`\`${text}\` stands outside of \`[…]\``, `write \`[${text}]\``],
  "quantifier-order": (text) => [`\`${text}\` has its numbers in the wrong order`, "write the smaller one first"],
  "quantifier-size": (text) => [`\`${text}\` has a number above 65535`, "write a smaller one"],
  "range-order": (text) => [
    `the range \`${text}\` ends before it starts`,
    "turn it round, or write `\\-` for the character",
  ],
  "trailing-backslash": () => ["a backslash ends it", "take it out"],
  "unclosed-class": () => ["`[` is never closed", "close it, or write `\\[` for the character"],
  "unclosed-comment": () => ["`(?#` starts a comment that is never closed", "close it"],
  "unclosed-group": () => ["`(` is never closed", "close it, or write `\\(` for the character"],
  "unknown-escape": (text) => [
    `PCRE2 knows no escape \`${text}\``,
    "take the backslash out, or double it where one is meant",
  ],
  "unknown-group": (text) => [`\`${text}\` starts no kind of group`, "correct it, or write `\\(` for the character"],
  "unknown-posix-class": (text) => [`\`${text}\` is no class of characters`, "correct its name"],
  "unmatched-parenthesis": () => ["`)` closes nothing", "take it out, or write `\\)` for the character"],
};
