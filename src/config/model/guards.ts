import { RE2JS } from "re2js";
import { parseArguments } from "../../../grammar/arguments.js";
import type { Release, Version } from "../../facts/release.js";
import { findPatternError } from "../../regex/pcre/compile-error.js";
import { searchPcre } from "../../regex/pcre/matcher.js";
import { compilePcre } from "../../regex/pcre/program.js";
import type { Result } from "../../text/result.js";
import type { Span } from "../../text/source.js";
import type { FileFailure } from "../files/file-access.js";
import { type RefusalText, wordingOf } from "../refusals/refusal.js";
import type { Directive } from "./directive.js";
import { findPlaceholder } from "./placeholders.js";
import { findUndefinedVariable } from "./variables.js";

/**
 * The conditional sections. They are evaluated while reading: their content is loaded or skipped, and they are not part
 * of the result.
 */
export const guardKinds = ["<ifmodule", "<ifdefine", "<iffile", "<ifdirective", "<ifsection", "<ifversion"] as const;
export type GuardKind = (typeof guardKinds)[number];

/** A conditional section as evaluated while reading. */
export interface Guard {
  readonly kind: GuardKind;
  /** The condition, without the `!`: `mod_authz_core.c`, `>= 2.4`. */
  readonly argument: string;
  readonly negated: boolean;
  /** The text after the condition that is not read; absent if there is none. */
  readonly unread?: string;
  /** Whether the condition held, so that the content was loaded. */
  readonly holds: boolean;
  /** Whether the condition depends on a variable or placeholder without a value, or on a file that is not within reach. */
  readonly isUndecided?: true;
  /** Whether it depends on such a file, whose path is the argument. */
  readonly dependsOnFile?: true;
  /** The span of the opening line. */
  readonly span: Span;
  readonly parent: Guard | undefined;
  /** The innermost section around it; undefined at the top of a file. */
  readonly section: Directive | undefined;
}

/**
 * Decides the condition of a template on the version of httpd, such as `apache_version == "2.4"` or `$version >= '2.4.8'`.
 * Undefined for any other condition.
 */
export function decideTemplateCondition(condition: string, version: Version): boolean | undefined {
  const [named, ...others] = condition.match(/(?<![\d.])2\.[024](?:\.\d+)?(?![\d.])/g) ?? [];
  const operator = /[<>]=?|==/.exec(condition)?.[0];
  const isAboutVersion = /version|apache|httpd/i.test(condition) && !/\b(?:and|or)\b|&&|\|\|/i.test(condition);
  if (named === undefined || operator === undefined || others.length > 0 || !isAboutVersion) return undefined;
  let order = 0;
  for (const [index, part] of named.split(".").entries()) order ||= (version[index] ?? 0) - Number(part);
  return (order === 0 && operator.includes("=")) || (operator.startsWith(order < 0 ? "<" : ">") && order !== 0);
}

/** The facts that conditions depend on. */
export interface GuardFacts {
  readonly release: Release;
  /** For IfVersion. */
  readonly version: Version;
  isModuleLoaded(name: string): boolean;
  isDefined(name: string): boolean;
  /** Returns the undefined variable that the condition on a name depends on, as written. */
  undecidedBy(kind: GuardKind, name: string): string | undefined;
  /** Returns whether a file exists, or the reason why that is unknown. */
  fileExists(path: string): Result<boolean, FileFailure>;
  directiveExists(name: string): boolean;
}

export type GuardDecision =
  | { readonly ok: true; readonly value: Pick<Guard, "holds" | "argument" | "negated" | "unread"> }
  /** @property file whether a file exists is not known, and decides */
  | { readonly ok: false; readonly error: RefusalText; readonly file?: Pick<Guard, "argument" | "negated"> };

/**
 * Evaluates a conditional section from its argument text (with the closing `>`), as the server does while reading
 * (server/core.c `start_cond_section`; modules/metadata/mod_version.c).
 */
export function decideGuard(kind: GuardKind, argumentText: string, facts: GuardFacts): GuardDecision {
  const variable = findUndefinedVariable(argumentText);
  if (variable !== undefined)
    return {
      ok: false,
      error: wordingOf("condition-depends-on-variable", `${sectionNameOf(kind)} ${argumentText}`, variable),
    };
  if (kind === "<ifversion") return decideVersion(argumentText, facts);
  const close = argumentText.lastIndexOf(">");
  if (close < 0) return { ok: false, error: wordingOf("missing-bracket", sectionNameOf(kind)) };
  const negated = argumentText.startsWith("!");
  const question = argumentText.slice(negated ? 1 : 0, close);
  const [word, next] = parseArguments(question);
  const argument = word?.value ?? "";
  if (argument === "") return { ok: false, error: describeMissingArgument(kind) };
  const naming = facts.undecidedBy(kind, argument);
  if (naming !== undefined)
    return {
      ok: false,
      error: wordingOf(
        findPlaceholder(naming) === undefined ? "condition-depends-on-variable" : "condition-depends-on-placeholder",
        `${sectionNameOf(kind)} ${argumentText}`,
        naming,
      ),
    };
  const unread = next === undefined ? {} : { unread: question.slice(next.start).trimEnd() };
  const answer = isTrue(kind, argument, facts);
  return answer.ok
    ? { ok: true, value: { holds: answer.value !== negated, argument, negated, ...unread } }
    : {
        ok: false,
        error: wordingOf("undecided-file", argument, answer.error.message, answer.error.remedy),
        file: { argument, negated },
      };
}

