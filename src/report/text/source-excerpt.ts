import { toReadable } from "../../text/source.js";
import { findSecrets, MASK, type SecretSpan } from "../secrets/redaction.js";
import { isCharacterStart, type SourcePlace } from "./source-places.js";
import { columnsOf, isPlainText, makeVisible, takeFirstColumns, takeLastColumns } from "./visible-text.js";

/** A source line as shown, and its marked columns. */
export interface ExcerptLine {
  readonly text: string;
  /** Number of columns before the mark. */
  readonly before: number;
  /** Number of marked columns, at least one. */
  readonly marked: number;
}

const TAB = 4;
const ELLIPSIS = "…";

/** Renders a line within a number of columns, with a span marked. */
export function cutExcerpt(place: SourcePlace, columns: number): ExcerptLine {
  const { file, line, start, end } = place;
  const [left, right] = readableRange(place, columns * 4);
  const secrets = findSecrets(file, line, left, right);
  const raw = file.text.slice(left, right);
  if (secrets.length === 0 && raw.length < columns && isPlainText(raw)) {
    return { text: raw, before: start - left, marked: Math.max(1, end - start) };
  }
  const [from, to] = widenToSecrets(start, Math.min(end, right), secrets);
  const before = renderBytes(file.text, left, from, secrets, "");
  const marked = renderBytes(file.text, from, to, secrets, before);
  const after = renderBytes(file.text, to, right, secrets, before + marked);
  return clipLine({ before, marked, after, cutLeft: left > line.start, cutRight: right < line.end }, columns);
}

/** Returns the range around a span that is worth decoding: a line may be of any length. */
function readableRange({ file: { text }, line, start, end }: SourcePlace, reach: number): [number, number] {
  let left = Math.max(line.start, start - reach);
  while (left > line.start && left < start && !isCharacterStart(text, left)) left++;
  let right = Math.min(line.end, Math.min(end, start + reach) + reach);
  while (right < line.end && right > start && !isCharacterStart(text, right)) right--;
  return [left, right];
}

/** Extends a mark that touches a secret to the whole secret, so that it does not reveal its length. */
function widenToSecrets(start: number, end: number, secrets: readonly SecretSpan[]): [number, number] {
  let [from, to] = [start, Math.max(start, end)];
  for (const secret of secrets) {
    if (secret.start > to || secret.end <= from || (secret.start === to && to > from)) continue;
    from = Math.min(from, secret.start);
    to = Math.max(to, secret.end);
  }
  return [from, to];
}

/** Renders bytes that follow a text: decoded, masked, visible, tabs as spaces. */
function renderBytes(text: string, from: number, to: number, secrets: readonly SecretSpan[], ahead: string): string {
  let readable = "";
  let at = from;
  for (const secret of secrets) {
    if (secret.start < from || secret.end > to) continue;
    readable += toReadable(text.slice(at, secret.start)) + MASK;
    at = secret.end;
  }
  readable += toReadable(text.slice(at, to));
  return readable.includes("\t") ? replaceTabs(readable, columnsOf(ahead)) : makeVisible(readable);
}

function replaceTabs(text: string, column: number): string {
  const [first = "", ...others] = text.split("\t").map(makeVisible);
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

/**
 * Clips a line so that the mark stays visible: with the start of the line if that fits, else with some text around it.
 */
function clipLine({ before, marked, after, cutLeft, cutRight }: LineParts, columns: number): ExcerptLine {
  const ahead = columnsOf(before);
  const markedColumns = Math.max(1, columnsOf(marked));
  const rest = marked + after;
  if (!cutLeft && !cutRight && fits(rest, markedColumns, columns - ahead)) {
    return { text: before + rest, before: ahead, marked: markedColumns };
  }
  const columnsAfter = cutRight ? columns : Math.max(markedColumns, columnsOf(rest));
  const startFits = !cutLeft && ahead + Math.min(markedColumns, columns >> 1) < columns;
  const kept = startFits
    ? before
    : takeLastColumns(before, Math.max(columns >> 2, columns - columnsAfter) - ELLIPSIS.length);
  const start = startFits ? ahead : columnsOf(kept) + ELLIPSIS.length;
  const isWhole = start + columnsAfter <= columns && !cutRight;
  const tail = isWhole ? rest : takeFirstColumns(rest, columns - start - ELLIPSIS.length);
  return {
    text: (startFits ? kept : ELLIPSIS + kept) + (isWhole ? tail : tail + ELLIPSIS),
    before: start,
    marked: isWhole ? markedColumns : Math.min(markedColumns, columnsOf(tail) + ELLIPSIS.length),
  };
}

/** No UTF-16 code unit takes more than two columns, so most lines fit without being measured. */
function fits(text: string, markedColumns: number, columns: number): boolean {
  return 2 * text.length < columns || Math.max(markedColumns, columnsOf(text)) <= columns;
}
