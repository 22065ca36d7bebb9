import type { Directive } from "../model/directive.js";

/** A power of two. Configurations repeat some hundred lines; a rarer one may be evicted by another. */
const SLOTS = 4096;

/**
 * A cache of lines that may be repeated: large configurations contain the same line a hundred thousand times. The table
 * has a fixed size, and a new text evicts the one in its slot. Lines that are not repeated cost almost nothing.
 */
export class LineCache {
  private readonly texts = new Array<string>(SLOTS).fill("");
  private readonly first = new Array<Directive | undefined>(SLOTS).fill(undefined);
  private readonly numbers = new Int32Array(SLOTS);
  private count = 0;

  /** Returns the slot of a text, from its length and some of its characters. */
  slotOf(text: string, start: number, end: number): number {
    const length = end - start;
    let hash = length;
    hash = Math.imul(hash, 31) + text.charCodeAt(start);
    hash = Math.imul(hash, 31) + text.charCodeAt(start + (length >> 2));
    hash = Math.imul(hash, 31) + text.charCodeAt(start + (length >> 1));
    hash = Math.imul(hash, 31) + text.charCodeAt(end - (length >> 2));
    hash = Math.imul(hash, 31) + text.charCodeAt(end - 2);
    hash = Math.imul(hash, 31) + text.charCodeAt(end - 1);
    return (hash ^ (hash >>> 12)) & (SLOTS - 1);
  }

  /** Returns the first directive that was read from the same text; undefined if none is cached. */
  find(slot: number, text: string, start: number, end: number): Directive | undefined {
    const known = this.texts[slot];
    return known?.length === end - start && text.startsWith(known, start) ? this.first[slot] : undefined;
  }

  /** Returns the number of the text in a slot. */
  numberOf(slot: number): number {
    if (this.numbers[slot] === 0) this.numbers[slot] = ++this.count;
    return this.numbers[slot] ?? 0;
  }

  remember(text: string, start: number, end: number, directive: Directive): void {
    const slot = this.slotOf(text, start, end);
    this.texts[slot] = text.slice(start, end);
    this.first[slot] = directive;
    this.numbers[slot] = 0;
  }

  /** Discards the cache, since names have a new meaning from here. */
  forget(): void {
    this.texts.fill("");
    this.first.fill(undefined);
    this.numbers.fill(0);
  }
}
