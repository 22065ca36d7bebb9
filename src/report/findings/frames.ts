import type { SourcePlace } from "../text/source-places.js";
import { type FrameMark, lineNumberWidth, type Paint } from "../text/text-printer.js";
import type { RenderedFinding } from "./rendered-finding.js";

/** The spans of a finding in one file, by line. */
export interface FindingFrame {
  readonly marks: readonly FrameMark[];
  /** The location that the frame is of: the finding's own, or the first related one. */
  readonly place: SourcePlace;
}

/**
 * Groups the spans of a finding by file: its own file first, the others in the order of the related locations. A finding
 * about the whole server has no span of its own.
 *
 * @param paints for the finding's own span, and for related ones
 */
export function groupIntoFrames(
  { place, label, related, isAboutServer }: RenderedFinding,
  [primary, secondary]: readonly [Paint, Paint],
): readonly FindingFrame[] {
  const own: FrameMark = { place, sign: "^", paint: primary, label };
  const byFile = new Map<string, FrameMark[]>([[place.file.realPath, isAboutServer ? [] : [own]]]);
  for (const other of related) {
    const path = other.place.file.realPath;
    const marks = byFile.get(path) ?? [];
    byFile.set(path, marks);
    const mark: FrameMark = { place: other.place, sign: "-", paint: secondary, label: other.message };
    if (!marks.some((each) => isRepetition(mark, each))) marks.push(mark);
  }
  return [...byFile.values()].map((marks, index) => {
    const sorted = marks.sort((a, b) => a.place.line.number - b.place.line.number);
    return { marks: sorted, place: index === 0 ? place : (sorted[0]?.place ?? place) };
  });
}

/** Reports whether a mark says nothing that an earlier one does not: the same words about the same span. */
function isRepetition({ place, label }: FrameMark, earlier: FrameMark): boolean {
  return place.start === earlier.place.start && place.end === earlier.place.end && label === earlier.label;
}

/** Returns the width of the widest line number. */
export function marginOf(frames: readonly FindingFrame[]): number {
  const widths = frames.flatMap(({ marks }) => marks.map((mark) => lineNumberWidth(mark.place)));
  return Math.max(1, ...widths);
}
