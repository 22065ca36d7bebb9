/**
 * Source files as httpd sees them: bytes. A file's text is held as a binary string, one UTF-16 code unit per byte,
 * so that offsets are byte offsets, any input can be printed back unchanged, and letters compare as httpd compares
 * them. What a person reads (messages, columns, code frames) is decoded as UTF-8 at output only.
 */
export interface SourceFile {
  /** The path as it was reached: the name that httpd prints. */
  readonly path: string;
  /** The path that findings name: symbolic links resolved, where the file is on disk. */
  readonly realPath: string;
  /** The content, one code unit (0 to 255) per byte. */
  readonly text: string;
}

/** A stretch of a file, in byte offsets; `end` is the offset after the last byte. */
export interface Span {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** So many bytes become text at once: each is an argument of a call. */
const BYTES_AT_ONCE = 8192;

/** The bytes that a binary string stands for. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** An ordinary JavaScript string (a path, an option) to the binary string that holds its UTF-8 bytes. */
export function fromReadable(text: string): string {
  return isAscii(text) ? text : toBinaryString(encoder.encode(text));
}

/** A binary string as a person reads it: decoded as UTF-8, a byte that is no UTF-8 shown as U+FFFD. */
export function toReadable(text: string): string {
  return isAscii(text) ? text : decoder.decode(bytesOf(text));
}

/** Makes a source file from an ordinary string, for tests and editors. */
export function sourceFile(path: string, text: string, realPath = path): SourceFile {
  return { path, realPath, text: fromReadable(text) };
}

/** The binary string that stands for bytes. */
export function toBinaryString(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE)
    text += String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE));
  return text;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

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
