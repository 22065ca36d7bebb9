import {
  type Argument,
  type Directive,
  leavesOf,
  parsePcre,
  parseRewriteWords,
  type Scope,
} from "../../src/lint/api/configuration.js";
import { createFix, replaceSpan } from "../../src/lint/api/rule.js";
import { type Behaviour, createSharedReport } from "./behaviour.js";
import { behaviourFixTitles, behaviourMessages } from "./messages.js";

/** Values that the server has decoded, or in which clients commonly send blanks. */
const decoded = /%\{(?:REQUEST_URI|REQUEST_FILENAME|SCRIPT_FILENAME|PATH_INFO|HTTP_USER_AGENT)\}/i;

/** Blanks and control characters that a rule copies unescaped into a query string. */
const queries: Behaviour = {
  names: ["rewriterule"],
  check(line, scope) {
    const [pattern, target, flags] = parseRewriteWords(line.argumentText) ?? [];
    if (pattern === undefined || target === undefined) return undefined;
    const { path, query } = partsOf(target.value);
    const flagNames = flagsOf(flags);
    if (isSentAway(path, flagNames) || flagNames.has("f") || flagNames.has("g")) return undefined;
    const isRaw = (text: string) => findRawReference(text, pattern.value, line, scope);
    const taken = isRaw(query);
    const isReference = taken !== undefined && !taken.includes("{");
    if (taken === undefined || (isReference && escapesBlanks(flagNames))) return undefined;
    const isFlagEnough = isReference && isRaw(path) === undefined;
    const log = scope.inHtaccess || !["server", "virtualhost"].includes(scope.place) ? "AH10411" : "AH10410";
    // The flag `B` would escape references in the path, too.
    const byFlag = /[$%]\d/.test(path) ? "queryEscapedByNarrowFlag" : "queryEscapedByFlag";
    const message = behaviourMessages[isFlagEnough ? byFlag : "queryEscapedByMap"](taken, log);
    return {
      severity: "warning",
      ...createSharedReport(`query ${log} ${isFlagEnough ? byFlag : taken}`, message),
      ...createFix(behaviourFixTitles.escape, "unsafe", isFlagEnough ? addFlag(line, target, flags) : undefined),
    };
  },
};

/** Splits a substitution at its first `?`, without escaped characters and map results. */
function partsOf(text: string): { readonly path: string; readonly query: string } {
  const bare = text.replace(/\\./gs, "").replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, "");
  const [path = "", query = ""] = bare.split(/\?(.*)/s);
  return { path, query };
}

const shortNames: Readonly<Record<string, string>> = {
  backrefescaping: "b",
  forbidden: "f",
  gone: "g",
  noescape: "ne",
  proxy: "p",
  redirect: "r",
};

/** Parses flags by their short names in lower case. */
function flagsOf(word: Argument | undefined): ReadonlyMap<string, string> {
  const flags = (word?.value ?? "").replace(/^\[|\]$/g, "").split(",");
  return new Map(
    flags.map((flag) => {
      const [, name = "", value = ""] = /^\s*([^=]*)=?(.*)$/s.exec(flag.trimEnd()) ?? [];
      const key = name.trim().toLowerCase();
      return [shortNames[key] ?? key, value] as const;
    }),
  );
}

/** Returns whether the result is an external redirect, which is escaped as a whole. */
function isSentAway(path: string, flags: ReadonlyMap<string, string>): boolean {
  if (flags.has("p") || flags.has("ne")) return false;
  return flags.has("r") || /^https?:\/\//i.test(path);
}

function escapesBlanks(flags: ReadonlyMap<string, string>): boolean {
  const only = flags.get("b");
  const isEscaped = flags.has("bctls") || (only !== undefined && (only === "" || only.includes(" ")));
  return isEscaped && !flags.get("bne")?.includes(" ");
}

/** Returns the first reference of a text that may insert a blank. */
function findRawReference(text: string, pattern: string, line: Directive, scope: Scope): string | undefined {
  const ofRule = (group: number) => !pattern.startsWith("!") && mayHoldBlank(pattern, group);
  for (const [reference] of text.matchAll(/[$%]\d|%\{\w+\}/g)) {
    const group = Number(reference.slice(1));
    if (reference.startsWith("$") ? ofRule(group) : decoded.test(reference)) return reference;
    if (/^%\d/.test(reference) && mayConditionHoldBlank(group, line, scope, ofRule)) return reference;
  }
  return undefined;
}

/** Returns whether a group of the last condition that has groups may match a blank. */
function mayConditionHoldBlank(
  group: number,
  line: Directive,
  scope: Scope,
  ofRule: (group: number) => boolean,
): boolean {
  const before = scope.directives.slice(0, scope.directives.indexOf(line));
  for (const { key, argumentText } of before.reverse()) {
    if (key !== "rewritecond") return false;
    const [text, pattern] = parseRewriteWords(argumentText) ?? [];
    if (text === undefined || pattern === undefined || /^(?:!|-|[<>=])|^expr$/i.test(pattern.value)) continue;
    const fromRule = [...text.value.matchAll(/\$(\d)/g)].some(([, number]) => ofRule(Number(number)));
    return (fromRule || decoded.test(text.value)) && mayHoldBlank(pattern.value, group);
  }
  return false;
}

function addFlag(line: Directive, target: Argument, flags: Argument | undefined) {
  const at = flags ? line.argumentText.indexOf("[", flags.start) + 1 : target.end;
  return replaceSpan(line.spanOf({ start: at, end: at }), flags ? "BCTLS," : " [BCTLS]");
}

export const rewritingBehaviours: readonly Behaviour[] = [queries];

/** Constructs that complicate counting groups: names, branch resets, and quoted text that may look like groups. */
const uncountableGroups = /\(\?(?:P?<\w|'|\|)|\\Q/;

/** Class content that matches a blank. */
const blankInClass = / |\\(?:[sWDh]|x20)|\[:(?:space|blank|print):\]/;

/** Returns whether the match of a group may contain a blank, as far as can be derived. */
function mayHoldBlank(pattern: string, group: number): boolean {
  if (group > 0 && uncountableGroups.test(pattern)) return false;
  const tree = parsePcre(pattern);
  const captured = group === 0 ? { ...tree, isClosed: true } : tree.groups[group - 1];
  if (!captured?.isClosed) return false;
  for (const { start, end } of leavesOf(captured.branches)) if (takesBlank(pattern.slice(start, end))) return true;
  return false;
}

/** @param source of a character or a class */
function takesBlank(source: string): boolean {
  if (source.startsWith("[")) return source.startsWith("[^") !== blankInClass.test(source);
  return /^(?:[. ]|\\[sWDh ])$/.test(source);
}
