export const FALSE = 0;
export const TRUE = 1;
/** Not a node: the budget is used up. */
export const NONE = -1;
/** The level of the two constants: below every variable. */
const BELOW_ALL = 0x7fffffff;

const FIRST_SIZE = 1 << 10;

/**
 * A table of unique diagram nodes: the same test of the same variable with the same cofactors has one number. Nodes are
 * never freed, so the budget use depends only on the operations.
 */
export class NodeTable {
  /** Four adjacent numbers per node: level, low, high, and the next node of its bucket. */
  private nodes = new Int32Array(FIRST_SIZE * 4);
  /** The first node of each bucket; 0 means empty, because constants are not in buckets. */
  private buckets = new Int32Array(FIRST_SIZE);
  private used = 2;

  /** @param budget the maximum number of nodes, including the two constants */
  constructor(private readonly budget: number) {
    // Constants refer to themselves.
    this.nodes.set([BELOW_ALL, FALSE, FALSE, 0, BELOW_ALL, TRUE, TRUE, 0]);
  }

  get count(): number {
    return this.used;
  }

  isConstant(node: number): boolean {
    return node === FALSE || node === TRUE;
  }

  isTrue(node: number): boolean {
    return node === TRUE;
  }

  level(node: number): number {
    return this.nodes[node << 2] ?? BELOW_ALL;
  }

  low(node: number): number {
    return this.nodes[(node << 2) + 1] ?? FALSE;
  }

  high(node: number): number {
    return this.nodes[(node << 2) + 2] ?? FALSE;
  }

  /** Returns the cofactor of a node for a false variable, which must not be below the node's own. */
  lowAt(level: number, node: number): number {
    return this.level(node) === level ? this.low(node) : node;
  }

  /** Returns the cofactor of a node for a true variable. */
  highAt(level: number, node: number): number {
    return this.level(node) === level ? this.high(node) : node;
  }

  /** Returns the node that tests a variable, reusing an existing one; NONE if the budget is used up. */
  node(level: number, low: number, high: number): number {
    if (low === high) return low;
    const known = this.find(level, low, high);
    if (known !== 0) return known;
    if (this.used >= this.budget) return NONE;
    if (this.used === this.buckets.length) this.grow();
    const node = this.used++;
    const at = node << 2;
    this.nodes[at] = level;
    this.nodes[at + 1] = low;
    this.nodes[at + 2] = high;
    this.chain(node);
    return node;
  }

  private find(level: number, low: number, high: number): number {
    const { nodes } = this;
    let node = this.buckets[this.bucketOf(level, low, high)] ?? 0;
    while (node !== 0) {
      const at = node << 2;
      if (nodes[at + 1] === low && nodes[at + 2] === high && nodes[at] === level) return node;
      node = nodes[at + 3] ?? 0;
    }
    return 0;
  }

  private chain(node: number): void {
    const bucket = this.bucketOf(this.level(node), this.low(node), this.high(node));
    this.nodes[(node << 2) + 3] = this.buckets[bucket] ?? 0;
    this.buckets[bucket] = node;
  }

  private bucketOf(level: number, low: number, high: number): number {
    return hashTriple(level, low, high) & (this.buckets.length - 1);
  }

  private grow(): void {
    const size = this.buckets.length * 2;
    const larger = new Int32Array(size * 4);
    larger.set(this.nodes);
    this.nodes = larger;
    this.buckets = new Int32Array(size);
    for (let node = 2; node < this.used; node++) this.chain(node);
  }
}

/** Hashes three numbers into one, spread well over the low bits. */
function hashTriple(a: number, b: number, c: number): number {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  return mixed ^ (mixed >>> 15) ^ (mixed >>> 7);
}

const FIRST_CACHE_SIZE = 1 << 10;
const LAST_CACHE_SIZE = 1 << 18;

/**
 * A cache of if-then-else results. A new entry may overwrite an older one: that costs time but does not change results.
 */
export class IteCache {
  /**
   * Four numbers per entry: the three operands and the result. A test is never a constant, so 0 marks an empty entry.
   */
  private entries = new Int32Array(FIRST_CACHE_SIZE * 4);
  private size = FIRST_CACHE_SIZE;

  find(test: number, whenTrue: number, whenFalse: number): number {
    const { entries } = this;
    const at = this.placeOf(test, whenTrue, whenFalse);
    const isKnown = entries[at] === test && entries[at + 1] === whenTrue && entries[at + 2] === whenFalse;
    return isKnown ? (entries[at + 3] ?? NONE) : NONE;
  }

  store(test: number, whenTrue: number, whenFalse: number, outcome: number): void {
    const at = this.placeOf(test, whenTrue, whenFalse);
    this.entries[at] = test;
    this.entries[at + 1] = whenTrue;
    this.entries[at + 2] = whenFalse;
    this.entries[at + 3] = outcome;
  }

  /** Grows to the number of nodes, up to a limit; a larger cache starts empty. */
  fit(nodes: number): void {
    if (nodes <= this.size || this.size >= LAST_CACHE_SIZE) return;
    while (this.size < nodes && this.size < LAST_CACHE_SIZE) this.size *= 2;
    this.entries = new Int32Array(this.size * 4);
  }

  private placeOf(test: number, whenTrue: number, whenFalse: number): number {
    return (hashTriple(test, whenTrue, whenFalse) & (this.size - 1)) * 4;
  }
}
