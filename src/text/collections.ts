/** A Map or a WeakMap. */
interface KeyedStore<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Returns the value of a key, which is created and stored if there is none. */
export function getOrCreate<Key, Value>(map: KeyedStore<Key, Value>, key: Key, create: () => NoInfer<Value>): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

/** Returns the own property with a name from user input, so that `constructor` is not found. */
export function ownProperty<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Compares texts by code units, for sorting. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Counts items by a key. */
export function countBy<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, number> {
  const counted = new Map<string, number>();
  for (const each of all) counted.set(keyOf(each), (counted.get(keyOf(each)) ?? 0) + 1);
  return counted;
}

/** Returns the first item that occurs more often than counted. */
export function findFirstBeyond<T>(
  all: readonly T[],
  keyOf: (each: T) => string,
  known: ReadonlyMap<string, number>,
): T | undefined {
  const left = new Map(known);
  return all.find((each) => {
    const count = left.get(keyOf(each)) ?? 0;
    left.set(keyOf(each), count - 1);
    return count <= 0;
  });
}

/** A sorted array, or what is read like one. */
interface Sorted<T> {
  readonly length: number;
  at(index: number): T | undefined;
}

/** Returns the index of the first item for which a condition holds, as it does for all after it; the length if none. */
export function findFirstSorted<T>(sorted: Sorted<T>, holds: (each: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = sorted.at(middle);
    if (each !== undefined && holds(each)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns a list; undefined if it is empty. */
export function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Returns the index of the last item for which a condition holds, as it does for all before it; 0 if there is none. */
export function findLastSorted<T>(sorted: Sorted<T>, holds: (each: T) => boolean): number {
  return Math.max(0, findFirstSorted(sorted, (each) => !holds(each)) - 1);
}
