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
  return isAscii(text) ? text : binaryOf(encoder.encode(text));
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
export function binaryOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE)
    text += String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE));
  return text;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
