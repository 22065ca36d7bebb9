/** A part of two texts that is compared on its own. */
export interface PatchPiece {
  readonly before: string;
  readonly after: string;
  /** The number of lines before this part, in each text. */
  readonly linesBefore: number;
  readonly linesAfter: number;
}

/** Texts with fewer lines are compared as a whole. */
const MOST_LINES = 2_000;

/** Lines on each side of a cut that both texts share: no hunk with three lines of context reaches across. */
const SHARED_LINES = 4;

/**
 * Divides two texts into parts, so that the time to compare them grows with their length, and not with its square. A cut is
 * made only between lines that both texts share, next to a line that is unique in both.
 */
export function dividePatch(before: string, after: string): readonly PatchPiece[] {
  const [old, now] = [splitLines(before), splitLines(after)];
  const whole = { before, after, linesBefore: 0, linesAfter: 0 };
  if (old.length < MOST_LINES) return [whole];
  const pieces: PatchPiece[] = [];
  let [startOld, startNow] = [0, 0];
  const cut = (endOld: number, endNow: number) => {
    const parts = { before: old.slice(startOld, endOld).join(""), after: now.slice(startNow, endNow).join("") };
    pieces.push({ ...parts, linesBefore: startOld, linesAfter: startNow });
    [startOld, startNow] = [endOld, endNow];
  };
  const [placesOld, placesNow] = [uniquePlaces(old), uniquePlaces(now)];
  for (const [line, atOld] of placesOld) {
    const atNow = placesNow.get(line);
    if (atNow === undefined || atNow - SHARED_LINES < startNow || atOld - SHARED_LINES < startOld) continue;
    const isShared = (offset: number) =>
      old[atOld + offset] !== undefined && old[atOld + offset] === now[atNow + offset];
    if (Array.from({ length: 2 * SHARED_LINES }, (_, index) => index - SHARED_LINES).every(isShared)) cut(atOld, atNow);
  }
  cut(old.length, now.length);
  return pieces;
}

function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Returns the places of the lines that occur once, in order. */
function uniquePlaces(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [place, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    else places.set(line, place);
  }
  for (const line of repeated) places.delete(line);
  return places;
}
