import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Position, Range } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { nativePath, toAbsolutePath } from "../../../config/files/paths.js";
import { findLastSorted } from "../../../text/collections.js";
import { memoize } from "../../../text/memoize.js";
import { type SourceFile, type Span, toReadable } from "../../../text/source.js";

/**
 * A text that maps byte offsets to editor positions (lines and UTF-16 code units). In editors, a single carriage return
 * also ends a line.
 */
export class PositionMapper {
  private readonly document: TextDocument;
  private readonly isAscii: boolean;
  /** Start of each line that ends with a line feed, in bytes and in code units; computed on demand. */
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
    const line = findLastSorted(bytes, (start) => start <= offset);
    return (units[line] ?? 0) + toReadable(this.text.slice(bytes[line], offset)).length;
  }

  private bytesAt(units: number): number {
    const starts = this.lineStarts();
    const line = findLastSorted(starts.units, (start) => start <= units);
    const readable = this.document.getText().slice(starts.units[line], units);
    return (starts.bytes[line] ?? 0) + Buffer.byteLength(readable);
  }

  private lineStarts() {
    this.starts ??= { bytes: findLineStarts(this.text), units: findLineStarts(this.document.getText()) };
    return this.starts;
  }
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Returns the text of a file with its positions. */
export const positionMapperOf = memoize((file: SourceFile) => new PositionMapper(file.text));

/** Returns the range of a span in its file. */
export function editorRangeOf(span: Span): Range {
  return positionMapperOf(span.file).rangeOf(span);
}

/** The location of a document that an editor names. */
export interface DocumentLocation {
  /** An absolute path; for a document that is not a file, the path that it is assumed to have. */
  readonly path: string;
  /** Whether the document is the file at the path; if not, only its own analysis reads it. */
  readonly isFile: boolean;
}

/**
 * Returns the location of a document. A document that is not a file of this machine is treated as a configuration
 * fragment in a folder (`untitled:`, `git:`, a file of another host).
 *
 * @param folder assumed location of documents that are not files
 */
export function locateDocument(uri: string, folder: string): DocumentLocation {
  try {
    const url = new URL(uri);
    if (url.protocol === "file:") {
      const path = fileURLToPath(url);
      return { path: toAbsolutePath(path) ?? path, isFile: true };
    }
    return { path: join(folder, basename(decodeURIComponent(url.pathname)) || "untitled"), isFile: false };
  } catch {
    return { path: join(folder, "untitled"), isFile: false };
  }
}

/** Returns the URI of a file. */
export function uriOf(path: string): string {
  return pathToFileURL(process.platform === "win32" ? nativePath(path) : path).href;
}
