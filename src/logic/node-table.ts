export const FALSE = 0;
export const TRUE = 1;
/** No node: the budget is used up. */
export const NONE = -1;
/** Where the two constants stand: below every variable. */
const BELOW_ALL = 0x7fffffff;

const FIRST_SIZE = 1 << 10;

/**
 * The nodes of diagrams, each once: the same test of the same variable with the same outcomes is the same number. Nodes
 * are never freed, so that what fits into the budget hangs on nothing but the operations asked for.
 */
export class NodeTable {
  private levels = new Int32Array(FIRST_SIZE);
  private lows = new Int32Array(FIRST_SIZE);
  private highs = new Int32Array(FIRST_SIZE);
  /** The next node in the same bucket, and the first one of each; 0 is none, as no constant is in a bucket. */
  private nexts = new Int32Array(FIRST_SIZE);
  private buckets = new Int32Array(FIRST_SIZE);
  private used = 2;

  /** @param budget the most nodes, the two constants included */
  constructor(private readonly budget: number) {
    this.levels.fill(BELOW_ALL, FALSE, TRUE + 1);
    // The constants lead to themselves.
    this.lows[TRUE] = TRUE;
    this.highs[TRUE] = TRUE;
  }

  get count(): number {
    return this.used;
  }

  level(node: number): number {
    return this.levels[node] ?? BELOW_ALL;
  }

  low(node: number): number {
    return this.lows[node] ?? FALSE;
  }

  high(node: number): number {
    return this.highs[node] ?? FALSE;
  }

  /** What is left of a node without a variable that is not below it. */
  lowAt(level: number, node: number): number {
    return this.level(node) === level ? this.low(node) : node;
  }

  /** What is left of a node with it. */
  highAt(level: number, node: number): number {
    return this.level(node) === level ? this.high(node) : node;
  }

  /** The node that tests a variable, an existing one where there is one; NONE where it would be one too many. */
  node(level: number, low: number, high: number): number {
    if (low === high) return low;
    let bucket = this.bucketOf(level, low, high);
    for (let at = this.buckets[bucket] ?? 0; at !== 0; at = this.nexts[at] ?? 0)
      if (this.lows[at] === low && this.highs[at] === high && this.levels[at] === level) return at;
    if (this.used >= this.budget) return NONE;
    if (this.used === this.levels.length) {
      this.grow();
      bucket = this.bucketOf(level, low, high);
    }
    const node = this.used++;
    this.levels[node] = level;
    this.lows[node] = low;
    this.highs[node] = high;
    this.chain(node, bucket);
    return node;
  }

  private chain(node: number, bucket: number): void {
    this.nexts[node] = this.buckets[bucket] ?? 0;
    this.buckets[bucket] = node;
  }

  private bucketOf(level: number, low: number, high: number): number {
    return hashed(level, low, high) & (this.buckets.length - 1);
  }

  private grow(): void {
    const size = this.levels.length * 2;
    this.levels = grown(this.levels, size);
    this.lows = grown(this.lows, size);
    this.highs = grown(this.highs, size);
    this.nexts = new Int32Array(size);
    this.buckets = new Int32Array(size);
    for (let node = 2; node < this.used; node++)
      this.chain(node, this.bucketOf(this.level(node), this.low(node), this.high(node)));
  }
}

function grown(array: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(size);
  larger.set(array);
  return larger;
}

/** Three numbers as one, spread well over the low bits. */
export function hashed(a: number, b: number, c: number): number {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  return mixed ^ (mixed >>> 15) ^ (mixed >>> 7);
}
