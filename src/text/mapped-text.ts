/**
 * Text that was derived from a stretch of a file (continuations joined, variables expanded) and still knows where each
 * byte came from, so that a finding inside it can be shown where the user wrote it.
 */
export interface MappedText {
  readonly text: string;
  /** In order of `at`; the first starts at 0. Empty text has one piece. */
  readonly pieces: readonly MappedPiece[];
}

export interface MappedPiece {
  /** Offset in the derived text where the piece starts. */
  readonly at: number;
  /** Offset in the file where the piece starts. */
  readonly from: number;
  /** Bytes of the file that the piece stands for where it is a replacement (`${X}`); absent where it is copied. */
  readonly replaces?: number;
}

/** Text copied as it is from an offset of a file. */
export function mapCopiedText(text: string, from: number): MappedText {
  return { text, pieces: [{ at: 0, from }] };
}

/** The file offset of a byte of the derived text; inside a replacement, its start (or its end, for `edge` "end"). */
export function originOf(mapped: MappedText, at: number, edge: "start" | "end" = "start"): number {
  const { pieces } = mapped;
  let low = 0;
  let high = pieces.length;
  // An end offset belongs to the piece before it: it is the place after that piece's last byte.
  const sought = edge === "end" ? at - 1 : at;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.at ?? 0) <= sought) low = middle;
    else high = middle;
  }
  const piece = pieces[low];
  if (piece === undefined) return at;
  if (piece.replaces !== undefined) return edge === "end" ? piece.from + piece.replaces : piece.from;
  return piece.from + (at - piece.at);
}

/** Builds mapped text piece by piece. */
export class MappedTextBuilder {
  private text = "";
  private readonly pieces: MappedPiece[] = [];

  /** Appends text that stands in the file at `from`. */
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

  /** Appends text that stands for a stretch of another mapped text. */
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
