/** Memoizes a function of an immutable object: computed once for each, and kept as long as the object exists. */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  // Results are wrapped to distinguish a computed undefined from a missing entry.
  const results = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    let result = results.get(key);
    if (result === undefined) {
      result = { value: compute(key) };
      results.set(key, result);
    }
    return result.value;
  };
}

/** Returns a function that computes a value at its first call: large patterns and tables, which most runs do not need. */
export function computeOnce<Value extends object>(compute: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= compute());
}

/**
 * Memoizes a function of a string.
 *
 * @param max cache size; when it is exceeded, the cache is cleared
 */
export function memoizeByText<Text extends string, Value>(
  work: (text: Text) => Value,
  max = 1000,
): (text: Text) => Value {
  const known = new Map<Text, Value>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= max) known.clear();
    const value = work(text);
    known.set(text, value);
    return value;
  };
}

/**
 * Memoizes a function of a text or of an immutable object for the last one only: several readers of one follow each other,
 * and keeping the results for all takes too much memory.
 */
export function memoizeLast<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}
