import { parseRewriteWords } from "../../../grammar/arguments.js";
import type { Directive } from "../../config/model/directive.js";
import { type Edit, replaceSpan } from "../../text/edits.js";
import { memoize } from "../../text/memoize.js";

/** A RewriteRule with its preceding RewriteCond lines. */
export interface RewriteRule {
  readonly directive: Directive;
  /** Without the `!` that negates it. */
  readonly pattern: string;
  readonly isNegated: boolean;
  /** The substitution as written, without a `?` at its end; undefined if there is none, as with `-` or F. */
  readonly output: string | undefined;
  readonly conditions: readonly RewriteCondition[];
  readonly flags: RewriteFlags;
}

/** A RewriteCond. */
export interface RewriteCondition {
  readonly directive: Directive;
  /** The tested text, as written; for an expression, the word `expr`, which 2.2 treats as a normal text. */
  readonly input: string;
  readonly test: RewriteConditionTest;
  readonly isNegated: boolean;
  readonly ignoreCase: boolean;
  /** Whether it or the next one must hold. */
  readonly orNext: boolean;
}

/** The flags of a rule that affect the response. */
export interface RewriteFlags {
  /** By their long names, in lower case: `last`, `chain`, `noescape`. */
  readonly names: ReadonlySet<string>;
  /** The status of a redirect, or of the immediate response of F, G or R with a status that is not a redirect. */
  readonly status: number;
  /** Whether it responds immediately. */
  readonly answers: boolean;
  readonly skips: number;
  /** Limit of the restarts of the rules. */
  readonly rounds: number;
  /** Variables to set or, after a `!`, to unset: `NAME:VALUE`. */
  readonly variables: readonly string[];
  /** The handler to set. */
  readonly handler: string | undefined;
  /** The media type to set. */
  readonly type: string | undefined;
  /** The characters of a match that B escapes, and those that it does not; undefined for all special characters. */
  readonly escapes: string | undefined;
  readonly noEscapes: string | undefined;
}

const longNames: Readonly<Record<string, string>> = {
  b: "backrefescaping",
  bnp: "backrefernoplus",
  c: "chain",
  dpi: "discardpath",
  g: "gone",
  f: "forbidden",
  l: "last",
  n: "next",
  nc: "nocase",
  ne: "noescape",
  ns: "nosubreq",
  p: "proxy",
  pt: "passthrough",
  qsa: "qsappend",
  qsd: "qsdiscard",
  qsl: "qslast",
  r: "redirect",
  s: "skip",
  e: "env",
  h: "handler",
};

const redirectWords: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303 };
const MAX_ROUNDS = 32_000;

/**
 * Returns the rules in some lines, each with its preceding conditions (modules/mappers/mod_rewrite.c
 * `cmd_rewriterule`). Several rules read the rules of one scope.
 */
export const parseRewriteRules = memoize((directives: readonly Directive[]): readonly RewriteRule[] => {
  const rules: RewriteRule[] = [];
  let conditions: RewriteCondition[] = [];
  for (const directive of directives) {
    if (directive.key === "rewritecond") {
      const condition = parseCondition(directive);
      if (condition) conditions.push(condition);
    } else if (directive.key === "rewriterule") {
      const rule = parseRule(directive, conditions);
      conditions = [];
      if (rule) rules.push(rule);
    }
  }
  return rules;
});

function parseRule(directive: Directive, conditions: readonly RewriteCondition[]): RewriteRule | undefined {
  const words = parseRewriteWords(directive.argumentText);
  if (words === undefined) return undefined;
  const [pattern, substitution, bracketed] = words;
  const written = substitution.value;
  const { flags, noQuery } = applyQueryFlags(parseFlags(splitFlags(bracketed?.value)), written);
  const isNegated = pattern.value.startsWith("!");
  return {
    directive,
    pattern: isNegated ? pattern.value.slice(1) : pattern.value,
    isNegated,
    output: written === "-" || flags.answers ? undefined : noQuery ? written.replace(/\?$/, "") : written,
    conditions,
    flags,
  };
}

/** Handles a `?` at the end of a substitution, which removes the query unless QSA adds it again. */
function applyQueryFlags(
  flags: RewriteFlags,
  written: string,
): { readonly flags: RewriteFlags; readonly noQuery: boolean } {
  const endsQuery = written.endsWith("?");
  const withName = (name: string) => ({ ...flags, names: new Set([...flags.names, name]) });
  if (endsQuery && flags.names.has("qsappend")) return { flags: withName("qslast"), noQuery: false };
  if (endsQuery) return { flags: withName("qsnone"), noQuery: true };
  if (flags.names.has("qsdiscard") && !written.includes("?")) return { flags: withName("qsnone"), noQuery: false };
  return { flags, noQuery: false };
}

/**
 * Reports whether the target of a rule may be a directory. END does not hold for its index file, which the rules of a directory
 * run for in a subrequest (mod_rewrite.c `hook_fixup` keeps it in the pool of the request; tried with 2.4).
 */
export function mayNameDirectory({ output = "" }: RewriteRule): boolean {
  const [path = ""] = output.split("?");
  return /(?:\/|[$%](?:\d|\{[^}]*\}))$/.test(path) && !/\.\w+\//.test(path);
}

function parseCondition(directive: Directive): RewriteCondition | undefined {
  const words = parseRewriteWords(directive.argumentText);
  if (words === undefined) return undefined;
  const [input, pattern, bracketed] = words;
  const names = new Set(splitFlags(bracketed?.value).map(([name]) => name));
  const isExpression = input.value.toLowerCase() === "expr";
  const { test, isNegated } = parseConditionTest(pattern.value, isExpression);
  return {
    directive,
    input: input.value,
    test,
    isNegated,
    ignoreCase: names.has("nc") || names.has("nocase"),
    orNext: names.has("or") || names.has("ornext"),
  };
}

