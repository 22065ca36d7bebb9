import type { Random } from "../random/random.js";

export type Lines = readonly string[];

/** Returns a section with its lines, as in a configuration file. @param open `Directory "/srv"` */
export function section(open: string, ...lines: readonly string[]): Lines {
  return [`<${open}>`, ...lines, `</${open.split(" ")[0]}>`];
}

/** Draws between `least` and `most` times. */
export function drawMany<T>(random: Random, least: number, most: number, draw: (random: Random) => T): readonly T[] {
  return Array.from({ length: least + random.below(most - least + 1) }, () => draw(random));
}

/** Draws each with the probability, in order. */
export function drawSome<T>(random: Random, probability: number, choices: readonly T[]): readonly T[] {
  return choices.filter(() => random.chance(probability));
}

/** Draws lines with a probability; otherwise none. */
export function drawPerhaps(random: Random, probability: number, ...lines: readonly string[]): Lines {
  return random.chance(probability) ? lines : [];
}
