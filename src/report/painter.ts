import colours from "picocolors";
import { remembered } from "../text/remembered.js";
import { markedLine } from "./frame.js";
import { type Place, Places } from "./places.js";
import { columnsOf, visible } from "./visible.js";

export type Colours = ReturnType<typeof colours.createColors>;
export type Paint = (text: string) => string;

/** How text for people should look. */
export interface Look {
  /** The directory that paths are shown relative to; files outside it keep their absolute paths. */
  readonly base?: string;
  /** With colours. */
  readonly colour?: boolean;
  /** Columns of the terminal. */
  readonly width?: number;
}

const DEFAULT_WIDTH = 120;
/** Below this, a frame shows nothing of use; the terminal may wrap it. */
const LEAST_COLUMNS = 20;

/** Findings by the thousand have few messages, and few files. */
const shownOf = remembered(visible);

/** Writes places and source lines for people. */
export class Painter {
  readonly places: Places;
  readonly colours: Colours;
  private readonly width: number;
  /** Of the terminal; undefined where lines may be of any length. */
  private readonly columns: number | undefined;
  private readonly inColour: boolean;
  /** By margin. */
  private readonly bars: string[] = [];

  constructor({ base, colour = false, width }: Look) {
    this.places = new Places(base);
    this.colours = colours.createColors(colour);
    this.inColour = colour;
    this.width = width ?? DEFAULT_WIDTH;
    this.columns = width;
  }

  /** A place that terminals and editors can follow. */
  where(place: Place): string {
    const { line, column } = this.places.start(place);
    return `${shownOf(this.places.path(place.file))}:${line}:${column}`;
  }

  /** The bar at the left of a frame. @param margin columns of the widest line number */
  bar(margin: number): string {
    const known = this.bars[margin] ?? this.colours.dim(`${" ".repeat(margin)} |`);
    this.bars[margin] = known;
    return known;
  }

  /** A source line with what stands at the place underlined. */
  frame(place: Place, margin: number, mark: string, paint: Paint): string {
    const { text: source, before, marked } = markedLine(place, Math.max(LEAST_COLUMNS, this.width - margin - 3));
    const number = this.colours.dim(`${String(place.line.number).padStart(margin)} |`);
    const shown = source === "" ? number : `${number} ${source}`;
    return `${shown}\n${this.bar(margin)} ${" ".repeat(before)}${paint(mark.repeat(marked))}\n`;
  }

  /**
   * A message, and what is said behind it more quietly: on a terminal broken between words.
   *
   * @param ahead what stands before it on its line
   * @param indent columns in front of the lines after the first
   */
  flow(message: string, tail: string, ahead: string, indent: number): string {
    const shown = shownOf(message);
    const whole = tail === "" ? shown : `${shown} ${tail}`;
    const lines = this.columns === undefined ? whole : broken(whole, this.columns, columnsOf(ahead), indent);
    return this.setOff(lines.slice(0, lines.length - tail.length)) + (tail === "" ? "" : this.colours.dim(tail));
  }

  /** What a message quotes is set off. */
  private setOff(shown: string): string {
    return this.inColour ? shown.replace(/`[^`]+`/g, this.colours.bold) : shown;
  }
}

/** Text with line breaks between words where it would go beyond the last column; a longer word is left to the terminal. */
function broken(text: string, columns: number, ahead: number, indent: number): string {
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

/** How many columns the number of a place's line takes. */
export function digits({ line }: Place): number {
  return String(line.number).length;
}

/** `1 file`, `2 files`, `1,234 lines`. */
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