type Flag = readonly [name: string, value: string];

/** Parses `[L,R=301]` to names in lower case with their values. */
function splitFlags(bracketed: string | undefined): Flag[] {
  if (bracketed === undefined) return [];
  return bracketed
    .slice(1, -1)
    .split(",")
    .map((flag) => {
      const [name = "", ...value] = flag.replace(/^[\t-\r ]+|[\t-\r ]+$/g, "").split("=");
      return [name.toLowerCase(), value.join("=")];
    });
}

function parseFlags(flags: readonly Flag[]): RewriteFlags {
  const names = new Set(flags.map(([name]) => (Object.hasOwn(longNames, name) ? (longNames[name] ?? name) : name)));
  if (names.has("bctls")) names.add("backrefescaping");
  const lastOf = (...wanted: readonly string[]) => flags.findLast(([name]) => wanted.includes(name))?.[1];
  const { status, answers } = statusOf(flags);
  return {
    names,
    status,
    answers,
    skips: parseInteger(lastOf("s", "skip")),
    rounds: lastOf("n", "next") ? parseInteger(lastOf("n", "next")) : MAX_ROUNDS,
    handler: lastOf("h", "handler"),
    type: lastOf("t", "type"),
    variables: flags.filter(([name]) => name === "e" || name === "env").map(([, value]) => value),
    escapes: lastOf("b", "backrefescaping") || undefined,
    noEscapes: lastOf("bne") || undefined,
  };
}

/** Returns the status of the last of F, G and R; one that is not a redirect makes the rule respond immediately. */
function statusOf(flags: readonly Flag[]): Pick<RewriteFlags, "status" | "answers"> {
  let status = 302;
  let answers = false;
  for (const [name, value] of flags) {
    if (name === "f" || name === "forbidden") [status, answers] = [403, true];
    else if (name === "g" || name === "gone") [status, answers] = [410, true];
    else if ((name === "r" || name === "redirect") && value !== "") {
      status = redirectWords[value.toLowerCase()] ?? parseInteger(value);
      if (/^\d/.test(value) && !isRedirectStatus(status)) answers = true;
    }
  }
  return { status, answers };
}

/** Reports whether a status is a redirect (`ap_is_HTTP_REDIRECT`). */
export function isRedirectStatus(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Parses an integer as C's `atoi` does. */
function parseInteger(text = ""): number {
  return Number(/^[\t-\r ]*([+-]?\d+)/.exec(text)?.[1] ?? 0);
}

/** The test that a RewriteCond applies to its text. */
export type RewriteConditionTest =
  | { readonly kind: "pattern"; readonly pattern: string }
  | { readonly kind: "expression"; readonly text: string }
  | { readonly kind: "file" /** The letter of the test: `f`, `d`, `l` … */; readonly test: string }
  | { readonly kind: "text"; readonly operator: "<" | "<=" | ">" | ">=" | "="; readonly operand: string }
  | {
      readonly kind: "number";
      readonly operator: "-lt" | "-le" | "-gt" | "-ge" | "-eq";
      readonly operand: string;
    };

type TextOperator = Extract<RewriteConditionTest, { kind: "text" }>["operator"];
type NumberOperator = Extract<RewriteConditionTest, { kind: "number" }>["operator"];

const textOperators: readonly TextOperator[] = ["<=", ">=", "<", ">", "="];
const numberOperators: readonly NumberOperator[] = ["-lt", "-le", "-gt", "-ge", "-eq"];

/** Returns the kind of a pattern's test, and whether it is negated (mod_rewrite.c `cmd_rewritecond`). */
export function parseConditionTest(
  written: string,
  isExpression: boolean,
): { readonly test: RewriteConditionTest; readonly isNegated: boolean } {
  const isNegated = written.startsWith("!");
  const text = isNegated ? written.slice(1) : written;
  if (isExpression) return { test: { kind: "expression", text }, isNegated };
  // A single character is always a pattern.
  if (text.length < 2) return { test: { kind: "pattern", pattern: text }, isNegated };
  if (/^-[fsdxhLlUF]$/.test(text)) return { test: { kind: "file", test: text.charAt(1) }, isNegated };
  const number = text.length > 3 ? numberOperators.find((operator) => text.startsWith(operator)) : undefined;
  if (number) return { test: { kind: "number", operator: number, operand: text.slice(3) }, isNegated };
  if (text.length > 3 && text.startsWith("-ne"))
    return { test: { kind: "number", operator: "-eq", operand: text.slice(3) }, isNegated: !isNegated };
  const operator = textOperators.find((each) => text.startsWith(each));
  if (operator === undefined) return { test: { kind: "pattern", pattern: text }, isNegated };
  const operand = text.slice(operator.length);
  return { test: { kind: "text", operator, operand: operator === "=" && operand === '""' ? "" : operand }, isNegated };
}

/** Returns an edit that adds a flag to a RewriteRule; undefined if its flags cannot be edited. */
export function addRewriteFlag(directive: Directive, flag: string): Edit | undefined {
  const [, target, flags] = parseRewriteWords(directive.argumentText) ?? [];
  if (target === undefined) return undefined;
  if (flags === undefined) return replaceSpan(directive.spanOf({ start: target.end, end: target.end }), ` [${flag}]`);
  if (!flags.value.startsWith("[")) return undefined;
  const bracket = flags.start + (flags.quote === "none" ? 0 : 1);
  const separator = /^\[\s*\]/.test(flags.value) ? "" : ",";
  return replaceSpan(directive.spanOf({ start: bracket, end: bracket + 1 }), `[${flag}${separator}`);
}
