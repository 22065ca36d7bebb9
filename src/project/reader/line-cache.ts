import type { Directive } from "../model/directive.js";

/** A power of two. Configurations repeat some hundred lines; a rarer one may lose its place to another. */
const SLOTS = 4096;

/**
 * The lines read so far whose words may come again: large configurations say the same a hundred thousand times. A table of
 * fixed size, in which a text takes the place of another that happens to fall on it, so that lines that never come again
 * cost next to nothing.
 */
export class LineCache {
  private readonly texts = new Array<string>(SLOTS).fill("");
  private readonly first = new Array<Directive | undefined>(SLOTS).fill(undefined);
  private readonly numbers = new Int32Array(SLOTS);
  private count = 0;

  /** The slot of a stretch of text, told from its length and a few of its characters. */
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

  /** The first directive that was read from the same text; undefined where none is remembered. */
  find(slot: number, text: string, start: number, end: number): Directive | undefined {
    const known = this.texts[slot];
    return known?.length === end - start && text.startsWith(known, start) ? this.first[slot] : undefined;
  }

  /** The number of the text in a slot. */
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

  /** Names read differently from now on. */
  forget(): void {
    this.texts.fill("");
    this.first.fill(undefined);
    this.numbers.fill(0);
  }
}