function describeMissingArgument(kind: Exclude<GuardKind, "<ifversion">): RefusalText {
  const section = sectionNameOf(kind);
  const examples = {
    "<ifmodule": "mod_alias.c",
    "<ifdefine": "NAME",
    "<iffile": "conf/local.conf",
    "<ifdirective": "Require",
    "<ifsection": "Macro",
  };
  return wordingOf("missing-condition", section, examples[kind]);
}

function isTrue(
  kind: Exclude<GuardKind, "<ifversion">,
  argument: string,
  facts: GuardFacts,
): Result<boolean, FileFailure> {
  switch (kind) {
    case "<ifmodule":
      return { ok: true, value: facts.isModuleLoaded(argument) };
    case "<ifdefine":
      return { ok: true, value: facts.isDefined(argument) };
    case "<iffile":
      return facts.fileExists(argument);
    case "<ifdirective":
      return { ok: true, value: facts.directiveExists(argument) };
    case "<ifsection":
      return { ok: true, value: facts.directiveExists(`<${argument}`) };
  }
}

/** Returns the argument text of a conditional section as written, with the closing `>`. */
export function conditionTextOf({ span: { file, start, end } }: Guard): string {
  return file.text.slice(start, end).replace(/^\S+\s*/, "");
}

/** Returns the section's name as in the server's table. */
export function sectionNameOf(kind: GuardKind): string {
  const names: Record<GuardKind, string> = {
    "<ifmodule": "<IfModule",
    "<ifdefine": "<IfDefine",
    "<iffile": "<IfFile",
    "<ifdirective": "<IfDirective",
    "<ifsection": "<IfSection",
    "<ifversion": "<IfVersion",
  };
  return names[kind];
}

/** Evaluates `<IfVersion>`, which takes one to three words; the last one ends in or equals `>`. */
export function decideVersion(argumentText: string, facts: Pick<GuardFacts, "version">): GuardDecision {
  const words = parseArguments(argumentText).map((word) => word.value);
  if (words.length === 0 || words.length > 3 || words[0] === "") {
    return {
      ok: false,
      error: wordingOf("missing-version"),
    };
  }
  const closing = splitVersionTest(words);
  if (closing === undefined) return { ok: false, error: wordingOf("missing-bracket", "<IfVersion") };
  const { operator, version } = closing;
  const negated = operator.startsWith("!");
  const bare = negated && operator.length > 1 ? operator.slice(1) : operator;
  const argument = operator === "=" ? version : `${operator} ${version}`;
  const match = matchVersion(bare, version, facts.version);
  if (match === "no operator") return { ok: false, error: wordingOf("unknown-version-operator", operator) };
  return typeof match === "boolean"
    ? { ok: true, value: { holds: match !== negated, argument, negated } }
    : { ok: false, error: match };
}

/** Splits operator and version and removes the `>`; undefined if it is missing. */
function splitVersionTest(words: readonly string[]): { operator: string; version: string } | undefined {
  const [first = "", second, third] = words;
  if (second === undefined) return first.endsWith(">") ? { operator: "=", version: first.slice(0, -1) } : undefined;
  if (third === undefined && second === ">") return { operator: "=", version: first };
  if (second !== "" && third === ">") return { operator: first, version: second };
  return second.endsWith(">") ? { operator: first, version: second.slice(0, -1) } : undefined;
}

/** Returns whether the version matches, or the reason why that is unknown. */
function matchVersion(operator: string, version: string, actual: Version): boolean | RefusalText | "no operator" {
  const orEqual = operator.length === 2 && operator[1] === "=" && operator[0] !== "~";
  if (operator.length !== 1 && !orEqual) return "no operator";
  switch (operator[0]) {
    case "=":
      return version.startsWith("/")
        ? matchDelimited(version, actual)
        : compareVersion(version, actual, (order) => order === 0);
    case "~":
      return matchPattern(version, actual);
    case "<":
      return compareVersion(version, actual, (order) => order < 0 || (orEqual && order === 0));
    case ">":
      return compareVersion(version, actual, (order) => order > 0 || (orEqual && order === 0));
    default:
      return "no operator";
  }
}

function compareVersion(version: string, actual: Version, wanted: (order: number) => boolean): boolean | RefusalText {
  const parts = version.split(".");
  if (!/^\d[\d.]*$/.test(version) || parts.length > 4 || parts[3]) {
    return wordingOf("invalid-version", version);
  }
  const numbers = parts.map((part) => Number.parseInt(part, 10) || 0);
  for (const [index, number] of actual.entries()) {
    const order = number - (numbers[index] ?? 0);
    if (order !== 0) return wanted(order);
  }
  return wanted(0);
}

function matchDelimited(version: string, actual: Version): boolean | RefusalText {
  if (version.length >= 2 && version.endsWith("/")) return matchPattern(version.slice(1, -1), actual);
  return wordingOf("unclosed-version-pattern", version);
}

/** The most steps to search a version: PCRE stops after ten million, and counts fewer of them for the same search. */
const MAX_MATCH_STEPS = 2_000_000;

/**
 * Returns whether a pattern is found in the version, as PCRE does. The linear matcher decides what takes too long, or
 * has a construct that only it supports.
 */
function matchPattern(pattern: string, actual: Version): boolean | RefusalText {
  if (findPatternError(pattern) !== undefined) {
    return wordingOf("invalid-version-pattern", pattern);
  }
  const version = actual.join(".");
  const compiled = compilePcre(pattern);
  const found = compiled.kind === "program" ? searchPcre(compiled.program, version, MAX_MATCH_STEPS) : undefined;
  if (found?.isStopped === false) return found.groups !== undefined;
  try {
    return RE2JS.compile(pattern).matcher(version).find();
  } catch {
    const reason = compiled.kind === "unsupported" ? `it has ${compiled.construct}` : "the search takes too long";
    return wordingOf("undecided-pattern", pattern, reason);
  }
}
