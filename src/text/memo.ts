/** A cache of values derived from immutable objects: computed once for each, and kept as long as the object exists. */
export class Memo<K extends object, T extends NonNullable<unknown>> {
  private readonly results = new WeakMap<K, T>();

  constructor(private readonly workOut: (from: K) => T) {}

  get(from: K): T {
    const known = this.results.get(from);
    if (known !== undefined) return known;
    const made = this.workOut(from);
    this.results.set(from, made);
    return made;
  }
}
