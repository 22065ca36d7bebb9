/** A range of a text, in its own units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Sorts ranges and merges those that overlap. */
export function mergeRanges(found: readonly TextRange[]): readonly TextRange[] {
  const merged: TextRange[] = [];
  for (const each of [...found].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || each.start >= last.end) merged.push(each);
    else if (each.end > last.end) merged[merged.length - 1] = { start: last.start, end: each.end };
  }
  return merged;
}

/** Returns the ranges of the groups that have no name. */
export function groupsOf({ indices }: RegExpExecArray): TextRange[] {
  const named = new Set(Object.values(indices?.groups ?? {}).map((each) => each?.[0]));
  return (indices ?? [])
    .slice(1)
    .flatMap((each) => (each && !named.has(each[0]) ? [{ start: each[0], end: each[1] }] : []));
}
