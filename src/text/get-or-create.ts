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
