import type { Position, Range } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type SourceFile, type Span, toReadable } from "../text/source.js";

/**
 * A text with its offsets in bytes, as we have them, and its positions in lines and UTF-16 code units, as editors have
 * them: to those a carriage return alone ends a line, too.
 */
export class PlacedText {
  private readonly document: TextDocument;
  private readonly isAscii: boolean;
  /** Where the lines start that a line feed ends, in bytes and in code units; made when it is asked for. */
  private starts: { readonly bytes: readonly number[]; readonly units: readonly number[] } | undefined;

  /** @param text a binary string */
  constructor(private readonly text: string) {
    const readable = toReadable(text);
    this.isAscii = readable === text;
    this.document = TextDocument.create("", "", 0, readable);
  }

  positionOf(offset: number): Position {
    return this.document.positionAt(this.isAscii ? offset : this.unitsAt(offset));
  }

  rangeOf({ start, end }: Pick<Span, "start" | "end">): Range {
    return { start: this.positionOf(start), end: this.positionOf(end) };
  }

  offsetOf(position: Position): number {
    const units = this.document.offsetAt(position);
    return this.isAscii ? units : this.bytesAt(units);
  }

  private unitsAt(offset: number): number {
    const { bytes, units } = this.lineStarts();
    const line = lastUpTo(bytes, offset);
    return (units[line] ?? 0) + toReadable(this.text.slice(bytes[line], offset)).length;
  }

  private bytesAt(units: number): number {
    const starts = this.lineStarts();
    const line = lastUpTo(starts.units, units);
    const readable = this.document.getText().slice(starts.units[line], units);
    return (starts.bytes[line] ?? 0) + Buffer.byteLength(readable);
  }

  private lineStarts() {
    this.starts ??= { bytes: startsIn(this.text), units: startsIn(this.document.getText()) };
    return this.starts;
  }
}

function startsIn(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lastUpTo(sorted: readonly number[], most: number): number {
  let low = 0;
  let high = sorted.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= most) low = middle;
    else high = middle;
  }
  return low;
}

const placed = new WeakMap<SourceFile, PlacedText>();

/** A file's text with its positions. */
export function placedText(file: SourceFile): PlacedText {
  const known = placed.get(file) ?? new PlacedText(file.text);
  placed.set(file, known);
  return known;
}

/** Where a span stands in its file. */
export function rangeOfSpan(span: Span): Range {
  return placedText(span.file).rangeOf(span);
}
