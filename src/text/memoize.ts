/**
 * Memoizes a function of a string.
 *
 * @param most cache size; when it is exceeded, the cache is cleared
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
