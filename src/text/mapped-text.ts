import { findLastSorted } from "./collections.js";
/**
 * Text derived from part of a file (continuations joined, variables expanded) that maps each byte to its origin. A
 * finding inside it can be shown at its original position.
 */
export interface MappedText {
  readonly text: string;
  /** The pieces in order of `at`; the first starts at 0. Empty text has one piece. */
  readonly pieces: readonly MappedPiece[];
}

export interface MappedPiece {
  /** Offset in the derived text at which the piece starts. */
  readonly at: number;
  /** Offset in the file at which the piece starts. */
  readonly from: number;
  /** Number of bytes in the file that the piece replaces (`${X}`); absent if it is copied. */
  readonly replaces?: number;
}

/** Creates mapped text copied from an offset of a file. */
export function mapCopiedText(text: string, from: number): MappedText {
  return { text, pieces: [{ at: 0, from }] };
}

/**
 * Returns the file offset of a byte of the derived text; inside a replacement, its start (or its end, for `edge`
 * "end").
 */
export function originOf(mapped: MappedText, at: number, edge: "start" | "end" = "start"): number {
  const { pieces } = mapped;
  // An end offset belongs to the piece before it: it follows that piece's last byte.
  const offset = edge === "end" ? at - 1 : at;
  const piece = pieces[findLastSorted(pieces, (each) => each.at <= offset)];
  if (piece === undefined) return at;
  if (piece.replaces !== undefined) return edge === "end" ? piece.from + piece.replaces : piece.from;
  return piece.from + (at - piece.at);
}

/** A builder of mapped text from pieces. */
export class MappedTextBuilder {
  private text = "";
  private readonly pieces: MappedPiece[] = [];

  /** Appends text that is in the file at `from`. */
  copy(text: string, from: number): this {
    if (text.length > 0) this.pieces.push({ at: this.text.length, from });
    this.text += text;
    return this;
  }

  /** Appends part of another mapped text. */
  copyMapped(source: MappedText, start: number, end: number): this {
    const shift = this.text.length - start;
    for (const [index, piece] of source.pieces.entries()) {
      const next = source.pieces[index + 1]?.at ?? source.text.length;
      if (next <= start || piece.at >= end) continue;
      const at = Math.max(piece.at, start);
      this.pieces.push(
        piece.replaces === undefined
          ? { at: at + shift, from: piece.from + (at - piece.at) }
          : { ...piece, at: at + shift },
      );
    }
    this.text += source.text.slice(start, end);
    return this;
  }

  /** Appends text that replaces part of another mapped text. */
  replaceMapped(text: string, source: MappedText, start: number, end: number): this {
    const from = originOf(source, start);
    if (text.length > 0)
      this.pieces.push({ at: this.text.length, from, replaces: originOf(source, end, "end") - from });
    this.text += text;
    return this;
  }

  build(fallback: number): MappedText {
    return { text: this.text, pieces: this.pieces.length > 0 ? this.pieces : [{ at: 0, from: fallback }] };
  }
}
