import { RE2JS } from "re2js";
import type { PcreProgram } from "../../regex/pcre/instruction.js";
import { parsePattern } from "../../regex/pcre/language.js";
import { type PcreMatch, searchPcre } from "../../regex/pcre/matcher.js";
import { compilePcre } from "../../regex/pcre/program.js";
import { getOrCreate } from "../../text/collections.js";
import { formatNumber } from "../../text/words.js";
import type { Oracle } from "./oracle.js";
import { unknownFact } from "./unknown-facts.js";

/** The text that a pattern matched, and its groups; undefined for a group that did not participate. */
export type MatchGroups = readonly (string | undefined)[];

/** A regular expression as httpd uses it. */
export interface Pattern {
  readonly text: string;
  readonly ignoreCase: boolean;
  /** Numbers of the named groups, by name. */
  readonly names: ReadonlyMap<string, number>;
  /** Whether it has capturing groups. */
  readonly hasGroups: boolean;
  matches(subject: string, oracle: Oracle): boolean;
  /** Returns the matched text with the groups; undefined if there is no match. Linear in the text's length. */
  find(subject: string, oracle: Oracle): MatchGroups | undefined;
}

export interface PatternOptions {
  readonly ignoreCase?: boolean;
  /** Whether `$` never matches: 2.2 matches directories this way (AP_REG_NOTEOL). */
  readonly withoutEnd?: boolean;
}

const KNOWN_LIMIT = 5_000;
/** One map for each set of options, so that the lookup key is the text itself. */
const patternCaches = Array.from({ length: 4 }, () => new Map<string, Pattern>());

/**
 * Returns the pattern for a text, compiled once. The oracle answers for constructs that the matcher does not support,
 * such as recursion, and for searches that take too long.
 */
export function compileRegexPattern(
  text: string,
  { ignoreCase = false, withoutEnd = false }: PatternOptions = {},
): Pattern {
  const ofOptions = patternCaches[(ignoreCase ? 1 : 0) + (withoutEnd ? 2 : 0)];
  const before = ofOptions?.get(text);
  if (before) return before;
  if (ofOptions && ofOptions.size >= KNOWN_LIMIT) ofOptions.clear();
  const pattern = compileRegex(text, ignoreCase, withoutEnd);
  ofOptions?.set(text, pattern);
  return pattern;
}

const patternsByOwner = new WeakMap<object, Pattern>();

/** Returns the pattern of a line or an expression that recurs with each request; kept as long as its owner exists. */
export function compileRegexPatternOnce(owner: object, text: string, options?: PatternOptions): Pattern {
  return getOrCreate(patternsByOwner, owner, () => compileRegexPattern(text, options));
}

