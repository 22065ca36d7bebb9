import type { ConfigTree, Line } from "../../../grammar/ast.js";
import type { Span } from "../../text/source.js";
import type { FileReading } from "../model/directive.js";
import { beginsWithTag } from "../model/placeholders.js";

/** Iterates over the lines of one file; `Use` inserts the lines of a macro before the remaining ones. */
export class LineCursor {
  /** The reading that the last line belongs to. */
  reading: FileReading;
  tree: ConfigTree;
  /** The index of the last line. */
  index = -1;
  /** Whether a line may contain a variable. */
  hasDollars: boolean;
  /** The suspended readings, innermost last. */
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

  /** Returns the next line; undefined at the end of the file. */
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

  /** Reports whether a line begins with the tag of a template: it stands for others, or for none. */
  isTag({ nameStart, end }: Line): boolean {
    const { text } = this.tree;
    return "{<@%_".includes(text[nameStart] ?? "") && beginsWithTag(text.slice(nameStart, end));
  }

  /** Reads other lines before the remaining ones. */
  overlay(reading: FileReading): void {
    this.suspended.push({ reading: this.reading, index: this.index, hasDollars: this.hasDollars });
    this.moveTo(reading, -1, hasDollars(reading));
  }

  /** Returns the span of the line that was just read: from its first word to its last. */
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
  return reading.tree.text.includes("${");
}
