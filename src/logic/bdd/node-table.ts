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
  /** Four numbers a node, side by side in memory: level, low, high, and the next node of its bucket. */
  private nodes = new Int32Array(FIRST_SIZE * 4);
  /** The first node of each bucket; 0 is none, as no constant is in a bucket. */
  private buckets = new Int32Array(FIRST_SIZE);
  private used = 2;

  /** @param budget the most nodes, the two constants included */
  constructor(private readonly budget: number) {
    // The constants lead to themselves.
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

/** Three numbers as one, spread well over the low bits. */
function hashTriple(a: number, b: number, c: number): number {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  return mixed ^ (mixed >>> 15) ^ (mixed >>> 7);
}

const FIRST_CACHE_SIZE = 1 << 10;
const LAST_CACHE_SIZE = 1 << 18;

/**
 * What came of earlier choices between diagrams. A later one may take the place of an earlier one: that costs time and
 * changes no outcome.
 */
export class IteCache {
  /** Four numbers an entry: the three operands and the outcome. A choice never tests a constant, so that 0 marks none. */
  private entries = new Int32Array(FIRST_CACHE_SIZE * 4);
  private size = FIRST_CACHE_SIZE;

  find(test: number, then: number, otherwise: number): number {
    const { entries } = this;
    const at = this.placeOf(test, then, otherwise);
    const isKnown = entries[at] === test && entries[at + 1] === then && entries[at + 2] === otherwise;
    return isKnown ? (entries[at + 3] ?? NONE) : NONE;
  }

  store(test: number, then: number, otherwise: number, outcome: number): void {
    const at = this.placeOf(test, then, otherwise);
    this.entries[at] = test;
    this.entries[at + 1] = then;
    this.entries[at + 2] = otherwise;
    this.entries[at + 3] = outcome;
  }

  /** Keeps as many entries as there are nodes, up to a limit; a larger cache starts out empty. */
  fit(nodes: number): void {
    if (nodes <= this.size || this.size >= LAST_CACHE_SIZE) return;
    while (this.size < nodes && this.size < LAST_CACHE_SIZE) this.size *= 2;
    this.entries = new Int32Array(this.size * 4);
  }

  private placeOf(test: number, then: number, otherwise: number): number {
    return (hashTriple(test, then, otherwise) & (this.size - 1)) * 4;
  }
}
