import type { Argument } from "../../grammar/ast.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import { rewriteWords } from "../project/rewrite-words.js";
import { nearest } from "../text/nearest.js";
import { patternFault } from "./patterns.js";
import type { Fault } from "./refusal.js";
import { isStatus } from "./status.js";
import { leadingNumber } from "./values.js";

const space = /[\t-\r ]/;

/** What the server refuses about a RewriteRule line (modules/mappers/mod_rewrite.c `cmd_rewriterule`). */
export function ruleFault(directive: Directive): Fault | undefined {
  const words = rewriteWords(directive.argumentText);
  if (words === undefined) return badLine(directive, "a pattern and a substitution");
  const [pattern, , flags] = words;
  const negation = pattern.value.startsWith("!") ? 1 : 0;
  return (
    (flags && flagsFault(directive, flags, ruleFlagFault)) ??
    patternFault(directive, pattern, "RewriteRule: cannot compile regular expression '%s'", negation)
  );
}

/** What the server refuses about a RewriteCond line (`cmd_rewritecond`). */
export function conditionLineFault(directive: Directive): Fault | undefined {
  const words = rewriteWords(directive.argumentText);
  if (words === undefined) return badLine(directive, "a text and a pattern");
  const [text, pattern, flags] = words;
  const fault = flags && flagsFault(directive, flags, conditionFlagFault);
  if (fault) return fault;
  const negation = pattern.value.startsWith("!") ? 1 : 0;
  if (text.value.toLowerCase() === "expr" || !isRegex(pattern.value.slice(negation))) return undefined;
  return patternFault(directive, pattern, "RewriteCond: cannot compile regular expression '%s'", negation);
}

/** Whether a condition's pattern is no test of a file, no comparison of texts and none of numbers. */
function isRegex(pattern: string): boolean {
  if (pattern.length < 2) return true;
  return !/^(?:-[fsdxhLlUF]$|-(?:l[te]|g[te]|eq|ne).|[<>=])/s.test(pattern);
}

function badLine(directive: Directive, needed: string): Fault {
  const text = directive.argumentText;
  return {
    server: `${directive.name}: bad argument line '${text}'`,
    wrong: `\`${directive.name}\` needs ${needed}`,
    remedy: /^["']/.test(text) ? "close the quotes and add what is missing" : "add what is missing",
    span: directive.span,
  };
}

/** What is wrong with a flag, behind the name of the directive; undefined where it is right. */
type FlagFault = (key: string, value: string) => Pick<Fault, "server" | "wrong" | "remedy"> | undefined;

function flagsFault(directive: Directive, word: Argument, flagFault: FlagFault): Fault | undefined {
  const text = word.value;
  const refuse = (fault: Pick<Fault, "server" | "wrong" | "remedy">, span = directive.spanOf(word)): Fault => ({
    ...fault,
    server: `${directive.name}: ${fault.server}`,
    span,
  });
  if (text.length < 2 || !text.startsWith("[") || !text.endsWith("]")) return refuse(badDelimiters(directive, word));
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

function badDelimiters(directive: Directive, { value, quote, end }: Argument): ReturnType<FlagFault> & object {
  const server = "bad flag delimiters";
  if (!value.startsWith("["))
    return {
      server,
      wrong: `${quoted(value)} are no flags in \`[…]\``,
      remedy: "put flags in brackets, and other words in quotes",
    };
  const isSplit = quote === "none" && directive.argumentText.length > end;
  return {
    server,
    wrong: isSplit
      ? `the flags end at a space, and ${quoted(value)} has no \`]\``
      : `${quoted(value)} has no \`]\` at its end`,
    remedy: isSplit ? "take out the spaces between flags" : "add it",
  };
}

function unknownFlag(key: string, known: readonly string[]): Pick<Fault, "server" | "wrong" | "remedy"> {
  const near = key.length > 1 ? nearest(key, known) : undefined;
  return {
    server: `unknown flag '${key}'`,
    wrong: key === "" ? "there is an empty flag" : `${quoted(key)} is no flag here`,
    remedy: near
      ? `did you mean \`${near}\`?`
      : key === ""
        ? "take out the comma too many"
        : "correct it or take it out",
  };
}

const conditionFlags = "NC nocase OR ornext NV novary".split(" ");

function conditionFlagFault(key: string): ReturnType<FlagFault> {
  return conditionFlags.some((flag) => flag.toLowerCase() === key.toLowerCase())
    ? undefined
    : unknownFlag(key, conditionFlags);
}

const ruleFlags =
  "B backrefescaping BNE BNP backrefernoplus BCTLS C chain CO cookie DPI discardpath E env END F forbidden G gone H handler L last N next NC nocase NE noescape NS nosubreq P proxy PT passthrough QSA qsappend QSD qsdiscard QSL qslast R redirect S skip T type UNC UnsafeAllow3F UnsafePrefixStat".split(
    " ",
  );
const knownRuleFlags = new Set(ruleFlags.map((flag) => flag.toLowerCase()));

function ruleFlagFault(key: string, value: string): ReturnType<FlagFault> {
  const name = key.toLowerCase();
  // Whatever starts with a `d` is taken.
  if (!knownRuleFlags.has(name) && !name.startsWith("d")) return unknownFlag(key, ruleFlags);
  if (name === "bne" && value === "") {
    return {
      server: "flag 'BNE' wants a list of characters (i.e. [BNE=...])",
      wrong: "the flag `BNE` names no characters",
      remedy: "add them: `BNE=…`",
    };
  }
  const isStatusFlag = (name === "r" || name === "redirect") && /^\d/.test(value);
  if (!isStatusFlag || isStatus(leadingNumber(value))) return undefined;
  return {
    server: `invalid HTTP response code '${value}' for flag 'R'`,
    wrong: `the server knows no status ${quoted(value)}`,
    remedy: "write one such as `301` or `302`",
  };
}

/** What the server refuses about RewriteBase (`cmd_rewritebase`). */
export function baseFault(directive: Directive): Fault | undefined {
  const [word] = directive.arguments;
  if (word === undefined || word.value.startsWith("/")) return undefined;
  return {
    server: "RewriteBase: argument is not a valid URL",
    wrong: `${quoted(word.value)} is no path of a URL`,
    remedy: "start it with `/`",
    span: directive.spanOf(word),
  };
}

const rewriteOptions =
  "Inherit InheritBefore InheritDown InheritDownBefore IgnoreInherit AllowNoSlash AllowAnyURI MergeBase IgnoreContextInfo LegacyPrefixDocRoot UnsafePrefixStat LongURLOptimization".split(
    " ",
  );

/** What the server refuses about RewriteOptions (`cmd_rewriteoptions`). */
export function rewriteOptionsFault(directive: Directive): Fault | undefined {
  const strange = directive.arguments.find(
    ({ value }) =>
      !space.test(value) &&
      !/^MaxRedirects=/i.test(value) &&
      !rewriteOptions.some((option) => option.toLowerCase() === value.toLowerCase()),
  );
  if (strange === undefined || strange.value === "") return undefined;
  const near = nearest(strange.value, rewriteOptions);
  return {
    server: `RewriteOptions: unknown option '${strange.value}'`,
    wrong: `${quoted(strange.value)} is no option of rewriting`,
    remedy: strange.value.includes(",")
      ? "put spaces between the words, and no commas"
      : near
        ? `did you mean \`${near}\`?`
        : "correct it or take it out",
    span: directive.spanOf(strange),
  };
}
