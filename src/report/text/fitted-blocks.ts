/** A part of a report that may be left out. */
export interface ReportPart {
  /** Whole lines. */
  readonly text: string;
  /** 0 for a part that is always shown. Of the others, those with the highest number go first. */
  readonly rank: number;
}

/** A block of a report: a heading with its parts. It is followed by a blank line. */
export interface ReportBlock {
  readonly head?: string;
  readonly parts: readonly ReportPart[];
}

/** Returns blocks as text, with blank lines between them. Blocks without parts are left out. */
export function joinBlocks(blocks: readonly ReportBlock[]): string {
  const shown = blocks.filter(({ parts }) => parts.length > 0);
  return shown.map(({ head = "", parts }) => head + parts.map(({ text }) => text).join("")).join("\n");
}

/** Returns the number of lines of a text that ends with a line break. */
export function countTextLines(text: string): number {
  return text.split("\n").length - 1;
}

/**
 * Returns blocks without the parts that do not fit: of equal rank, the last one goes first. Lines that remain are for the most
 * important parts that fit.
 */
export function fitBlocks(blocks: readonly ReportBlock[], maxLines: number): readonly ReportBlock[] {
  let lines = countTextLines(joinBlocks(blocks));
  const left = new Set<ReportPart>();
  // The heading and the blank line go with the last part.
  const linesOf = (block: ReportBlock, part: ReportPart) => {
    const isOnly = block.parts.every((each) => each === part || left.has(each));
    return countTextLines(part.text) + (isOnly ? countTextLines(block.head ?? "") + 1 : 0);
  };
  const candidates = blocks.flatMap((block) => block.parts.map((part) => ({ block, part }))).reverse();
  for (const { block, part } of candidates.sort((one, other) => other.part.rank - one.part.rank)) {
    if (lines <= maxLines || part.rank === 0) break;
    lines -= linesOf(block, part);
    left.add(part);
  }
  for (const { block, part } of candidates.reverse()) {
    if (!left.has(part) || lines + linesOf(block, part) > maxLines) continue;
    lines += linesOf(block, part);
    left.delete(part);
  }
  return blocks.map((block) => ({ ...block, parts: block.parts.filter((part) => !left.has(part)) }));
}
