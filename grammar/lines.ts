import type { Line, LineKind, RestShape } from "./ast.js";

const kinds = ["blank", "comment", "open", "close", "directive"] as const satisfies readonly LineKind[];
const shapes = ["empty", "word", "words", "string", "quoted"] as const satisfies readonly RestShape[];
const KIND = 7;
const SHAPE_SHIFT = 4;

/**
 * The bit layout of a line's mark: its kind in the lower three bits, a bit for cooked lines, and the shape of the rest.
 */
export const LineMark = {
  ...{ blank: 0, comment: 1, open: 2, close: 3, directive: 4 },
  needsNormalizing: 8,
  ...{ empty: 0, word: 1 << SHAPE_SHIFT, words: 2 << SHAPE_SHIFT, string: 3 << SHAPE_SHIFT, quoted: 4 << SHAPE_SHIFT },
} as const satisfies Record<LineKind | RestShape | "needsNormalizing", number>;

/** Offsets per line. */
const COLUMNS = 6;

/**
 * The lines of a file in columns. Large configurations have hundreds of thousands of lines. Stored as numbers in a few
 * arrays, they cost the garbage collector nothing. Line objects are created only on access.
 */
export class Lines implements Iterable<Line> {
  private offsets: Uint32Array;
  private marks: Uint8Array;
  private count = 0;

  /**
   * The text of a macro often has one or two lines, for which V8 keeps the arrays among its objects: those of more than 64
   * bytes have memory of their own.
   *
   * @param expected approximate number of lines
   */
  constructor(expected = 0) {
    this.marks = new Uint8Array(Math.max(2, expected));
    this.offsets = new Uint32Array(COLUMNS * this.marks.length);
  }

  get length(): number {
    return this.count;
  }

  /**
   * Appends a line by its fields, without creating an object.
   *
   * @param mark of its parts in `Mark`
   */
  append(
    mark: number,
    start: number,
    end: number,
    nameStart: number,
    nameEnd: number,
    restStart: number,
    restEnd: number,
  ): void {
    if (this.count === this.marks.length) this.grow();
    const at = this.count * COLUMNS;
    this.offsets[at] = start;
    this.offsets[at + 1] = end;
    this.offsets[at + 2] = nameStart;
    this.offsets[at + 3] = nameEnd;
    this.offsets[at + 4] = restStart;
    this.offsets[at + 5] = restEnd;
    this.marks[this.count] = mark;
    this.count++;
  }

  /** Returns the line at an index; undefined after the last. */
  at(index: number): Line | undefined {
    if (index < 0 || index >= this.count) return undefined;
    const mark = this.marks[index] ?? 0;
    return {
      kind: kinds[mark & KIND] ?? "blank",
      start: this.offset(index, 0),
      end: this.offset(index, 1),
      nameStart: this.offset(index, 2),
      nameEnd: this.offset(index, 3),
      restStart: this.offset(index, 4),
      restEnd: this.offset(index, 5),
      rest: shapes[mark >> SHAPE_SHIFT] ?? "quoted",
      needsNormalizing: (mark & LineMark.needsNormalizing) !== 0,
    };
  }

  kindAt(index: number): LineKind {
    return kinds[(this.marks[index] ?? 0) & KIND] ?? "blank";
  }

  isCooked(index: number): boolean {
    return ((this.marks[index] ?? 0) & LineMark.needsNormalizing) !== 0;
  }

  /** Returns the offset after a line. */
  endAt(index: number): number {
    return this.offset(index, 1);
  }

  /** Returns the length of a line in bytes. */
  lengthOf(index: number): number {
    return this.offset(index, 1) - this.offset(index, 0);
  }

  /** Returns the offset of the first word. */
  startOfWords(index: number): number {
    return this.offset(index, 2);
  }

  /** Returns the end of the last word. */
  endOfWords(index: number): number {
    return Math.max(this.offset(index, 3), this.offset(index, 5));
  }

  shapeOfRest(index: number): RestShape {
    return shapes[(this.marks[index] ?? 0) >> SHAPE_SHIFT] ?? "quoted";
  }

  /** Returns a line's first word, as written. */
  firstWordOf(text: string, index: number): string {
    return text.slice(this.offset(index, 2), this.offset(index, 3));
  }

  /** Returns the text after a line's first word. */
  restOf(text: string, index: number): string {
    return text.slice(this.offset(index, 4), this.offset(index, 5));
  }

  [Symbol.iterator](): Iterator<Line> {
    return this.iterate(0, this.count);
  }

  /** Yields consecutive lines. */
  *iterate(first: number, end: number): Generator<Line> {
    for (let index = first; index < end; index++) {
      const line = this.at(index);
      if (line) yield line;
    }
  }

  private offset(index: number, column: number): number {
    return this.offsets[index * COLUMNS + column] ?? 0;
  }

  private grow(): void {
    const marks = new Uint8Array(this.marks.length * 2);
    marks.set(this.marks);
    this.marks = marks;
    const offsets = new Uint32Array(COLUMNS * marks.length);
    offsets.set(this.offsets);
    this.offsets = offsets;
  }
}
