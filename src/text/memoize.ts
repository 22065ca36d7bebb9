/**
 * A function of a text that remembers what came of it, for texts that come again and again.
 *
 * @param most how many texts are remembered; one more, and it begins anew
 */
export function memoizeByText<Value>(work: (text: string) => Value, most = 1000): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= most) known.clear();
    const value = work(text);
    known.set(text, value);
    return value;
  };
}
