/** Coverage of the instrumented sources, with counts: an input that adds to it is kept. */
export class Coverage {
  private readonly counters: Uint32Array[] = [];
  private readonly seen: Uint8Array[] = [];
  /** Number of locations ever reached. */
  reached = 0;

  /** Registers the counters of all loaded sources, as istanbul-lib-instrument names them. */
  constructor() {
    for (const source of Object.values(readCounters())) {
      for (const kind of ["s", "f"] as const) source[kind] = this.counting(Object.keys(source[kind]).length);
      for (const [branch, ways] of Object.entries(source.b)) source.b[branch] = this.counting(ways.length);
    }
  }

  /** Resets the counters. */
  clear(): void {
    for (const each of this.counters) each.fill(0);
  }

  /** Returns whether a new location was reached, or a known one more often, by powers of two. */
  grows(): boolean {
    let isNew = false;
    for (const [index, counters] of this.counters.entries()) {
      const seen = this.seen[index];
      if (seen === undefined) continue;
      for (let at = 0; at < counters.length; at++) {
        const count = counters[at] ?? 0;
        if (count === 0) continue;
        const size = Math.min(8, 32 - Math.clz32(count));
        const before = seen[at] ?? 0;
        if (size <= before) continue;
        if (before === 0) this.reached++;
        seen[at] = size;
        isNew = true;
      }
    }
    return isNew;
  }

  private counting(length: number): Uint32Array {
    const counters = new Uint32Array(length);
    this.counters.push(counters);
    this.seen.push(new Uint8Array(length));
    return counters;
  }
}

/** Counters by statement, function and branch, as istanbul-lib-instrument's code increments them. */
interface Counted {
  s: Record<string, number> | Uint32Array;
  f: Record<string, number> | Uint32Array;
  readonly b: Record<string, number[] | Uint32Array>;
}

declare global {
  var fuzzCoverage: Record<string, Counted> | undefined;
}

function readCounters(): Record<string, Counted> {
  return globalThis.fuzzCoverage ?? {};
}
