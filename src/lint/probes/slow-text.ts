import { searchPcre } from "../../regex/pcre/matcher.js";
import { compilePcre } from "../../regex/pcre/program.js";

/** Numbers of repeated characters at which the steps of a search are compared. */
const FEW = 8;
const MORE = 16;
/** The least growth between them: that of an exponential search, with a factor of 1.5 for each character. */
const GROWTH = 1.5 ** (MORE - FEW);
/** Number of repeated characters in the result: with that growth, many times the steps that PCRE allows. */
const MANY = 60;
/** Limit of the steps of one search. */
const MAX_STEPS = 1_000_000;

/** A repeated group or class, without which no search takes exponential time. */
const repeatedGroup = /\)(?:[*+]|\{\d*,)/;

/**
 * Returns a text that a pattern matches only after more steps than PCRE allows, so that httpd takes it as not matching:
 * repeated characters of a sample, a character that ends the attempt, and the sample itself. The steps must grow
 * exponentially with the number of characters, so that the result does not depend on how steps are counted.
 *
 * @param sample a URL path that the pattern matches
 */
export function findSlowText(pattern: string, sample: string): string | undefined {
  if (!repeatedGroup.test(pattern)) return undefined;
  const compiled = compilePcre(pattern);
  if (compiled.kind !== "program") return undefined;
  const { program } = compiled;
  const stepsOf = (text: string) => {
    const { groups, isStopped, steps } = searchPcre(program, text, MAX_STEPS);
    return groups === undefined && !isStopped ? undefined : steps;
  };
  for (const start of startsOf(sample))
    for (const letter of new Set(sample.replace(/[^a-z0-9]/gi, ""))) {
      const write = (count: number) => `${start}${letter.repeat(count)}!${sample}`;
      const few = stepsOf(write(FEW));
      const more = stepsOf(write(MORE));
      if (few !== undefined && more !== undefined && more < MAX_STEPS && more > few * GROWTH) return write(MANY);
    }
  return undefined;
}

/** Returns the first parts of a path: each ends in a slash. */
function startsOf(path: string): readonly string[] {
  const texts: string[] = [];
  for (let slash = path.indexOf("/"); slash >= 0 && texts.length < 4; slash = path.indexOf("/", slash + 1))
    texts.push(path.slice(0, slash + 1));
  return texts;
}
