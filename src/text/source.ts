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

/** Bytes to the binary string that the grammar reads. */
export function fromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** A binary string back to the very bytes it came from. */
export function toBytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

/** An ordinary JavaScript string (a path, an option) to the binary string that holds its UTF-8 bytes. */
export function fromReadable(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** A binary string as a person reads it: decoded as UTF-8, a byte that is no UTF-8 shown as U+FFFD. */
export function toReadable(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "latin1").toString("utf8");
}

/** Makes a source file from an ordinary string, for tests and editors. */
export function sourceFile(path: string, text: string, realPath = path): SourceFile {
  return { path, realPath, text: fromReadable(text) };
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
