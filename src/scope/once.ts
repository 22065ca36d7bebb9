/** What follows from something that stays as it is: worked out once for each, and kept as long as that is there. */
export class Once<K extends object, T extends NonNullable<unknown>> {
  private readonly known = new WeakMap<K, T>();

  constructor(private readonly workOut: (from: K) => T) {}

  of(from: K): T {
    const known = this.known.get(from);
    if (known !== undefined) return known;
    const made = this.workOut(from);
    this.known.set(from, made);
    return made;
  }
}
