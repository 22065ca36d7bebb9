/**
 * Yields the texts of items up to a number of lines, but at least the first text, and then one for the items left out.
 *
 * @param maxLines undefined for no limit
 * @param describeRest returns the text for the items left out
 */
export function* limitLines<T>(
  items: readonly T[],
  maxLines: number | undefined,
  render: (item: T, index: number) => string,
  describeRest: (left: readonly T[]) => string,
): Generator<string> {
  let lines = 0;
  for (const [index, item] of items.entries()) {
    const text = render(item, index);
    lines += text.split("\n").length - 1;
    if (maxLines !== undefined && lines > maxLines && index > 0) {
      yield describeRest(items.slice(index));
      return;
    }
    yield text;
  }
}

/**
 * Returns what is shown of items up to a number of lines, but at least the first, and the items left out.
 *
 * @param maxLines undefined for no limit
 * @param countLines returns the number of lines of a shown item
 */
export function limitItems<T, Shown>(
  items: readonly T[],
  maxLines: number | undefined,
  show: (item: T, index: number) => Shown,
  countLines: (shown: Shown) => number,
): { readonly shown: readonly Shown[]; readonly left: readonly T[] } {
  const shown: Shown[] = [];
  let lines = 0;
  for (const [index, item] of items.entries()) {
    const next = show(item, index);
    lines += countLines(next);
    if (maxLines !== undefined && lines > maxLines && index > 0) return { shown, left: items.slice(index) };
    shown.push(next);
  }
  return { shown, left: [] };
}