/** Text between anchors: most patterns for paths and user agents. */
const plainTextPattern = /^(\^?)([\w /%:=&,;@#"'<>~!-]*)(\$?)$/;

/**
 * Returns a pattern for plain text with anchors, which needs no automaton; compiling one for each would dominate the
 * run time.
 */
function plainPattern(text: string): Pattern | undefined {
  const [, start, literal, end] = plainTextPattern.exec(text) ?? [];
  if (literal === undefined) return undefined;
  const matches = (subject: string) => {
    if (end) return start ? subject === literal : subject.endsWith(literal);
    return start ? subject.startsWith(literal) : subject.includes(literal);
  };
  const groups: MatchGroups = [literal];
  return {
    text,
    ignoreCase: false,
    hasGroups: false,
    names: new Map(),
    matches,
    find: (subject) => (matches(subject) ? groups : undefined),
  };
}

/**
 * The most steps to search one text. PCRE stops after ten million, and httpd then treats the pattern as not matching
 * (`ap_regexec_len`); PCRE counts fewer of them for the same search.
 */
export const MAX_MATCH_STEPS = 2_000_000;

/** The number of texts whose results a pattern keeps. */
const MAX_SEARCHED = 16;

function compileRegex(text: string, ignoreCase: boolean, withoutEnd: boolean): Pattern {
  const known = ignoreCase || withoutEnd ? undefined : plainPattern(text);
  if (known) return known;
  const compiled = compilePcre(text, { ignoreCase, withoutEnd });
  const program = compiled.kind === "program" ? compiled.program : undefined;
  // A proof asks for the same paths again and again, with other clients and methods.
  const searched = new Map<string, PcreMatch>();
  const search = (of: PcreProgram, subject: string): PcreMatch => {
    const before = searched.get(subject);
    if (before) return before;
    if (searched.size >= MAX_SEARCHED) searched.clear();
    const found = searchPcre(of, subject, MAX_MATCH_STEPS);
    searched.set(subject, found);
    return found;
  };
  // Built only for a search with too many steps.
  let linear: RE2JS | undefined;
  let isIrregular: boolean | undefined;
  const isUndecidable = ({ asksIrregularPatterns }: Oracle) => {
    if (!asksIrregularPatterns) return false;
    isIrregular ??= parsePattern(text, { ignoreCase, withoutEnd }).kind === "not regular";
    return isIrregular;
  };
  const find = (subject: string, oracle: Oracle): MatchGroups | undefined => {
    if (program === undefined || isUndecidable(oracle))
      return oracle.ask(unknownFact("pattern-matches", text, subject)) ? [subject] : undefined;
    const { groups, isStopped, steps } = search(program, subject);
    oracle.countCharacters(steps);
    if (!isStopped) return groups;
    // Without a match, the server's answer does not depend on its limit.
    linear ??= compileLinear(text, ignoreCase, withoutEnd);
    if (linear?.matcher(subject).find() === false) return undefined;
    return oracle.ask(unknownFact("pattern-matches-in-limit", text, subject)) ? [subject] : undefined;
  };
  return {
    text,
    ignoreCase,
    hasGroups: hasGroups(text),
    names: program?.names ?? new Map(),
    matches: (subject, oracle) => find(subject, oracle) !== undefined,
    find,
  };
}

/** Returns a matcher without backtracking; undefined for a pattern that needs it. */
function compileLinear(text: string, ignoreCase: boolean, withoutEnd: boolean): RE2JS | undefined {
  try {
    const flags = RE2JS.DOTALL | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return RE2JS.compile(withoutEnd ? withoutEnds(text) : text, flags);
  } catch {
    return undefined;
  }
}

function hasGroups(text: string): boolean {
  return /\((?!\?)|\(\?P?<(?![=!])|\(\?'/.test(text.replace(/\\./gs, "").replace(/\[\^?\]?[^\]]*\]/g, ""));
}

/** Replaces every `$` that is an anchor with an expression that never matches. */
function withoutEnds(text: string): string {
  let inClass = false;
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    if (c === "\\") out += c + (text[++i] ?? "");
    else if (c === "$" && !inClass) out += "[^\\x00-\\x{10FFFF}]";
    else {
      if (c === "[" && !inClass) inClass = true;
      else if (c === "]" && inClass) inClass = false;
      out += c;
    }
  }
  return out;
}

/**
 * The longest text that variables, groups and functions may build while a request is simulated. Such texts grow by a
 * factor with each line; a server takes no header longer than 8 KB.
 */
export const MAX_VALUE_LENGTH = 64 * 1024;

/** Limit of nested maps in the texts of mod_rewrite: `${a:${b:…}}`. */
export const MAX_MAP_DEPTH = 256;

/** `MAX_VALUE_LENGTH` as a value of facts. */
export const VALUE_LIMIT = formatNumber(MAX_VALUE_LENGTH);

/** Returns the value of an expression; if it is too long, marks the answer as undecidable and returns the empty text. */
export function limitValueLength(value: string, oracle: Oracle): string {
  if (value.length <= MAX_VALUE_LENGTH) return value;
  oracle.markUndecidable(unknownFact("long-expression", VALUE_LIMIT));
  return "";
}

/**
 * Replaces `$0` to `$9` with the groups of a match.
 *
 * @returns undefined if the result is longer than `MAX_VALUE_LENGTH` and than the text itself
 */
export function replaceGroups(text: string, groups: readonly (string | undefined)[]): string | undefined {
  const max = Math.max(MAX_VALUE_LENGTH, text.length);
  let result = "";
  let done = 0;
  for (const { index, 1: digit } of text.matchAll(/\$(\d)/g)) {
    result += text.slice(done, index) + (groups[Number(digit)] ?? "");
    if (result.length > max) return undefined;
    done = index + 2;
  }
  return result + text.slice(done);
}

/** Returns the first result that any of some lines has. */
export function findFirst<T, F>(lines: readonly T[], find: (line: T) => F | undefined): F | undefined {
  for (const line of lines) {
    const found = find(line);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Replaces `$1` and similar references in a pattern's target with the matched groups. */
export function substituteGroups(text: string, groups: MatchGroups, oracle: Oracle): string {
  const result = replaceGroups(text, groups);
  if (result !== undefined && result.length <= MAX_VALUE_LENGTH) return result;
  oracle.markUndecidable(unknownFact("long-target", VALUE_LIMIT));
  return text.slice(0, MAX_VALUE_LENGTH);
}

/**
 * Returns the rest of a path after the prefix of an Alias: at a component boundary, with repeated slashes equal to one
 * (mod_alias.c `alias_matches`). Undefined if the path does not have the prefix.
 */
export function stripAliasPrefix(prefix: string, path: string): string | undefined {
  let i = 0;
  let j = 0;
  while (i < prefix.length) {
    if (prefix[i] === "/") {
      if (path[j] !== "/") return undefined;
      while (prefix[i] === "/") i++;
      while (path[j] === "/") j++;
    } else if (path[j++] !== prefix[i++]) return undefined;
  }
  if (prefix.at(-1) !== "/" && j < path.length && path[j] !== "/") return undefined;
  return path.slice(j);
}
