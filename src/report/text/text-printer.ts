import colours from "picocolors";
import { memoizeByText } from "../../text/memoize.js";
import { cutExcerpt } from "./source-excerpt.js";
import { PlaceResolver, type SourcePlace } from "./source-places.js";
import { columnsOf, makeVisible } from "./visible-text.js";

export type TerminalColours = ReturnType<typeof colours.createColors>;
export type Paint = (text: string) => string;

/** Display options of text output. */
export interface TextStyle {
  /** The directory that paths are shown relative to; files outside it keep their absolute paths. */
  readonly base?: string;
  /** Whether colors are used. */
  readonly colour?: boolean;
  /** The width of the terminal in columns. */
  readonly width?: number;
}

const DEFAULT_WIDTH = 120;
/** Below this width, a frame is not useful; the terminal may wrap it. */
const LEAST_COLUMNS = 20;

/** Cached, since thousands of findings have few messages and few files. */
const visibleTextOf = memoizeByText(makeVisible);

/** Renders locations and source lines as text. */
export class TextPrinter {
  readonly places: PlaceResolver;
  readonly colours: TerminalColours;
  private readonly width: number;
  /** The width of the terminal; undefined if lines may have any length. */
  private readonly columns: number | undefined;
  private readonly inColour: boolean;
  /** Cache by margin. */
  private readonly bars: string[] = [];

  constructor({ base, colour = false, width }: TextStyle) {
    this.places = new PlaceResolver(base);
    this.colours = colours.createColors(colour);
    this.inColour = colour;
    this.width = width ?? DEFAULT_WIDTH;
    this.columns = width;
  }

  /** Renders a location that terminals and editors can follow. */
  where(place: SourcePlace): string {
    const { line, column } = this.places.start(place);
    return `${visibleTextOf(this.places.path(place.file))}:${line}:${column}`;
  }

  /** Renders the bar at the left of a frame. @param margin columns of the widest line number */
  bar(margin: number): string {
    const known = this.bars[margin] ?? this.colours.dim(`${" ".repeat(margin)} |`);
    this.bars[margin] = known;
    return known;
  }

  /** Renders a source line with a span underlined. */
  frame(place: SourcePlace, margin: number, mark: string, paint: Paint): string {
    const { text: source, before, marked } = cutExcerpt(place, Math.max(LEAST_COLUMNS, this.width - margin - 3));
    const number = this.colours.dim(`${String(place.line.number).padStart(margin)} |`);
    const shown = source === "" ? number : `${number} ${source}`;
    return `${shown}\n${this.bar(margin)} ${" ".repeat(before)}${paint(mark.repeat(marked))}\n`;
  }

  /**
   * Renders a message and its dimmed tail; on a terminal, wrapped between words.
   *
   * @param ahead the text before it on its line
   * @param indent columns before the lines after the first
   */
  flow(message: string, tail: string, ahead: string, indent: number): string {
    const shown = visibleTextOf(message);
    const whole = tail === "" ? shown : `${shown} ${tail}`;
    const lines = this.columns === undefined ? whole : breakLines(whole, this.columns, columnsOf(ahead), indent);
    return this.setOff(lines.slice(0, lines.length - tail.length)) + (tail === "" ? "" : this.colours.dim(tail));
  }

  /** Highlights the quotes in a message. */
  private setOff(shown: string): string {
    return this.inColour ? shown.replace(/`[^`]+`/g, this.colours.bold) : shown;
  }
}

/** Wraps text between words at the last column; a longer word is left to the terminal. */
function breakLines(text: string, columns: number, ahead: number, indent: number): string {
  let lines = "";
  let column = ahead;
  for (const [index, word] of text.split(" ").entries()) {
    const width = columnsOf(word);
    const fits = index === 0 || column + 1 + width <= columns || column === indent;
    if (index > 0) lines += fits ? " " : `\n${" ".repeat(indent)}`;
    column = (fits ? column + (index > 0 ? 1 : 0) : indent) + width;
    lines += word;
  }
  return lines;
}

/** Returns the width of a line number. */
export function lineNumberWidth({ line }: SourcePlace): number {
  return String(line.number).length;
}

/** `1 file`, `2 files`, `1,234 lines`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Limit of the names shown. */
const MAX_NAMES = 20;

/** The first of several equivalent items, and the others. */
export interface EqualGroup<T> {
  readonly first: T;
  readonly others: readonly T[];
}

/** Groups items by key, in the order of the first of each. */
export function groupByKey<T>(all: readonly T[], keyOf: (each: T) => string): readonly EqualGroup<T>[] {
  const groups = new Map<string, { readonly first: T; readonly others: T[] }>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.others.push(each);
    else groups.set(key, { first: each, others: [] });
  }
  return [...groups.values()];
}

/** Renders `2 more hosts: a, b`: the items other than the one shown, by name. */
export function formatMore(noun: string, names: readonly string[]): string {
  const known = names.filter((name) => name !== "");
  const left = known.length > MAX_NAMES ? ` and ${known.length - MAX_NAMES} others` : "";
  const shown = known.slice(0, MAX_NAMES).join(", ");
  return `${formatCount(names.length, `more ${noun}`)}${shown === "" ? "" : `: ${shown}${left}`}`;
}
