/** How many of each name are open, or owed: asking costs the same however many there are. */
export class NameCounts {
  private readonly counts = new Map<string, number>();

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  has(name: string): boolean {
    return this.counts.has(name);
  }

  /** Takes one away; whether there was one. */
  take(name: string): boolean {
    const count = this.counts.get(name);
    if (count === undefined) return false;
    if (count === 1) this.counts.delete(name);
    else this.counts.set(name, count - 1);
    return true;
  }
}
