/**
 * Patterns for paths as in `.gitignore` (gitignore(5); git: dir.c, wildmatch.c). Files with patterns may come from anyone: the
 * time of a match is bounded by the product of the lengths of pattern and path.
 */
import { compileNameWildcard, matchesSequence, splitPathWildcard } from "./wildcards.js";

/** A pattern, and its place among the others. */
export interface PathPattern {
  /** From 1. */
  readonly number: number;
  /** Whether it includes again what an earlier pattern excludes. */
  readonly isNegated: boolean;
  /** @param names the names in a path, relative to the folder of the patterns */
  readonly matches: (names: readonly string[], isFolder: boolean) => boolean;
}

/** Parses the bytes of a file of patterns, with one in each line. The number of a pattern is its line. */
export function parsePatternFile(text: string): readonly PathPattern[] {
  return text
    .replace(/^\xef\xbb\xbf/, "")
    .split("\n")
    .flatMap((line, index) => (line.startsWith("#") ? [] : parsePattern(trimLine(line), index + 1)));
}

/** Parses a list of patterns, which may have braces: `*.{bak,old}`. The number of a pattern is its place in the list. */
export function parsePatternList(patterns: readonly string[]): readonly PathPattern[] {
  return patterns.flatMap((written, index) =>
    expandBraces(written).flatMap((pattern) => parsePattern(pattern.replace(/^(!?)\.\//, "$1/"), index + 1)),
  );
}

/** Returns the last pattern that matches a path: it decides. */
export function findDecidingPattern(
  patterns: readonly PathPattern[],
  names: readonly string[],
  isFolder: boolean,
): PathPattern | undefined {
  return patterns.findLast(({ matches }) => matches(names, isFolder));
}

/** Removes what Git removes: a carriage return, and blanks at the end that are not escaped. */
function trimLine(line: string): string {
  return line.replace(/\r$/, "").replace(/(^|[^\\ ])((?:\\.)*) +$/s, "$1$2");
}

/** A longer pattern than the longest path of Linux matches nothing. */
const MAX_LENGTH = 4096;

function parsePattern(written: string, number: number): readonly PathPattern[] {
  const isNegated = written.startsWith("!");
  const pattern = written.slice(isNegated ? 1 : 0);
  const isForFolders = pattern.endsWith("/");
  const path = isForFolders ? pattern.slice(0, -1) : pattern;
  if (path === "" || path === "/" || path.length > MAX_LENGTH) return [];
  const matchesPath = path.includes("/") ? compilePath(path.replace(/^\//, "")) : matchLastName(path);
  return [{ number, isNegated, matches: (names, isFolder) => (isFolder || !isForFolders) && matchesPath(names) }];
}

type NamesMatcher = (names: readonly string[]) => boolean;

function matchLastName(pattern: string): NamesMatcher {
  const matches = compileName(pattern);
  return (names) => matches(names.at(-1) ?? "");
}

/** A step of a pattern for paths: any number of folders, or one name. */
type PathStep = "folders" | ((name: string) => boolean);

function compilePath(pattern: string): NamesMatcher {
  const parts = splitPathWildcard(pattern);
  const steps = parts.flatMap((part, index): PathStep[] => {
    if (part !== "**") return [compileName(part)];
    // At the end it matches what is in a folder, not the folder itself.
    return index === parts.length - 1 ? ["folders", () => true] : parts[index - 1] === "**" ? [] : ["folders"];
  });
  return (names) =>
    matchesSequence(steps, names.length, {
      isAny: (step) => step === "folders",
      fits: (step, at) => step !== "folders" && step(names[at] ?? ""),
    });
}

/** An unclosed bracket matches nothing. */
function compileName(pattern: string): (name: string) => boolean {
  if (!/[*?[\\]/.test(pattern)) return (name) => name === pattern;
  const spelt = pattern.replace(bracket, spellClasses);
  return /\[/.test(pattern.replace(bracket, "").replace(/\\./gs, "")) ? () => false : compileNameWildcard(spelt);
}

const bracket = /(?<!\\)\[[!^]?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\]/gs;

/** Replaces the named classes in a bracket by ranges. */
function spellClasses(text: string): string {
  return text.replace(/\[:([a-z]+):\]/g, (_, name: string) => classes[name] ?? "");
}

const classes: Readonly<Record<string, string>> = {
  ...{ alpha: "A-Za-z", digit: "0-9", alnum: "A-Za-z0-9", upper: "A-Z", lower: "a-z", xdigit: "0-9A-Fa-f" },
  ...{ space: " \t-\r", blank: " \t", cntrl: "\0-\x1f\x7f", print: " -~", graph: "\\!-~" },
  punct: "\\!-/:-@\\[-`{-~",
};

/** More patterns than this are not what anybody means. */
const MAX_EXPANDED = 500;

/** Expands braces, the innermost first; a pattern that gives too many stays as it is. */
function expandBraces(written: string): readonly string[] {
  const expanded: string[] = [];
  const open = [written];
  for (let pattern = open.pop(); pattern !== undefined; pattern = open.pop()) {
    const [whole, before = "", list = "", after = ""] =
      /^((?:\\.|[^\\])*?)\{((?:\\.|[^{}\\])*)\}(.*)$/s.exec(pattern) ?? [];
    if (whole === undefined) expanded.push(pattern);
    else
      open.push(
        ...list
          .split(",")
          .toReversed()
          .map((each) => `${before}${each}${after}`),
      );
    if (expanded.length + open.length > MAX_EXPANDED) return [written];
  }
  return expanded;
}
