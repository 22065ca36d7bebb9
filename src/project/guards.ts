import { parseArguments } from "../../grammar/arguments.js";
import type { Release } from "../directives/directives.js";
import type { Span } from "../text/source.js";

/** The sections that are decided while reading; what they hold is loaded or skipped, they themselves never stay. */
export const guardKinds = ["<ifmodule", "<ifdefine", "<iffile", "<ifdirective", "<ifsection", "<ifversion"] as const;
export type GuardKind = (typeof guardKinds)[number];

/** A guard as it was met while reading. */
export interface Guard {
  readonly kind: GuardKind;
  /** What is asked for, without the `!`: `mod_authz_core.c`, `>= 2.4`. */
  readonly argument: string;
  readonly negated: boolean;
  /** Whether the condition held, so that the content was loaded. */
  readonly holds: boolean;
  /** The opening line. */
  readonly span: Span;
  readonly parent: Guard | undefined;
}

/** The answers that the conditions ask for. */
export interface GuardFacts {
  readonly release: Release;
  /** The server's version as numbers, for IfVersion. */
  readonly version: readonly [number, number, number];
  isModuleLoaded(name: string): boolean;
  isDefined(name: string): boolean;
  fileExists(path: string): boolean;
  directiveExists(name: string): boolean;
}

export type GuardVerdict =
  | { readonly holds: boolean; readonly argument: string; readonly negated: boolean }
  | { readonly refused: string };

/**
 * Decides a guard from its argument text (with the closing `>`), as the server does while reading (server/core.c
 * `start_cond_section`; modules/metadata/mod_version.c). `refused` is the server's message.
 */
export function decideGuard(kind: GuardKind, argumentText: string, facts: GuardFacts): GuardVerdict {
  if (kind === "<ifversion") return decideVersion(argumentText, facts);
  const section = sectionName(kind);
  const close = argumentText.lastIndexOf(">");
  if (close < 0) return { refused: `${section}> directive missing closing '>'` };
  const negated = argumentText.startsWith("!");
  const argument = parseArguments(argumentText.slice(negated ? 1 : 0, close))[0]?.value ?? "";
  if (argument === "") return { refused: `${section}> directive requires additional arguments` };
  return { holds: isTrue(kind, argument, facts) !== negated, argument, negated };
}

function isTrue(kind: Exclude<GuardKind, "<ifversion">, argument: string, facts: GuardFacts): boolean {
  switch (kind) {
    case "<ifmodule":
      return facts.isModuleLoaded(argument);
    case "<ifdefine":
      return facts.isDefined(argument);
    case "<iffile":
      return facts.fileExists(argument);
    case "<ifdirective":
      return facts.directiveExists(argument);
    case "<ifsection":
      return facts.directiveExists(`<${argument}`);
  }
}

/** The section's name as the server's table has it. */
export function sectionName(kind: GuardKind): string {
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

/** `<IfVersion>` takes one to three words, the last of them ending in or being `>`. */
function decideVersion(argumentText: string, facts: GuardFacts): GuardVerdict {
  const words = parseArguments(argumentText).map((word) => word.value);
  if (words.length === 0 || words.length > 3 || words[0] === "") {
    return {
      refused: "<IfVersion takes one, two or three arguments, a comparison operator, a version (and a delimiter)",
    };
  }
  const closing = closeOf(words);
  if (closing === undefined) return { refused: "<IfVersion> directive missing closing '>'" };
  const { operator, version } = closing;
  const negated = operator.startsWith("!");
  const bare = negated && operator.length > 1 ? operator.slice(1) : operator;
  const argument = operator === "=" ? version : `${operator} ${version}`;
  const match = matchVersion(bare, version, facts.version);
  if (typeof match === "string") {
    return { refused: match === "operator" ? `unrecognized operator '${operator}'` : match };
  }
  return { holds: match !== negated, argument, negated };
}

/** Splits operator and version and takes the `>` off; undefined where it is missing. */
function closeOf(words: readonly string[]): { operator: string; version: string } | undefined {
  const [first = "", second, third] = words;
  if (second === undefined) return first.endsWith(">") ? { operator: "=", version: first.slice(0, -1) } : undefined;
  if (third === undefined && second === ">") return { operator: "=", version: first };
  if (third === ">") return { operator: first, version: second };
  return second.endsWith(">") ? { operator: first, version: second.slice(0, -1) } : undefined;
}

const invalidVersion =
  "Version appears to be invalid. It must have the format major[.minor[.patch]] where major, minor and patch are numbers.";

/** Whether the version matches; a text says why the server refuses. */
function matchVersion(operator: string, version: string, actual: readonly [number, number, number]): boolean | string {
  const orEqual = operator.length === 2 && operator[1] === "=" && operator[0] !== "~";
  if (operator.length !== 1 && !orEqual) return "operator";
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
      return "operator";
  }
}

function compareVersion(
  version: string,
  actual: readonly [number, number, number],
  wanted: (order: number) => boolean,
): boolean | string {
  if (!/^\d[\d.]*$/.test(version)) return invalidVersion;
  const parts = version.split(".");
  if (parts.length > 4 || parts[3]) return invalidVersion;
  const numbers = parts.map((part) => Number.parseInt(part, 10) || 0);
  for (const [index, number] of actual.entries()) {
    const order = number - (numbers[index] ?? 0);
    if (order !== 0) return wanted(order);
  }
  return wanted(0);
}

function matchDelimited(version: string, actual: readonly [number, number, number]): boolean | string {
  if (version.length < 2 || !version.endsWith("/")) return "Missing delimiting / of regular expression.";
  return matchPattern(version.slice(1, -1), actual);
}

/** The pattern comes from the configuration; versions are a dozen characters, so it cannot run away on them for long. */
function matchPattern(pattern: string, actual: readonly [number, number, number]): boolean | string {
  try {
    return new RegExp(pattern).test(actual.join("."));
  } catch {
    return "Unable to compile regular expression";
  }
}
