import { type ByteSet, emptyByteSet, type RegularLanguage } from "../automata/regular-language.js";

/** The possible first bytes of a text, or of the text after a position in a pattern. */
interface FirstSet {
  readonly first: ByteSet;
  /** Whether it may match the empty text. */
  readonly canBeEmpty: boolean;
  /** Whether it may test for the start of the text, or look around. */
  readonly testsPosition: boolean;
}

const end: FirstSet = { first: emptyByteSet, canBeEmpty: true, testsPosition: false };

/**
 * Reports whether a possessive quantifier may prevent a match. It does not if it repeats single bytes and none of them
 * can come next. Had it matched fewer, the next part would fail, unless it tests nothing.
 */
export function possessiveChangesLanguage(pattern: RegularLanguage): boolean {
  return changesLanguage(pattern, end);
}

function changesLanguage(part: RegularLanguage, next: FirstSet): boolean {
  switch (part.kind) {
    case "bytes":
    case "start":
    case "end":
      return false;
    case "look":
      return changesLanguage(part.of, end);
    case "either":
      return part.of.some((each) => changesLanguage(each, next));
    case "sequence": {
      let following = next;
      for (const each of part.parts.toReversed()) {
        if (changesLanguage(each, following)) return true;
        following = concatFirstSets(firstSetOf(each), following);
      }
      return false;
    }
    case "repeat": {
      if (part.possessive && !isHarmless(part.of, next)) return true;
      return changesLanguage(part.of, unionFirstSets(firstSetOf(part.of), next));
    }
  }
}

function isHarmless(repeated: RegularLanguage, next: FirstSet): boolean {
  return repeated.kind === "bytes" && (repeated.set & next.first) === 0n && !next.testsPosition;
}

function firstSetOf(part: RegularLanguage): FirstSet {
  switch (part.kind) {
    case "bytes":
      return { first: part.set, canBeEmpty: false, testsPosition: false };
    case "start":
    case "look":
      return { ...end, testsPosition: true };
    case "end":
      // The parts after it are checked: nothing, or a newline that the pattern names.
      return end;
    case "either":
      return part.of.map(firstSetOf).reduce(unionFirstSets, { ...end, canBeEmpty: false });
    case "sequence":
      return part.parts.map(firstSetOf).reduceRight((following, each) => concatFirstSets(each, following), end);
    case "repeat": {
      const once = firstSetOf(part.of);
      return part.min === 0 ? unionFirstSets(once, end) : once;
    }
  }
}

function unionFirstSets(a: FirstSet, b: FirstSet): FirstSet {
  return {
    first: a.first | b.first,
    canBeEmpty: a.canBeEmpty || b.canBeEmpty,
    testsPosition: a.testsPosition || b.testsPosition,
  };
}

function concatFirstSets(a: FirstSet, b: FirstSet): FirstSet {
  return a.canBeEmpty ? { ...unionFirstSets(a, b), canBeEmpty: b.canBeEmpty } : a;
}
