import { parseRewriteWords } from "../../../grammar/arguments.js";
import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { isSince, type Release, releaseOf } from "../../facts/release.js";
import { isKnownStatus } from "../../facts/status-codes.js";
import { findNewerWord } from "../../facts/versions.js";
import { findClosestWord } from "../../text/closest-word.js";
import type { DirectiveCheck } from "../refusal.js";
import { checkPattern } from "./patterns.js";
import { parseLeadingNumber } from "./values.js";

const space = /[\t-\r ]/;

/** Checks a RewriteRule line as the server does (modules/mappers/mod_rewrite.c `cmd_rewriterule`). */
export const checkRewriteRule: DirectiveCheck = (directive, { project: { release } }) => {
  const words = parseRewriteWords(directive.argumentText);
  if (words === undefined) return checkWordCount(directive, "a pattern and a substitution");
  const [pattern, , flags] = words;
  const flagFault: FlagProblem = (key, value) => checkRuleFlag(key, value, release);
  return (flags && checkFlags(directive, flags, flagFault)) ?? checkRulePattern(directive, pattern);
};

/** Checks a RewriteCond line as the server does (`cmd_rewritecond`). 2.2 has no expressions and fewer tests. */
export const checkRewriteCond: DirectiveCheck = (directive, { project: { release } }) => {
  const words = parseRewriteWords(directive.argumentText);
  if (words === undefined) return checkWordCount(directive, "a test string and a pattern");
  const [text, pattern, flags] = words;
  const fault = flags && checkFlags(directive, flags, checkConditionFlag);
  if (fault) return fault;
  const isNew = isSince(release, "2.4");
  if (isNew && text.value.toLowerCase() === "expr") return undefined;
  return checkConditionPattern(directive, pattern, isNew ? isTest : isTestOf22);
};

function checkRulePattern(directive: Directive, pattern: Argument): Refusal | undefined {
  return checkPattern(directive, pattern, "RewriteRule: cannot compile regular expression '%s'", negationOf(pattern));
}

/** @param isOther whether a text after the `!` is a test and not a regular expression */
function checkConditionPattern(
  directive: Directive,
  pattern: Argument,
  isOther: (text: string) => boolean,
): Refusal | undefined {
  const negation = negationOf(pattern);
  if (isOther(pattern.value.slice(negation))) return undefined;
  return checkPattern(directive, pattern, "RewriteCond: cannot compile regular expression '%s'", negation);
}

/** Returns the length of the `!` before a pattern. */
function negationOf({ value }: Argument): number {
  return value.startsWith("!") ? 1 : 0;
}

/** Reports whether a condition's pattern is a file test, a text comparison or a numeric one. */
function isTest(pattern: string): boolean {
  return pattern.length > 1 && /^(?:-[fsdxhLlUF]$|-(?:l[te]|g[te]|eq|ne).|[<>=])/s.test(pattern);
}

/** Reports whether 2.2 takes a condition's pattern as a file test or a text comparison. */
function isTestOf22(pattern: string): boolean {
  return pattern.length > 1 && /^(?:-[fsldxUF]$|[<>=])/s.test(pattern);
}

