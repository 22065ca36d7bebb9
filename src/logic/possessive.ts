import { type ByteSet, noBytes } from "./byte-sets.js";
import type { Regular } from "./regular.js";

/** What can come first in a text, or behind a place in a pattern. */
interface Ahead {
  readonly first: ByteSet;
  /** It may be that nothing is taken. */
  readonly canBeEmpty: boolean;
  /** It may ask whether the text starts here. */
  readonly asksForStart: boolean;
}

const end: Ahead = { first: noBytes, canBeEmpty: true, asksForStart: false };

/**
 * Whether some possessive quantifier may keep a pattern from matching. It does not where it repeats single bytes and none
 * of those can come next: had it taken fewer, what comes next would fail, or it asks for nothing.
 */
export function possessionMatters(pattern: Regular): boolean {
  return matters(pattern, end);
}

function matters(part: Regular, next: Ahead): boolean {
  switch (part.kind) {
    case "bytes":
    case "start":
    case "end":
      return false;
    case "either":
      return part.of.some((each) => matters(each, next));
    case "sequence": {
      let behind = next;
      for (const each of part.parts.toReversed()) {
        if (matters(each, behind)) return true;
        behind = followed(aheadOf(each), behind);
      }
      return false;
    }
    case "repeat": {
      if (part.possessive && !isHarmless(part.of, next)) return true;
      return matters(part.of, joined(aheadOf(part.of), next));
    }
  }
}

function isHarmless(repeated: Regular, next: Ahead): boolean {
  return repeated.kind === "bytes" && (repeated.set & next.first) === 0n && !next.asksForStart;
}

function aheadOf(part: Regular): Ahead {
  switch (part.kind) {
    case "bytes":
      return { first: part.set, canBeEmpty: false, asksForStart: false };
    case "start":
      return { ...end, asksForStart: true };
    case "end":
      // What could come behind it is looked at: nothing, or a newline that the pattern names.
      return end;
    case "either":
      return part.of.map(aheadOf).reduce(joined, { ...end, canBeEmpty: false });
    case "sequence":
      return part.parts.map(aheadOf).reduceRight((behind, each) => followed(each, behind), end);
    case "repeat": {
      const once = aheadOf(part.of);
      return part.least === 0 ? joined(once, end) : once;
    }
  }
}

function joined(a: Ahead, b: Ahead): Ahead {
  return {
    first: a.first | b.first,
    canBeEmpty: a.canBeEmpty || b.canBeEmpty,
    asksForStart: a.asksForStart || b.asksForStart,
  };
}

function followed(a: Ahead, b: Ahead): Ahead {
  return a.canBeEmpty ? { ...joined(a, b), canBeEmpty: b.canBeEmpty } : a;
}
