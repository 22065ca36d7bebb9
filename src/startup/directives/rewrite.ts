import { parseRewriteWords } from "../../../grammar/arguments.js";
import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { findClosestWord } from "../../text/closest-word.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";
import { checkPattern } from "./patterns.js";
import { isKnownStatus } from "./server.js";
import { parseLeadingNumber, trailingComment } from "./values.js";

const space = /[\t-\r ]/;

/** Checks a RewriteRule line as the server does (modules/mappers/mod_rewrite.c `cmd_rewriterule`). */
export function checkRewriteRule(directive: Directive): CheckFailure | undefined {
  const words = parseRewriteWords(directive.argumentText);
  if (words === undefined) return checkWordCount(directive, "a pattern and a substitution");
  const [pattern, , flags] = words;
  const negation = pattern.value.startsWith("!") ? 1 : 0;
  return (
    (flags && checkFlags(directive, flags, checkRuleFlag)) ??
    checkPattern(directive, pattern, "RewriteRule: cannot compile regular expression '%s'", negation)
  );
}

/** Checks a RewriteCond line as the server does (`cmd_rewritecond`). */
export function checkRewriteCond(directive: Directive): CheckFailure | undefined {
  const words = parseRewriteWords(directive.argumentText);
  if (words === undefined) return checkWordCount(directive, "a test string and a pattern");
  const [text, pattern, flags] = words;
  const fault = flags && checkFlags(directive, flags, checkConditionFlag);
  if (fault) return fault;
  const negation = pattern.value.startsWith("!") ? 1 : 0;
  if (text.value.toLowerCase() === "expr" || !isRegex(pattern.value.slice(negation))) return undefined;
  return checkPattern(directive, pattern, "RewriteCond: cannot compile regular expression '%s'", negation);
}

/**
 * Reports whether a condition's pattern is a regular expression: not a file test, a text comparison or a numeric one.
 */
function isRegex(pattern: string): boolean {
  if (pattern.length < 2) return true;
  return !/^(?:-[fsdxhLlUF]$|-(?:l[te]|g[te]|eq|ne).|[<>=])/s.test(pattern);
}

