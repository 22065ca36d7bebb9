/**
 * Returns the candidate with the smallest edit distance to a word within the limit, ignoring case; among equals, the
 * first in sort order.
 */
export function findClosestWord(word: string, candidates: Iterable<string>): string | undefined {
  const letters = word.replace("<", "").length;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let maxDistance = letters < 5 ? 1 : 2;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > maxDistance) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < maxDistance || (distance === maxDistance && (best === undefined || candidate < best))) {
      best = candidate;
      maxDistance = distance;
    }
  }
  return best;
}

/** Returns the edit distance between two words: insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const replaced = (above[column - 1] ?? 0) + (same ? 0 : 1);
      const inserted = (current[column - 1] ?? 0) + 1;
      const dropped = (above[column] ?? 0) + 1;
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const transposed = swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, inserted, dropped, transposed));
    }
    before = above;
    above = current;
  }
  return above[to.length] ?? 0;
}
