import type { ByteSet, RegularLanguage } from "../../regex/automata/regular-language.js";
import type { GroupNode, PatternTree } from "../../regex/pcre/ast.js";
import { parsePattern } from "../../regex/pcre/language.js";
import { parsePcre } from "../../regex/pcre/parser.js";
import type { RewriteRule } from "../../server/rewrite/rule-parser.js";

/** Whether groups capture any of some bytes in a text that contains them: none, all, or some. */
export type CapturedBytes = "never" | "always" | "sometimes";

/**
 * Returns whether some groups of a pattern capture certain bytes of the texts that it matches.
 *
 * @param groups their numbers; 0 is the whole match
 */
export function findCapturedBytes(pattern: string, groups: ReadonlySet<number>, bytes: ByteSet): CapturedBytes {
  const tree = parsePcre(pattern);
  const used = listCaptures(tree).filter((_, number) => groups.has(number));
  const capturesBytes = used.some(({ start, end }) => mayHold(pattern.slice(start, end), bytes));
  if (!capturesBytes) return "never";
  return areWhole(used, tree) && !mayHold(removeSpan(pattern, used), bytes) ? "always" : "sometimes";
}

type Capture = Pick<GroupNode, "start" | "end" | "depth">;

/** Returns the whole pattern and its groups, by number. */
function listCaptures({ text, groups }: PatternTree): readonly Capture[] {
  return [{ start: 0, end: text.length, depth: 0 }, ...groups];
}

/**
 * Reports whether a pattern, except for some groups, covers the whole text, and each group captures everything that it
 * reads.
 */
function areWhole(used: readonly Capture[], { text, branches }: PatternTree): boolean {
  const matchesAll = ({ start, end }: Capture) => /^\(\.[*+]\)$/.test(text.slice(start, end));
  const last = branches[0]?.at(-1);
  const endsInDollar = last?.kind === "assertion" && last.mark === "$" && last.end === text.length;
  return (
    branches.length === 1 &&
    (text.startsWith("^") || used.some((each) => each.start === 0 && matchesAll(each))) &&
    (endsInDollar || used.some((each) => each.end === text.length && matchesAll(each))) &&
    // A repeated group only captures its last repetition.
    used.every(({ depth, end }) => depth === 0 && !/^[*+{]/.test(text.slice(end)))
  );
}

function removeSpan(pattern: string, used: readonly Capture[]): string {
  return used
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), pattern);
}

/** Reports whether the match of a pattern may contain one of some bytes. */
function mayHold(pattern: string, bytes: ByteSet): boolean {
  const reading = parsePattern(pattern);
  return reading.kind === "not regular" || holdsIn(reading.found, bytes);
}

function holdsIn(of: RegularLanguage, bytes: ByteSet): boolean {
  switch (of.kind) {
    case "bytes":
      return (of.set & bytes) !== 0n;
    case "sequence":
      return of.parts.some((each) => holdsIn(each, bytes));
    case "either":
      return of.of.some((each) => holdsIn(each, bytes));
    case "repeat":
      return holdsIn(of.of, bytes);
    case "start":
    case "end":
    case "look":
      return false;
  }
}

/** Names of variables that contain the path, as rules write them. */
export const pathVariable =
  /%\{(REQUEST_URI|REQUEST_FILENAME|SCRIPT_FILENAME|PATH_INFO|THE_REQUEST|ENV:(REDIRECT_)*SCRIPT_UR[IL]|ENV:MATCH_|LA-[UF]:)/i;

/**
 * Finds whether a part of a rule's target may contain certain bytes of the path.
 *
 * @param isOfServer whether the rule is outside directories
 */
export function findTargetBytes(
  text: string,
  { pattern, isNegated, flags }: RewriteRule,
  set: ByteSet,
  isOfServer: boolean,
): CapturedBytes {
  if (/%\{REQUEST_URI\}/i.test(text)) return "always";
  if (pathVariable.test(text) || /%\d|\$\{/.test(text)) return "sometimes";
  const numbers = [...text.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit));
  // The first slash of a URL path is its first character.
  const anchored = isOfServer && /^\/(?![*+?{])/.test(pattern) ? `^${pattern}` : pattern;
  return isNegated || escapesAll(flags) ? "never" : findCapturedBytes(anchored, new Set(numbers), set);
}

/** Reports whether all characters of a match except letters and digits are escaped (`[B]`). */
function escapesAll({ names, escapes, noEscapes }: RewriteRule["flags"]): boolean {
  return names.has("backrefescaping") && !names.has("bctls") && escapes === undefined && noEscapes === undefined;
}
