import type { Line, LineKind, RestShape } from "./ast.js";

const kinds = ["blank", "comment", "open", "close", "directive"] as const satisfies readonly LineKind[];
const shapes = ["empty", "word", "words", "string", "quoted"] as const satisfies readonly RestShape[];
/** A line's mark: its kind in the lower three bits, a bit for cooked ones, the shape of the rest above. */
const KIND = 7;
const COOKED = 8;
const SHAPE_SHIFT = 4;

/**
 * The lines of a file in columns. Large configurations have hundreds of thousands: as numbers in a few arrays they cost
 * the garbage collector nothing, and a line becomes an object only while somebody looks at it.
 */
export class Lines implements Iterable<Line> {
  /** Six offsets a line. */
  private offsets: Uint32Array;
  private marks: Uint8Array;
  private count = 0;

  /** @param expected about how many lines will come */
  constructor(expected = 64) {
    this.marks = new Uint8Array(Math.max(64, expected));
    this.offsets = new Uint32Array(6 * this.marks.length);
  }

  get length(): number {
    return this.count;
  }

  append(line: Line): void {
    if (this.count === this.marks.length) this.grow();
    const at = this.count * 6;
    this.offsets[at] = line.start;
    this.offsets[at + 1] = line.end;
    this.offsets[at + 2] = line.nameStart;
    this.offsets[at + 3] = line.nameEnd;
    this.offsets[at + 4] = line.restStart;
    this.offsets[at + 5] = line.restEnd;
    this.marks[this.count] =
      kinds.indexOf(line.kind) | (line.cooked ? COOKED : 0) | (shapes.indexOf(line.rest) << SHAPE_SHIFT);
    this.count++;
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
      cooked: (mark & COOKED) !== 0,
    };
  }

  kindAt(index: number): LineKind {
    return kinds[(this.marks[index] ?? 0) & KIND] ?? "blank";
  }

  isCooked(index: number): boolean {
    return ((this.marks[index] ?? 0) & COOKED) !== 0;
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
    return this.offsets[index * 6 + column] ?? 0;
  }

  private grow(): void {
    const marks = new Uint8Array(this.marks.length * 2);
    marks.set(this.marks);
    this.marks = marks;
    const offsets = new Uint32Array(this.offsets.length * 2);
    offsets.set(this.offsets);
    this.offsets = offsets;
  }
}
