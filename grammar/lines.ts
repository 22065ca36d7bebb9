import type { Line, LineKind, RestShape } from "./ast.js";

const kinds = ["blank", "comment", "open", "close", "directive"] as const satisfies readonly LineKind[];
const shapes = ["empty", "word", "words", "string", "quoted"] as const satisfies readonly RestShape[];
const KIND = 7;
const SHAPE_SHIFT = 4;

/** What a line's mark is put together from: its kind in the lower three bits, a bit for cooked ones, the shape of the rest. */
export const LineMark = {
  ...{ blank: 0, comment: 1, open: 2, close: 3, directive: 4 },
  cooked: 8,
  ...{ empty: 0, word: 1 << SHAPE_SHIFT, words: 2 << SHAPE_SHIFT, string: 3 << SHAPE_SHIFT, quoted: 4 << SHAPE_SHIFT },
} as const satisfies Record<LineKind | RestShape | "cooked", number>;

/** Six offsets a line. */
const COLUMNS = 6;

/** Lines that follow each other, of one kind. */
export interface LineRun {
  readonly of: Lines;
  readonly first: number;
  /** The index behind the last one. */
  readonly end: number;
}

/**
 * The lines of a file in columns. Large configurations have hundreds of thousands: as numbers in a few arrays they cost
 * the garbage collector nothing, and a line becomes an object only while somebody looks at it.
 */
export class Lines implements Iterable<Line> {
  private offsets: Uint32Array;
  private marks: Uint8Array;
  private count = 0;

  /** @param expected about how many lines will come */
  constructor(expected = 64) {
    this.marks = new Uint8Array(Math.max(64, expected));
    this.offsets = new Uint32Array(COLUMNS * this.marks.length);
  }

  get length(): number {
    return this.count;
  }

  /**
   * Takes the fields of a line one by one: no object is made for it.
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
    this.makeRoomFor(1);
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

  appendRun({ of, first, end }: LineRun): void {
    this.makeRoomFor(end - first);
    for (let index = first; index < end; index++) this.marks[this.count + index - first] = of.marks[index] ?? 0;
    const shift = (this.count - first) * COLUMNS;
    for (let at = first * COLUMNS; at < end * COLUMNS; at++) this.offsets[at + shift] = of.offsets[at] ?? 0;
    this.count += end - first;
  }

  /** Forgets the lines, and keeps their room. */
  clear(): void {
    this.count = 0;
  }

  /** The index behind the lines from `first` on that are of its kind. */
  endOfRun(first: number): number {
    const kind = (this.marks[first] ?? 0) & KIND;
    let end = first + 1;
    while (end < this.count && ((this.marks[end] ?? 0) & KIND) === kind) end++;
    return end;
  }

  /** The line at an index; undefined behind the last. */
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
      cooked: (mark & LineMark.cooked) !== 0,
    };
  }

  kindAt(index: number): LineKind {
    return kinds[(this.marks[index] ?? 0) & KIND] ?? "blank";
  }

  isCooked(index: number): boolean {
    return ((this.marks[index] ?? 0) & LineMark.cooked) !== 0;
  }

  /** Offset after a line. */
  endAt(index: number): number {
    return this.offset(index, 1);
  }

  /** How many bytes the line has. */
  lengthOf(index: number): number {
    return this.offset(index, 1) - this.offset(index, 0);
  }

  /** Where the first word starts. */
  startOfWords(index: number): number {
    return this.offset(index, 2);
  }

  /** Where the last word ends. */
  endOfWords(index: number): number {
    return Math.max(this.offset(index, 3), this.offset(index, 5));
  }

  shapeOfRest(index: number): RestShape {
    return shapes[(this.marks[index] ?? 0) >> SHAPE_SHIFT] ?? "quoted";
  }

  /** What stands behind a line's first word in its file's text. */
  restOf(text: string, index: number): string {
    return text.slice(this.offset(index, 4), this.offset(index, 5));
  }

  *[Symbol.iterator](): Iterator<Line> {
    for (let index = 0; index < this.count; index++) {
      const line = this.at(index);
      if (line) yield line;
    }
  }

  private offset(index: number, column: number): number {
    return this.offsets[index * COLUMNS + column] ?? 0;
  }

  private makeRoomFor(more: number): void {
    if (this.count + more <= this.marks.length) return;
    const marks = new Uint8Array(Math.max(this.marks.length * 2, this.count + more));
    marks.set(this.marks);
    this.marks = marks;
    const offsets = new Uint32Array(COLUMNS * marks.length);
    offsets.set(this.offsets);
    this.offsets = offsets;
  }
}
