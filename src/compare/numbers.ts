/** Numbers things in the order in which they come up, so that keys can be made of them. */
export class Numbers<T extends object> {
  private readonly known = new Map<T, number>();

  of(thing: T): number {
    const number = this.known.get(thing) ?? this.known.size;
    this.known.set(thing, number);
    return number;
  }
}
