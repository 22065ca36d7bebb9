import { hashed, NONE } from "./node-table.js";

const FIRST_SIZE = 1 << 10;
const LAST_SIZE = 1 << 18;

/**
 * What came of earlier choices between diagrams. A later one may take the place of an earlier one: that costs time and
 * changes no outcome.
 */
export class IteCache {
  /** Four numbers an entry: the three operands and the outcome. A choice never tests a constant, so that 0 marks none. */
  private entries = new Int32Array(FIRST_SIZE * 4);
  private size = FIRST_SIZE;

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
    if (nodes <= this.size || this.size >= LAST_SIZE) return;
    while (this.size < nodes && this.size < LAST_SIZE) this.size *= 2;
    this.entries = new Int32Array(this.size * 4);
  }

  private placeOf(test: number, then: number, otherwise: number): number {
    return (hashed(test, then, otherwise) & (this.size - 1)) * 4;
  }
}
