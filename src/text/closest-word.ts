/** A word of a list, prepared for comparisons. */
interface PreparedWord {
  readonly word: string;
  readonly lower: string;
  readonly letters: number;
}

/**
 * Words of which the closest to another one is searched. Most of them are ruled out by their lengths and letters, because
 * a comparison takes long.
 */
export class SpellingList {
  private readonly words: readonly PreparedWord[];

  constructor(words: Iterable<string>) {
    this.words = Array.from(words, (word) => {
      const lower = word.toLowerCase();
      return { word, lower, letters: letterBits(lower) };
    });
  }

  /**
   * Returns the word with the smallest edit distance to another one within the limit, ignoring case; among equals, the
   * first in sort order.
   */
  findClosest(word: string): string | undefined {
    const lower = word.toLowerCase();
    const letters = letterBits(lower);
    let best: string | undefined;
    let maxDistance = word.replace("<", "").length < 5 ? 1 : 2;
    for (const candidate of this.words) {
      if (Math.abs(candidate.word.length - word.length) > maxDistance) continue;
      // An edit takes away one letter at most, and adds one at most.
      if (countBits(candidate.letters ^ letters) > 2 * maxDistance) continue;
      const distance = this.distance(lower, candidate.lower);
      if (distance < maxDistance || (distance === maxDistance && (best === undefined || candidate.word < best))) {
        best = candidate.word;
        maxDistance = distance;
      }
    }
    return best;
  }

  /** Returns the edit distance between two words: insertions, deletions, substitutions and swaps of neighbours. */
  distance(from: string, to: string): number {
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
}

/** Returns the closest of some words, as a list of words does. */
export function findClosestWord(word: string, candidates: Iterable<string>): string | undefined {
  return new SpellingList(candidates).findClosest(word);
}

/** Returns a bit for each letter of a word; some letters share one. */
function letterBits(word: string): number {
  let bits = 0;
  for (let index = 0; index < word.length; index++) bits |= 1 << (word.charCodeAt(index) & 31);
  return bits;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
