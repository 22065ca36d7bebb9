import type { Directive } from "../../project/directive.js";
import { rewriteWords } from "../../project/rewrite-words.js";
import { type ConditionTest, readTest } from "./condition-tests.js";

/** A RewriteRule with the RewriteCond lines ahead of it. */
export interface Rule {
  readonly directive: Directive;
  /** Without the `!` that negates it. */
  readonly pattern: string;
  readonly isNegated: boolean;
  /** Where it leads to, as written, less a `?` at its end; undefined where it leads nowhere, as with `-` or F. */
  readonly output: string | undefined;
  readonly conditions: readonly RewriteCondition[];
  readonly flags: RuleFlags;
}

/** A RewriteCond. */
export interface RewriteCondition {
  readonly directive: Directive;
  /** What is tested, as written; for an expression, the word `expr`, which 2.2 takes for a text like any other. */
  readonly input: string;
  readonly test: ConditionTest;
  readonly isNegated: boolean;
  readonly ignoreCase: boolean;
  /** Whether it or the next one must hold. */
  readonly orNext: boolean;
}

/** The flags of a rule that have a part in what a request gets. */
export interface RuleFlags {
  /** By their long names, in lower case: `last`, `chain`, `noescape`. */
  readonly names: ReadonlySet<string>;
  /** The status that it answers with where it leads elsewhere or, by F, G or R with no status of a redirect, at once. */
  readonly status: number;
  /** Whether it answers at once. */
  readonly answers: boolean;
  readonly skips: number;
  /** How often the rules may start anew. */
  readonly rounds: number;
  /** What is set or, behind a `!`, unset: `NAME:VALUE`. */
  readonly variables: readonly string[];
  /** The characters that B escapes in what a pattern matched, those that it does not; undefined for all that are special. */
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
const MOST_ROUNDS = 32_000;

/** The rules among some lines, each with the conditions ahead of it (modules/mappers/mod_rewrite.c `cmd_rewriterule`). */
export function rulesIn(directives: readonly Directive[]): readonly Rule[] {
  const rules: Rule[] = [];
  let conditions: RewriteCondition[] = [];
  for (const directive of directives) {
    if (directive.key === "rewritecond") {
      const condition = readCondition(directive);
      if (condition) conditions.push(condition);
    } else if (directive.key === "rewriterule") {
      const rule = readRule(directive, conditions);
      conditions = [];
      if (rule) rules.push(rule);
    }
  }
  return rules;
}

function readRule(directive: Directive, conditions: readonly RewriteCondition[]): Rule | undefined {
  const words = rewriteWords(directive.argumentText);
  if (words === undefined) return undefined;
  const [pattern, substitution, bracketed] = words;
  const written = substitution.value;
  const { flags, noQuery } = withQuery(readFlags(flagsIn(bracketed?.value)), written);
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

/** A `?` at the end of a substitution takes the query away, unless QSA adds it again. */
function withQuery(flags: RuleFlags, written: string): { readonly flags: RuleFlags; readonly noQuery: boolean } {
  const endsQuery = written.endsWith("?");
  const withName = (name: string) => ({ ...flags, names: new Set([...flags.names, name]) });
  if (endsQuery && flags.names.has("qsappend")) return { flags: withName("qslast"), noQuery: false };
  if (endsQuery) return { flags: withName("qsnone"), noQuery: true };
  if (flags.names.has("qsdiscard") && !written.includes("?")) return { flags: withName("qsnone"), noQuery: false };
  return { flags, noQuery: false };
}

function readCondition(directive: Directive): RewriteCondition | undefined {
  const words = rewriteWords(directive.argumentText);
  if (words === undefined) return undefined;
  const [input, pattern, bracketed] = words;
  const names = new Set(flagsIn(bracketed?.value).map(([name]) => name));
  const isExpression = input.value.toLowerCase() === "expr";
  const { test, isNegated } = readTest(pattern.value, isExpression);
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

/** `[L,R=301]` as names in lower case with their values. */
function flagsIn(bracketed: string | undefined): Flag[] {
  if (bracketed === undefined) return [];
  return bracketed
    .slice(1, -1)
    .split(",")
    .map((flag) => {
      const [name = "", ...value] = flag.replace(/^[\t-\r ]+|[\t-\r ]+$/g, "").split("=");
      return [name.toLowerCase(), value.join("=")];
    });
}

function readFlags(flags: readonly Flag[]): RuleFlags {
  const names = new Set(flags.map(([name]) => (Object.hasOwn(longNames, name) ? (longNames[name] ?? name) : name)));
  if (names.has("bctls")) names.add("backrefescaping");
  const lastOf = (...wanted: readonly string[]) => flags.findLast(([name]) => wanted.includes(name))?.[1];
  const { status, answers } = statusOf(flags);
  return {
    names,
    status,
    answers,
    skips: whole(lastOf("s", "skip")),
    rounds: lastOf("n", "next") ? whole(lastOf("n", "next")) : MOST_ROUNDS,
    variables: flags.filter(([name]) => name === "e" || name === "env").map(([, value]) => value),
    escapes: lastOf("b", "backrefescaping") || undefined,
    noEscapes: lastOf("bne") || undefined,
  };
}

/** The last of F, G and R has its status; any that is none of a redirect makes the rule answer at once. */
function statusOf(flags: readonly Flag[]): Pick<RuleFlags, "status" | "answers"> {
  let status = 302;
  let answers = false;
  for (const [name, value] of flags) {
    if (name === "f" || name === "forbidden") [status, answers] = [403, true];
    else if (name === "g" || name === "gone") [status, answers] = [410, true];
    else if ((name === "r" || name === "redirect") && value !== "") {
      status = redirectWords[value.toLowerCase()] ?? whole(value);
      if (/^\d/.test(value) && !isRedirect(status)) answers = true;
    }
  }
  return { status, answers };
}

/** Whether a status leads the client elsewhere (`ap_is_HTTP_REDIRECT`). */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** C's `atoi`. */
function whole(text = ""): number {
  return Number(/^[\t-\r ]*([+-]?\d+)/.exec(text)?.[1] ?? 0);
}
