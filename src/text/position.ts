import { type SourceFile, type Span, toReadable } from "./source.js";

/** A place as editors and SARIF name it: both count from 1, columns in UTF-16 code units of the decoded line. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

const lineStarts = new WeakMap<SourceFile, Uint32Array>();

/** The byte offsets at which the file's lines start; a line ends at LF only, as for httpd. Worked out once a file. */
function startsOf(file: SourceFile): Uint32Array {
  const known = lineStarts.get(file);
  if (known) return known;
  let starts = new Uint32Array(Math.max(16, file.text.length >> 5));
  let count = 1;
  for (let at = file.text.indexOf("\n"); at >= 0; at = file.text.indexOf("\n", at + 1)) {
    if (count === starts.length) {
      const longer = new Uint32Array(starts.length * 2);
      longer.set(starts);
      starts = longer;
    }
    starts[count++] = at + 1;
  }
  const exact = starts.slice(0, count);
  lineStarts.set(file, exact);
  return exact;
}

/** The number of the line, from 1, that holds a byte offset. */
export function lineAt(file: SourceFile, offset: number): number {
  const starts = startsOf(file);
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** Line and column of a byte offset. */
export function positionAt(file: SourceFile, offset: number): Position {
  const line = lineAt(file, offset);
  const start = startsOf(file)[line - 1] ?? 0;
  return { line, column: toReadable(file.text.slice(start, offset)).length + 1 };
}

/** Start and end of a span, each as line and column. */
export function rangeOf(span: Span): Range {
  return { start: positionAt(span.file, span.start), end: positionAt(span.file, span.end) };
}

/** How many lines a file has: a last line without LF counts, an empty one after the last LF does not. */
export function countLines(file: SourceFile): number {
  const lines = startsOf(file).length;
  return file.text.length === 0 || file.text.endsWith("\n") ? lines - 1 : lines;
}