function checkWordCount(directive: Directive, needed: string): CheckFailure {
  const text = directive.argumentText;
  return {
    server: `${directive.name}: bad argument line '${text}'`,
    wrong: `\`${directive.name}\` needs ${needed}`,
    remedy: /^["']/.test(text) ? "close the quotes and add the missing argument" : "add the missing argument",
    span: directive.span,
  };
}

/** Returns the fault in a flag, as text to follow the directive's name; undefined if the flag is valid. */
type FlagProblem = (key: string, value: string) => Pick<CheckFailure, "server" | "wrong" | "remedy"> | undefined;

function checkFlags(directive: Directive, word: Argument, flagFault: FlagProblem): CheckFailure | undefined {
  const text = word.value;
  const refuse = (
    fault: Pick<CheckFailure, "server" | "wrong" | "remedy">,
    span = directive.spanOf(word),
  ): CheckFailure => ({
    ...fault,
    server: `${directive.name}: ${fault.server}`,
    span,
  });
  if (text.length < 2 || !text.startsWith("[") || !text.endsWith("]"))
    return refuse(checkFlagDelimiters(directive, word));
  let at = 1;
  for (const flag of text.slice(1, -1).split(",")) {
    const trimmed = flag.replace(/^[\t-\r ]+|[\t-\r ]+$/g, "");
    const [, key = "", value = ""] = /^([^=]*)=?([\s\S]*)$/.exec(trimmed) ?? [];
    const fault = flagFault(key, value);
    const start = word.start + (word.quote === "none" ? 0 : 1) + at + flag.indexOf(trimmed);
    const isEmpty = trimmed === "";
    if (fault) return refuse(fault, directive.spanOf(isEmpty ? word : { start, end: start + trimmed.length }));
    at += flag.length + 1;
  }
  return undefined;
}

function checkFlagDelimiters(directive: Directive, { value, quote, end }: Argument): ReturnType<FlagProblem> & object {
  const server = "bad flag delimiters";
  if (!value.startsWith("["))
    return {
      server,
      wrong: `flags ${quoteText(value)} are not in brackets`,
      remedy: "put flags in brackets, and arguments with spaces in quotes",
    };
  if (/^\[[^\]]*\]#/.test(value)) return { server, wrong: trailingComment.wrong, remedy: trailingComment.remedy };
  const isSplit = quote === "none" && directive.argumentText.length > end;
  return {
    server,
    wrong: isSplit
      ? `the flags end at a space: ${quoteText(value)} has no \`]\``
      : `missing \`]\` at the end of ${quoteText(value)}`,
    remedy: isSplit ? "delete the spaces between flags" : "add the `]`",
  };
}

function unknownFlag(key: string, known: readonly string[]): Pick<CheckFailure, "server" | "wrong" | "remedy"> {
  const near = key.length > 1 ? findClosestWord(key, known) : undefined;
  return {
    server: `unknown flag '${key}'`,
    wrong: key === "" ? "empty flag" : `unknown flag ${quoteText(key)}`,
    remedy: near ? `did you mean \`${near}\`?` : key === "" ? "delete the surplus comma" : "correct it, or delete it",
  };
}

const conditionFlags = "NC nocase OR ornext NV novary".split(" ");

function checkConditionFlag(key: string): ReturnType<FlagProblem> {
  return conditionFlags.some((flag) => flag.toLowerCase() === key.toLowerCase())
    ? undefined
    : unknownFlag(key, conditionFlags);
}

const ruleFlags =
  "B backrefescaping BNE BNP backrefernoplus BCTLS C chain CO cookie DPI discardpath E env END F forbidden G gone H handler L last N next NC nocase NE noescape NS nosubreq P proxy PT passthrough QSA qsappend QSD qsdiscard QSL qslast R redirect S skip T type UNC UnsafeAllow3F UnsafePrefixStat".split(
    " ",
  );
const knownRuleFlags = new Set(ruleFlags.map((flag) => flag.toLowerCase()));

function checkRuleFlag(key: string, value: string): ReturnType<FlagProblem> {
  const name = key.toLowerCase();
  // Anything that starts with a `d` is accepted.
  if (!knownRuleFlags.has(name) && !name.startsWith("d")) return unknownFlag(key, ruleFlags);
  if (name === "bne" && value === "") {
    return {
      server: "flag 'BNE' wants a list of characters (i.e. [BNE=...])",
      wrong: "the flag `BNE` needs a list of characters",
      remedy: "add the characters: `BNE=…`",
    };
  }
  const isStatusFlag = (name === "r" || name === "redirect") && /^\d/.test(value);
  if (!isStatusFlag || isKnownStatus(parseLeadingNumber(value))) return undefined;
  return {
    server: `invalid HTTP response code '${value}' for flag 'R'`,
    wrong: `unknown status ${quoteText(value)}`,
    remedy: "use a status such as `301` or `302`",
  };
}

/** Checks RewriteBase as the server does (`cmd_rewritebase`). */
export function checkRewriteBase(directive: Directive): CheckFailure | undefined {
  const [word] = directive.arguments;
  if (word === undefined || word.value.startsWith("/")) return undefined;
  return {
    server: "RewriteBase: argument is not a valid URL",
    wrong: `${quoteText(word.value)} is not a URL path`,
    remedy: "start it with `/`",
    span: directive.spanOf(word),
  };
}

const rewriteOptions =
  "Inherit InheritBefore InheritDown InheritDownBefore IgnoreInherit AllowNoSlash AllowAnyURI MergeBase IgnoreContextInfo LegacyPrefixDocRoot UnsafePrefixStat LongURLOptimization".split(
    " ",
  );

/** Checks RewriteOptions as the server does (`cmd_rewriteoptions`). */
export function checkRewriteOptions(directive: Directive): CheckFailure | undefined {
  const unknown = directive.arguments.find(
    ({ value }) =>
      !space.test(value) &&
      !/^MaxRedirects=/i.test(value) &&
      !rewriteOptions.some((option) => option.toLowerCase() === value.toLowerCase()),
  );
  if (unknown === undefined || unknown.value === "") return undefined;
  const near = findClosestWord(unknown.value, rewriteOptions);
  return {
    server: `RewriteOptions: unknown option '${unknown.value}'`,
    wrong: `unknown rewrite option ${quoteText(unknown.value)}`,
    remedy: unknown.value.includes(",")
      ? "use spaces instead of commas"
      : near
        ? `did you mean \`${near}\`?`
        : "correct it, or delete it",
    span: directive.spanOf(unknown),
  };
}

const internalMapFunctions = ["toupper", "tolower", "escape", "unescape"];

/** Checks RewriteMap as mod_rewrite does (`cmd_rewritemap`); map files are not checked. */
export function checkRewriteMap(directive: Directive, { modules, modulesAreKnown }: Project): CheckFailure | undefined {
  const [, source] = directive.arguments;
  if (source === undefined) return undefined;
  const { value } = source;
  const span = directive.spanOf(source);
  if (/^int:/i.test(value) && !internalMapFunctions.includes(value.slice(4))) {
    const name = value.slice(4);
    const near = findClosestWord(name, internalMapFunctions);
    return {
      server: `RewriteMap: internal map not found:${name}`,
      wrong: `unknown internal map function ${quoteText(name)}`,
      remedy: near
        ? `use \`int:${near}\`: names are case-sensitive`
        : "use `toupper`, `tolower`, `escape` or `unescape`",
      span,
    };
  }
  if (/^dbm(?!:|=[\s\S]*:)/i.test(value)) {
    return {
      server: `RewriteMap: bad map:${value}`,
      wrong: `missing path of the map in ${quoteText(value)}`,
      remedy: "use `dbm:` or `dbm=type:`, followed by the path",
      span,
    };
  }
  if (!/^(?:fast)?dbd:/i.test(value) || !modulesAreKnown || modules.has("dbd_module")) return undefined;
  return {
    server: "RewriteMap types dbd and fastdbd require mod_dbd!",
    wrong: `${quoteText(value)} needs \`dbd_module\`, which is not loaded`,
    remedy: "load `dbd_module`",
    missing: "dbd_module",
    span,
  };
}
