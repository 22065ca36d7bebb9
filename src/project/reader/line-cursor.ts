import type { ConfigTree, Line } from "../../../grammar/ast.js";
import type { Span } from "../../text/source.js";
import type { FileReading } from "../model/directive.js";

/** Goes over the lines of one file; `Use` lays the lines of a macro over them until those are used up. */
export class LineCursor {
  /** What the line that was read last belongs to. */
  reading: FileReading;
  tree: ConfigTree;
  /** The index of the line that was read last. */
  index = -1;
  /** Whether a line may hold a variable. */
  hasDollars: boolean;
  /** What lies below, innermost last. */
  private readonly suspended: {
    readonly reading: FileReading;
    readonly index: number;
    readonly hasDollars: boolean;
  }[] = [];

  constructor(reading: FileReading) {
    this.reading = reading;
    this.tree = reading.tree;
    this.hasDollars = hasDollars(reading);
  }

  /** The next line; undefined at the end of the file. */
  next(): Line | undefined {
    for (;;) {
      const line = this.tree.lines.at(this.index + 1);
      if (line) {
        this.index++;
        return line;
      }
      const below = this.suspended.pop();
      if (below === undefined) return undefined;
      this.moveTo(below.reading, below.index, below.hasDollars);
    }
  }

  /** Reads these lines before those that follow here. */
  overlay(reading: FileReading): void {
    this.suspended.push({ reading: this.reading, index: this.index, hasDollars: this.hasDollars });
    this.moveTo(reading, -1, hasDollars(reading));
  }

  /** Where a line stands that was just read: from its first word to its last. */
  spanOf(line: Line): Span {
    return { file: this.tree.source, start: line.nameStart, end: Math.max(line.nameEnd, line.restEnd) };
  }

  private moveTo(reading: FileReading, index: number, mayHaveVariables: boolean): void {
    this.reading = reading;
    this.tree = reading.tree;
    this.index = index;
    this.hasDollars = mayHaveVariables;
  }
}

function hasDollars(reading: FileReading): boolean {
  return reading.tree.source.text.includes("${");
}
