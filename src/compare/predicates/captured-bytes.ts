import type { ByteSet, RegularLanguage } from "../../logic/languages/regular-language.js";
import { parsePattern } from "../../logic/pcre/pattern-parser.js";

/** Whether groups capture any of some bytes in a text that contains them: none, all, or some. */
export type CapturedBytes = "never" | "always" | "perhaps";

/**
 * Returns whether some groups of a pattern capture certain bytes of the texts that it matches.
 *
 * @param groups their numbers; 0 is the whole match
 */
export function findCapturedBytes(pattern: string, groups: ReadonlySet<number>, bytes: ByteSet): CapturedBytes {
  const read = groupsIn(pattern);
  const used = [...groups].flatMap((number) => read.all[number] ?? []);
  const isTaking = used.some(({ start, end }) => mayHold(pattern.slice(start, end), bytes));
  if (!isTaking) return "never";
  return read.isWhole(used) && !mayHold(removeSpan(pattern, used), bytes) ? "always" : "perhaps";
}

/** The position of a group. */
interface GroupSpan {
  readonly start: number;
  readonly end: number;
  /** Whether it is nested. */
  readonly isInner: boolean;
}

interface GroupSpans {
  /** By number. */
  readonly all: readonly GroupSpan[];
  /**
   * Returns whether the pattern, except for some groups, covers the whole text, and each group captures everything that
   * it reads.
   */
  readonly isWhole: (used: readonly GroupSpan[]) => boolean;
}

/** An escape, a class, the start of a group, or any other character. */
const token = /\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]|\((?:\?(?:P?<(?![=!])|')?)?|[\s\S]/g;

function groupsIn(pattern: string): GroupSpans {
  const all: GroupSpan[] = [{ start: 0, end: pattern.length, isInner: false }];
  const open: { readonly start: number; readonly number: number | undefined }[] = [];
  let isOneOfSeveral = false;
  let last = "";
  for (const { 0: text, index } of pattern.matchAll(token)) {
    last = text;
    if (text.startsWith("(")) {
      const number = text === "(?" ? undefined : all.push({ start: index, end: index, isInner: open.length > 0 }) - 1;
      open.push({ start: index, number });
    } else if (text === ")") {
      const { start, number } = open.pop() ?? { start: index, number: undefined };
      if (number !== undefined) all[number] = { start, end: index + 1, isInner: open.length > 0 };
    } else if (text === "|" && open.length === 0) isOneOfSeveral = true;
  }
  const takesAll = ({ start, end }: GroupSpan) => /^\(\.[*+]\)$/.test(pattern.slice(start, end));
  const isWhole = (used: readonly GroupSpan[]) =>
    !isOneOfSeveral &&
    (pattern.startsWith("^") || used.some((each) => each.start === 0 && takesAll(each))) &&
    (last === "$" || used.some((each) => each.end === pattern.length && takesAll(each))) &&
    // A repeated group only captures its last repetition.
    used.every(({ isInner, end }) => !isInner && !/^[*+{]/.test(pattern.slice(end)));
  return { all, isWhole };
}

function removeSpan(pattern: string, used: readonly GroupSpan[]): string {
  return used
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), pattern);
}

/** Reports whether the match of a pattern may contain one of some bytes. */
function mayHold(pattern: string, bytes: ByteSet): boolean {
  const reading = parsePattern(pattern);
  return reading.kind === "not regular" || holdsIn(reading.found, bytes);
}

function holdsIn(of: RegularLanguage, bytes: ByteSet): boolean {
  switch (of.kind) {
    case "bytes":
      return (of.set & bytes) !== 0n;
    case "sequence":
      return of.parts.some((each) => holdsIn(each, bytes));
    case "either":
      return of.of.some((each) => holdsIn(each, bytes));
    case "repeat":
      return holdsIn(of.of, bytes);
    case "start":
    case "end":
      return false;
  }
}
