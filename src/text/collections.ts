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
