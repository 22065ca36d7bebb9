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
 * named references, conditions, verbs, and the text after `(?xx)`.
 *
 * @param pattern one code unit per byte
 */
export function findPatternError(pattern: string): PatternCompileError | undefined {
  const error = mayNotCompile(pattern) ? parsePcre(pattern).error : undefined;
  if (error === undefined) return undefined;
  const { code, start, end } = error;
  const [wrong, remedy] = messages[code](pattern.slice(start, end));
  return { start, end, wrong, remedy };
}

/** Reports whether a text has a special character: patterns without one compile. */
function mayNotCompile(text: string): boolean {
  return /[\\[\](){*+?]/.test(text);
}

/** The problem and the remedy, by error, for the text at its position. */
const messages: Readonly<Record<PatternErrorCode, (text: string) => readonly [wrong: string, remedy: string]>> = {
  "bad-range": (text) => [
    `\`${text}\` in a class is not a range in PCRE2`,
    "put the hyphen last in the class, or use `\\-`",
  ],
  "collating-element": (text) => [`PCRE2 does not support collating elements such as \`${text}\``, "delete it"],
  "missing-group": (text) => [
    `\`${text}\` refers to a group that does not exist`,
    "delete it, or put its target in `(…)`",
  ],
  "missing-group-name": (text) => {
    const [start = ""] = /^\(\?P?[<']/.exec(text) ?? [];
    const end = start.endsWith("'") ? "'" : ">";
    return [`\`${start}\` needs a name and a \`${end}\``, "correct it, or use only `(`"];
  },
  "nothing-to-repeat": (text) => [
    `\`${text}\` has nothing to repeat`,
    text === "*" ? "use `.*` for any text, or `\\*` for the character" : `use \`\\${text}\` for the text`,
  ],
  "posix-outside-class": (text) => [`\`${text}\` is outside of \`[…]\``, `use \`[${text}]\``],
  "quantifier-order": (text) => [`\`${text}\` has its numbers in the wrong order`, "put the smaller number first"],
  "quantifier-size": (text) => [`\`${text}\` has a number above 65535`, "use a smaller number"],
  "range-order": (text) => [
    `the range \`${text}\` ends before it starts`,
    "reverse it, or use `\\-` for the character",
  ],
  "trailing-backslash": () => ["it ends with a backslash", "delete the backslash"],
  "unclosed-class": () => ["`[` is never closed", "close it, or use `\\[` for the character"],
  "unclosed-comment": () => ["`(?#` starts a comment that is never closed", "close it"],
  "unclosed-group": () => ["`(` is never closed", "close it, or use `\\(` for the character"],
  "unknown-escape": (text) => [
    `unknown escape sequence \`${text}\``,
    "delete the backslash, or double it for the character",
  ],
  "unknown-group": (text) => [
    `\`${text}\` does not start a known kind of group`,
    "correct it, or use `\\(` for the character",
  ],
  "unknown-posix-class": (text) => [`unknown character class \`${text}\``, "correct its name"],
  "unmatched-parenthesis": () => ["`)` has no matching `(`", "delete it, or use `\\)` for the character"],
};
