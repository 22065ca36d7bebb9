import { diffArrays } from "diff";

/** Lines that replace others, as ranges of lines counted from 0. */
export interface LineChange {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Texts with fewer lines are compared as a whole. */
const MAX_LINES = 2_000;

/** Divides a text into its lines, each with its line feed. */
export function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/**
 * Returns the changes that turn lines into others, in order. Between two of them is an unchanged line. Long texts are
 * divided at the lines that occur once in each, so that the time grows with the length and not with its square.
 */
export function listLineChanges(oldLines: readonly string[], newLines: readonly string[]): readonly LineChange[] {
  const changes: LineChange[] = [];
  let [oldAt, newAt] = [0, 0];
  const add = (oldEnd: number, newEnd: number) => {
    const last = changes.at(-1);
    const isNext = last?.oldEnd === oldAt && last.newEnd === newAt;
    const { oldStart, newStart } = isNext ? last : { oldStart: oldAt, newStart: newAt };
    if (isNext) changes.pop();
    changes.push({ oldStart, newStart, oldEnd, newEnd });
    [oldAt, newAt] = [oldEnd, newEnd];
  };
  const ends: Anchor = [oldLines.length, newLines.length];
  for (const [oldEnd, newEnd] of [...findAnchors(oldLines, newLines), ends]) {
    for (const { added, removed, count } of diffArrays(oldLines.slice(oldAt, oldEnd), newLines.slice(newAt, newEnd)))
      if (removed) add(oldAt + count, newAt);
      else if (added) add(oldAt, newAt + count);
      else [oldAt, newAt] = [oldAt + count, newAt + count];
  }
  return changes;
}

/** The places of a line that does not change. */
type Anchor = readonly [oldPlace: number, newPlace: number];

/** Returns as many as possible of the lines that occur once in both texts, and in the same order. */
function findAnchors(oldLines: readonly string[], newLines: readonly string[]): readonly Anchor[] {
  if (oldLines.length < MAX_LINES) return [];
  const newPlaces = uniquePlaces(newLines);
  // The shortest sequences of each length end first in the new text: each anchor continues the longest that it can.
  const ends: { readonly anchor: Anchor; readonly before: number | undefined }[] = [];
  const byLength: number[] = [];
  for (const [line, oldPlace] of uniquePlaces(oldLines)) {
    const newPlace = newPlaces.get(line);
    if (newPlace === undefined) continue;
    let [low, high] = [0, byLength.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[byLength[middle] ?? 0]?.anchor[1] ?? 0) < newPlace) low = middle + 1;
      else high = middle;
    }
    byLength[low] = ends.push({ anchor: [oldPlace, newPlace], before: byLength[low - 1] }) - 1;
  }
  const found: Anchor[] = [];
  for (let end = ends[byLength.at(-1) ?? -1]; end !== undefined; end = ends[end.before ?? -1]) found.push(end.anchor);
  return found.reverse();
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
