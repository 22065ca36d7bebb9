/** What follows from something that stays as it is: worked out once for each, and kept as long as that is there. */
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