function checkWordCount(directive: Directive, needed: string): Refusal {
  const text = directive.argumentText;
  return {
    ...wordingOf("missing-rewrite-argument", directive.name, text, needed, /^["']/.test(text), separateWords(text)),
    span: directive.span,
  };
}

/** Returns two words that were written without a space: `%{HTTPS}!=on`, `^a$b`; undefined if the text does not show where they meet. */
function separateWords(text: string): string | undefined {
  const [, first, second] = /^(%\{[^{}]*\}|\^[^$\s]*\$)([^\s[]\S*)$/.exec(text) ?? [];
  const isTest = first?.startsWith("%") === true ? /^(?:!|\^|=|!?-[a-zA-Z]+$)/.test(second ?? "") : true;
  return first === undefined || second === undefined || !isTest ? undefined : `${first} ${second}`;
}

/** Returns the fault in a flag, as text to follow the directive's name; undefined if the flag is valid. */
type FlagProblem = (key: string, value: string) => RefusalText | undefined;

function checkFlags(directive: Directive, word: Argument, flagFault: FlagProblem): Refusal | undefined {
  const text = word.value;
  const refuse = (fault: RefusalText, span = directive.spanOf(word)): Refusal => ({
    ...fault,
    server: `${directive.name}: ${fault.server}`,
    span,
  });
  if (text.length < 2 || !text.startsWith("[") || !text.endsWith("]"))
    return refuse(checkFlagDelimiters(directive, word, flagFault));
  let at = 1;
  for (const flag of text.slice(1, -1).split(",")) {
    const trimmed = flag.replace(/^[\t-\r ]+|[\t-\r ]+$/g, "");
    const [, key = "", value = ""] = /^([^=]*)=?([\s\S]*)/.exec(trimmed) ?? [];
    const fault = flagFault(key, value);
    const start = word.start + (word.quote === "none" ? 0 : 1) + at + flag.indexOf(trimmed);
    const isEmpty = trimmed === "";
    if (fault) return refuse(fault, directive.spanOf(isEmpty ? word : { start, end: start + trimmed.length }));
    at += flag.length + 1;
  }
  return undefined;
}

function checkFlagDelimiters(
  directive: Directive,
  { value, quote, start, end }: Argument,
  flagFault: FlagProblem,
): RefusalText {
  if (!value.startsWith("[")) return wordingOf("rewrite-flags-without-brackets", value);
  if (/^\[[^\]]*\]#/.test(value))
    return { ...wordingOf("comment-after-directive"), facts: [], server: "bad flag delimiters" };
  const isSplit = quote === "none" && directive.argumentText.length > end;
  const joined = isSplit ? joinFlags(directive.argumentText.slice(start), flagFault) : undefined;
  return wordingOf("unclosed-rewrite-flags", isSplit, value, joined);
}

/** Returns flags that are separated by spaces with commas instead: `[L,QSA]` for `[L QSA]`; undefined if a space may belong to a value. */
function joinFlags(text: string, flagFault: FlagProblem): string | undefined {
  const inside = /^\[([^[\]]*)\]/.exec(text)?.[1]?.trim();
  if (inside === undefined || !/[^,\s]\s+[^,\s]/.test(inside)) return undefined;
  const flags = inside.split(/\s*,\s*|\s+/);
  const areFlags = flags.every((flag) => {
    const [, key = "", value = ""] = /^([^=]*)=?(.*)/.exec(flag) ?? [];
    return (value === "" || /^r(?:edirect)?$/i.test(key)) && flagFault(key, value) === undefined;
  });
  return areFlags ? `[${flags.join(",")}]` : undefined;
}

/** Flags that do nothing useful without a value. */
const flagsWithValue = ["BNE", "CO", "E", "H", "S", "T"];

/**
 * Returns the fewest flags in capital letters that a word without commas consists of, with the commas: `R,L` for `RL`;
 * undefined if there are none. `N` starts the rules again, which a typo must not lead to.
 */
function splitFlags(key: string, known: readonly string[]): string | undefined {
  const parts = known.filter((flag) => /^[A-Z]+$/.test(flag) && flag !== "N" && !flagsWithValue.includes(flag));
  // The fewest flags up to each place in the word.
  const splits: (readonly string[] | undefined)[] = [[]];
  for (let end = 1; end <= key.length; end++) {
    const found = parts.flatMap((flag) => {
      const before = key.endsWith(flag, end) ? splits[end - flag.length] : undefined;
      return before === undefined || before.includes(flag) ? [] : [[...before, flag]];
    });
    splits[end] = found.sort((one, other) => one.length - other.length)[0];
  }
  return splits[key.length]?.join(",");
}

/** Returns the known flag of a word with a letter twice: `NC` for `NCC`. */
function findDoubled(key: string, known: readonly string[]): string | undefined {
  const letters = [...key.toLowerCase()];
  const shorter = letters.flatMap((letter, at) =>
    letter === letters[at - 1] ? [letters.toSpliced(at, 1).join("")] : [],
  );
  return known.find((flag) => shorter.includes(flag.toLowerCase()));
}

function unknownFlag(key: string, value: string, known: readonly string[]): RefusalText {
  const split = splitFlags(key, known);
  const near =
    key.length < 2
      ? undefined
      : (findDoubled(key, known) ??
        (split === undefined ? findClosestWord(key, known) : `${split}${value === "" ? "" : `=${value}`}`));
  return wordingOf("unknown-rewrite-flag", key, near);
}

function hasWord(words: readonly string[], word: string): boolean {
  return words.some((each) => each.toLowerCase() === word.toLowerCase());
}

/** Describes a word that 2.4 knows, in a release that does not. @param directive in lower case */
function wordOf24(directive: string, word: string, release: Release): RefusalText {
  return wordingOf(
    "word-of-later-version",
    word,
    findNewerWord(directive, word, releaseOf([2, 4, 0])) ?? "2.4",
    release,
  );
}

const conditionFlags = "NC nocase OR ornext NV novary".split(" ");

function checkConditionFlag(key: string, value: string): RefusalText | undefined {
  return hasWord(conditionFlags, key) ? undefined : unknownFlag(key, value, conditionFlags);
}

const ruleFlags =
  "B backrefescaping BNE BNP backrefernoplus BCTLS C chain CO cookie DPI discardpath E env END F forbidden G gone H handler L last N next NC nocase NE noescape NS nosubreq P proxy PT passthrough QSA qsappend QSD qsdiscard QSL qslast R redirect S skip T type UNC UnsafeAllow3F UnsafePrefixStat".split(
    " ",
  );
const ruleFlagsOf22 =
  "B backrefescaping C chain CO cookie DPI discardpath E env F forbidden G gone H handler L last N next NC nocase NE noescape NS nosubreq P proxy PT passthrough QSA qsappend R redirect S skip T type".split(
    " ",
  );

function checkRuleFlag(key: string, value: string, release: Release): RefusalText | undefined {
  const name = key.toLowerCase();
  const known = isSince(release, "2.4") ? ruleFlags : ruleFlagsOf22;
  // Anything that starts with a `d` is accepted.
  if (!name.startsWith("d") && !hasWord(known, key))
    return hasWord(ruleFlags, key)
      ? { ...wordOf24("rewriterule", key, release), server: `unknown flag '${key}'` }
      : unknownFlag(key, value, known);
  if (name === "bne" && value === "") {
    return wordingOf("missing-rewrite-flag-value");
  }
  const isStatusFlag = (name === "r" || name === "redirect") && /^\d/.test(value);
  if (!isStatusFlag || isKnownStatus(parseLeadingNumber(value), release)) return undefined;
  return wordingOf("unknown-rewrite-status", value);
}

const rewriteOptions =
  "Inherit InheritBefore InheritDown InheritDownBefore IgnoreInherit AllowNoSlash AllowAnyURI MergeBase IgnoreContextInfo LegacyPrefixDocRoot UnsafePrefixStat LongURLOptimization".split(
    " ",
  );

const rewriteOptionsOf22 = ["Inherit", "AllowAnyURI", "MergeBase"];

/** Checks RewriteOptions as the server does (`cmd_rewriteoptions`). */
export const checkRewriteOptions: DirectiveCheck = (directive, { project: { release } }) => {
  const known = isSince(release, "2.4") ? rewriteOptions : rewriteOptionsOf22;
  const unknown = directive.arguments.find(
    ({ value }) => !space.test(value) && !/^MaxRedirects=/i.test(value) && !hasWord(known, value),
  );
  if (unknown === undefined || unknown.value === "") return undefined;
  if (hasWord(rewriteOptions, unknown.value)) {
    const server = `RewriteOptions: unknown option '${unknown.value}'`;
    return { ...wordOf24("rewriteoptions", unknown.value, release), server, span: directive.spanOf(unknown) };
  }
  const near = findClosestWord(unknown.value, known);
  return {
    ...wordingOf("unknown-rewrite-option", unknown.value, unknown.value.includes(","), near),
    span: directive.spanOf(unknown),
  };
};

const internalMapFunctions = ["toupper", "tolower", "escape", "unescape"];

/** Checks RewriteMap as mod_rewrite does (`cmd_rewritemap`); map files are not checked. */
export function checkRewriteMap(directive: Directive, { modules, modulesAreKnown }: Project): Refusal | undefined {
  const [, source] = directive.arguments;
  if (source === undefined) return undefined;
  const { value } = source;
  const span = directive.spanOf(source);
  if (/^int:/i.test(value) && !internalMapFunctions.includes(value.slice(4))) {
    const name = value.slice(4);
    const near = findClosestWord(name, internalMapFunctions);
    return { ...wordingOf("unknown-map-function", name, near), span };
  }
  if (/^dbm(?!:|=[\s\S]*:)/i.test(value)) {
    return { ...wordingOf("missing-map-path", value), span };
  }
  if (!/^(?:fast)?dbd:/i.test(value) || !modulesAreKnown || modules.has("dbd_module")) return undefined;
  return { ...wordingOf("map-module-not-loaded", value), span };
}
