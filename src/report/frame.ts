import { toReadable } from "../text/source.js";
import { type Place, startsCharacter } from "./places.js";
import { MASK, type Stretch, secretsIn } from "./secrets.js";
import { columnsOf, firstColumns, isPlain, lastColumns, visible } from "./visible.js";

/** A source line as it is shown, and which of its columns are marked. */
export interface MarkedLine {
  readonly text: string;
  /** Columns ahead of the mark. */
  readonly before: number;
  /** Columns under the mark, at least one. */
  readonly marked: number;
}

const TAB = 4;
const ELLIPSIS = "…";

/** A line in at most some columns, with what stands at the place marked. */
export function markedLine(place: Place, columns: number): MarkedLine {
  const { file, line, start, end } = place;
  const [left, right] = readableStretch(place, columns * 4);
  const secrets = secretsIn(file, line, left, right);
  const raw = file.text.slice(left, right);
  if (secrets.length === 0 && raw.length < columns && isPlain(raw)) {
    return { text: raw, before: start - left, marked: Math.max(1, end - start) };
  }
  const [from, to] = withSecrets(start, Math.min(end, right), secrets);
  const before = shown(file.text, left, from, secrets, "");
  const marked = shown(file.text, from, to, secrets, before);
  const after = shown(file.text, to, right, secrets, before + marked);
  return clipped({ before, marked, after, cutLeft: left > line.start, cutRight: right < line.end }, columns);
}

/** The bytes around a place that are worth decoding: a line may be of any length. */
function readableStretch({ file: { text }, line, start, end }: Place, reach: number): [number, number] {
  let left = Math.max(line.start, start - reach);
  while (left > line.start && left < start && !startsCharacter(text, left)) left++;
  let right = Math.min(line.end, Math.min(end, start + reach) + reach);
  while (right < line.end && right > start && !startsCharacter(text, right)) right--;
  return [left, right];
}

/** A mark that touches a secret marks the whole of it, and so says nothing about its length. */
function withSecrets(start: number, end: number, secrets: readonly Stretch[]): [number, number] {
  let [from, to] = [start, Math.max(start, end)];
  for (const secret of secrets) {
    if (secret.start > to || secret.end <= from || (secret.start === to && to > from)) continue;
    from = Math.min(from, secret.start);
    to = Math.max(to, secret.end);
  }
  return [from, to];
}

/** Bytes as they are shown behind a text: decoded, masked, visible, tabs as spaces. */
function shown(text: string, from: number, to: number, secrets: readonly Stretch[], ahead: string): string {
  let readable = "";
  let at = from;
  for (const secret of secrets) {
    if (secret.start < from || secret.end > to) continue;
    readable += toReadable(text.slice(at, secret.start)) + MASK;
    at = secret.end;
  }
  readable += toReadable(text.slice(at, to));
  return readable.includes("\t") ? withoutTabs(readable, columnsOf(ahead)) : visible(readable);
}

function withoutTabs(text: string, column: number): string {
  const [first = "", ...others] = text.split("\t").map(visible);
  let spaced = first;
  let columns = column + columnsOf(first);
  for (const other of others) {
    const spaces = TAB - (columns % TAB);
    spaced += " ".repeat(spaces) + other;
    columns += spaces + columnsOf(other);
  }
  return spaced;
}

interface LineParts {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
  readonly cutLeft: boolean;
  readonly cutRight: boolean;
}

/** Keeps the mark in sight: with the start of the line where that fits, else with some of what stands around it. */
function clipped({ before, marked, after, cutLeft, cutRight }: LineParts, columns: number): MarkedLine {
  const ahead = columnsOf(before);
  const under = Math.max(1, columnsOf(marked));
  const rest = marked + after;
  if (!cutLeft && !cutRight && fits(rest, under, columns - ahead)) {
    return { text: before + rest, before: ahead, marked: under };
  }
  const behind = cutRight ? columns : Math.max(under, columnsOf(rest));
  const startFits = !cutLeft && ahead + Math.min(under, columns >> 1) < columns;
  const kept = startFits ? before : lastColumns(before, Math.max(columns >> 2, columns - behind) - ELLIPSIS.length);
  const start = startFits ? ahead : columnsOf(kept) + ELLIPSIS.length;
  const isWhole = start + behind <= columns && !cutRight;
  const tail = isWhole ? rest : firstColumns(rest, columns - start - ELLIPSIS.length);
  return {
    text: (startFits ? kept : ELLIPSIS + kept) + (isWhole ? tail : tail + ELLIPSIS),
    before: start,
    marked: isWhole ? under : Math.min(under, columnsOf(tail) + ELLIPSIS.length),
  };
}

/** No UTF-16 code unit takes more than two columns: most lines need no measuring to see that they fit. */
function fits(text: string, under: number, columns: number): boolean {
  return 2 * text.length < columns || Math.max(under, columnsOf(text)) <= columns;
}
