/**
 * Where in a path a text ends, told as it goes on: of the paths as the server normalises them there are none with doubled
 * slashes, or with parts that are only dots.
 */
export const START = 0;
/** Behind a slash. */
export const SLASHED = 1;
const IN_NAME = 2;
const ONE_DOT = 3;
const TWO_DOTS = 4;
export const NO_PATH = 5;
/** How many there are. */
export const PLACES = 6;

const SLASH = 0x2f;
const DOT = 0x2e;

/** The place behind a byte. */
export function placeBehind(place: number, byte: number): number {
  if (byte === SLASH) return place === START || place === IN_NAME ? SLASHED : NO_PATH;
  if (place === START || place === NO_PATH || byte === 0) return NO_PATH;
  if (byte !== DOT || place === IN_NAME || place === TWO_DOTS) return IN_NAME;
  return place === SLASHED ? ONE_DOT : TWO_DOTS;
}

/** Whether a path may end there. */
export function isPathEnd(place: number): boolean {
  return place === SLASHED || place === IN_NAME;
}
