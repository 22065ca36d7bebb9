import { ASSUMED_PATH } from "../../config/model/project.js";
import {
  lineAt,
  type Position,
  positionAt,
  type Range,
  type SourceFile,
  type Span,
  toReadable,
} from "../../text/source.js";
import { toWellFormed } from "./visible-text.js";

/** One line of a file, in byte offsets. */
export interface SourceLine {
  /** From 1. */
  readonly number: number;
  readonly start: number;
  /** Without the line ending. */
  readonly end: number;
}

/** The part of a span on its first line. */
export interface SourcePlace {
  readonly file: SourceFile;
  readonly line: SourceLine;
  readonly start: number;
  readonly end: number;
}

interface KnownFile {
  readonly path: string;
  line?: SourceLine;
  latest?: { readonly offset: number; readonly position: Position };
}

/** Converts spans to paths, lines and columns for output. Neighboring lookups in a file share their work. */
export class PlaceResolver {
  private readonly files = new Map<SourceFile, KnownFile>();
  private readonly inside: string | undefined;
  private readonly separator: string;

  /** @param base the directory that paths are relative to */
  constructor(base: string | undefined) {
    this.separator = base?.includes("\\") && !base.startsWith("/") ? "\\" : "/";
    this.inside = base === undefined || base.endsWith(this.separator) ? base : base + this.separator;
  }

  /** Returns the path that a file is shown by. */
  path(file: SourceFile): string {
    return this.known(file).path;
  }

  /** Returns the start of a span, and its extent on that line. */
  place({ file, start, end }: Span): SourcePlace {
    const line = this.line(file, start);
    const from = Math.min(start, line.end);
    return { file, line, start: from, end: Math.max(from, Math.min(end, line.end)) };
  }

  /** Returns the start of a location. */
  start({ file, start }: SourcePlace): Position {
    return this.position(file, start);
  }

  /** Returns start and end of a location, which are on the same line. */
  region({ file, start, end }: SourcePlace): Range {
    return { start: this.position(file, start), end: this.position(file, end) };
  }

  /** Returns start and end of a whole span. */
  range(span: Span): Range {
    const { file, start } = this.place(span);
    return { start: this.position(file, start), end: this.position(file, Math.max(start, span.end)) };
  }

  /** Returns start and end of a span to be replaced: exact to the byte, even after the last line. */
  exactRange({ file, start, end }: Span): Range {
    return { start: this.position(file, start), end: this.position(file, end) };
  }

  private known(file: SourceFile): KnownFile {
    let known = this.files.get(file);
    if (!known) {
      known = { path: file.path === ASSUMED_PATH ? "(assumed)" : this.displayPath(file.realPath) };
      this.files.set(file, known);
    }
    return known;
  }

  /** Renders the start of a span as terminals and editors follow it: `path:line:column`. */
  format(span: Span): string {
    const place = this.place(span);
    const { line, column } = this.start(place);
    return `${this.path(place.file)}:${line}:${column}`;
  }

  /** Returns the display name of the file at a path. @param path with symbolic links resolved */
  displayPath(path: string): string {
    const { inside } = this;
    const isInside = inside !== undefined && path.length > inside.length && path.startsWith(inside);
    return toWellFormed(isInside ? path.slice(inside.length) : path);
  }

  /** Returns the name of a file in a patch, which has slashes on each system. @param path with symbolic links resolved */
  patchPath(path: string): string {
    return this.displayPath(path).replaceAll(this.separator, "/");
  }

  /** Returns the line of an offset; an offset after the last line ending is on the last line. */
  private line(file: SourceFile, offset: number): SourceLine {
    const { text } = file;
    const known = this.known(file);
    const inText = text.endsWith("\n") ? Math.min(offset, text.length - 1) : offset;
    if (holds(known.line, inText)) return known.line;
    const number = lineAt(file, inText);
    const start = inText === 0 ? 0 : text.lastIndexOf("\n", inText - 1) + 1;
    const lineFeed = text.indexOf("\n", inText);
    const end = lineFeed < 0 ? text.length : lineFeed;
    known.line = { number, start, end: end > start && text[end - 1] === "\r" ? end - 1 : end };
    return known.line;
  }

  /** Continues from the previous lookup if that is earlier on the same line: lines may be very long. */
  private position(file: SourceFile, offset: number): Position {
    const known = this.known(file);
    const { latest } = known;
    const inside = holds(known.line, offset) ? known.line : undefined;
    const line = inside?.number ?? lineAt(file, offset);
    const columnsFrom = (start: number) => toReadable(file.text.slice(start, offset)).length;
    const position =
      latest && latest.position.line === line && latest.offset <= offset && isCharacterStart(file.text, latest.offset)
        ? { line, column: latest.position.column + columnsFrom(latest.offset) }
        : inside
          ? { line, column: columnsFrom(inside.start) + 1 }
          : positionAt(file, offset);
    known.latest = { offset, position };
    return position;
  }
}

/** Reports whether an offset is in a line, or directly after it. */
function holds(line: SourceLine | undefined, offset: number): line is SourceLine {
  return line !== undefined && line.start <= offset && offset <= line.end;
}

/** Reports whether decoding can start at an offset: a UTF-8 continuation byte needs the preceding ones. */
export function isCharacterStart(text: string, offset: number): boolean {
  const byte = text.charCodeAt(offset);
  return !(byte >= 0x80 && byte < 0xc0);
}
