import { hasByte } from "./byte-sets.js";
import type { Regular } from "./regular.js";

/**
 * The texts of a set that has but a few, in the order in which PCRE tries them: alternatives as they are written, and what may
 * be left out first with it. Undefined where there are more than `most`, or where something but bytes is in it.
 */
export function finiteTexts(of: Regular, most: number): readonly string[] | undefined {
  const texts = textsOf(of, most);
  return texts && texts.length <= most ? texts : undefined;
}

function textsOf(of: Regular, most: number): readonly string[] | undefined {
  switch (of.kind) {
    case "bytes":
      return Array.from({ length: 256 }, (_, byte) => byte)
        .filter((byte) => hasByte(of.set, byte))
        .map((byte) => String.fromCharCode(byte));
    case "either": {
      const all = of.of.map((each) => finiteTexts(each, most));
      return all.some((each) => each === undefined) ? undefined : all.flatMap((each) => each ?? []);
    }
    case "sequence":
      return of.parts.reduce<readonly string[] | undefined>(
        (before, part) => {
          const behind = before && finiteTexts(part, most);
          if (before === undefined || behind === undefined || before.length * behind.length > most) return undefined;
          return before.flatMap((text) => behind.map((more) => text + more));
        },
        [""],
      );
    case "repeat": {
      const once = finiteTexts(of.of, most);
      if (once === undefined || of.possessive || of.most !== 1) return undefined;
      return of.least === 0 ? [...once, ""] : once;
    }
    case "start":
    case "end":
      return undefined;
  }
}
