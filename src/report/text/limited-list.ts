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
