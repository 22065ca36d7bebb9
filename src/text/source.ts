import { findLastSorted } from "./collections.js";
/**
 * Source files as httpd sees them: as bytes. The text is a binary string with one UTF-16 code unit per byte. Offsets
 * are therefore byte offsets, any input prints back unchanged, and letters compare as in httpd. Text for people
 * (messages, columns, code frames) is decoded as UTF-8 only at output.
 */

import { memoize } from "./memoize.js";

export interface SourceFile {
  /** The path as it was reached, which httpd prints. */
  readonly path: string;
  /** The path that findings name, with symbolic links resolved if the file is on disk. */
  readonly realPath: string;
  /** The content, one code unit (0 to 255) per byte. */
  readonly text: string;
  /** Whether the file has more than the text, as a script with a here-document: it is not rewritten. */
  readonly isPart?: boolean;
}

/** A range of a file in byte offsets; `end` is the offset after the last byte. */
export interface Span<File = SourceFile> {
  readonly file: File;
  readonly start: number;
  readonly end: number;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** Chunk size for conversion: each byte is an argument of a call. */
const BYTES_AT_ONCE = 8192;

/** Converts a binary string to bytes. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Converts an ordinary JavaScript string (a path, an option) to the binary string of its UTF-8 bytes. */
export function fromReadable(text: string): string {
  return isAscii(text) ? text : toBinaryString(encoder.encode(text));
}

/** Decodes a binary string as UTF-8 for display; invalid bytes become U+FFFD. */
export function toReadable(text: string): string {
  return isAscii(text) ? text : decoder.decode(bytesOf(text));
}

/** Creates a source file from an ordinary string, for tests and editors. */
export function sourceFile(path: string, text: string, realPath = path): SourceFile {
  return { path, realPath, text: fromReadable(text) };
}

/** Converts bytes to a binary string. */
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

/**
 * A position as editors and SARIF count it: line and column from 1, columns in UTF-16 code units of the decoded line.
 */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** Returns the byte offsets of line starts; only LF ends a line, as in httpd. Computed once per file. */
const startsOf = memoize((file: SourceFile): Uint32Array => {
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
  return starts.slice(0, count);
});

/** Returns the line number, from 1, of a byte offset. */
export function lineAt(file: SourceFile, offset: number): number {
  return findLastSorted(startsOf(file), (start) => start <= offset) + 1;
}

/** Returns line and column of a byte offset. */
export function positionAt(file: SourceFile, offset: number): Position {
  const line = lineAt(file, offset);
  const start = startsOf(file)[line - 1] ?? 0;
  return { line, column: toReadable(file.text.slice(start, offset)).length + 1 };
}

/** Returns start and end of a span, each as line and column. */
export function rangeOf(span: Span): Range {
  return { start: positionAt(span.file, span.start), end: positionAt(span.file, span.end) };
}

/** Reports whether a span begins in another one. */
export function containsSpan(outer: Span, { file, start }: Span): boolean {
  return outer.file === file && outer.start <= start && start < outer.end;
}

/** Counts the lines of a file: a last line without LF counts, an empty one after the last LF does not. */
export function countLines(file: SourceFile): number {
  const lines = startsOf(file).length;
  return file.text.length === 0 || file.text.endsWith("\n") ? lines - 1 : lines;
}
