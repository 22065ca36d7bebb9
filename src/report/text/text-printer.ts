import colours from "picocolors";
import { ASSUMED_PATH } from "../../config/model/project.js";
import { memoizeByText } from "../../text/memoize.js";
import type { SourceFile } from "../../text/source.js";
import { formatCount, formatNumber } from "../../text/words.js";
import { cutExcerpt } from "./source-excerpt.js";
import { PlaceResolver, type SourcePlace } from "./source-places.js";
import { columnsOf, makeVisible, toWellFormed } from "./visible-text.js";

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
  /** Whether locations are hyperlinks, which the terminal must support. */
  readonly hyperlinks?: boolean;
  /** Whether lists are complete, however long. */
  readonly isVerbose?: boolean;
}

/** A span to be underlined in a frame. */
export interface FrameMark {
  readonly place: SourcePlace;
  readonly sign: "^" | "-";
  readonly paint: Paint;
  /** The words after the underline; empty if there are none. */
  readonly label: string;
}

const DEFAULT_WIDTH = 120;
/** Below this width, a frame is not useful; the terminal may wrap it. */
const MIN_COLUMNS = 20;
/** A label below its mark gets at least this width, even if the mark is further to the right. */
const LABEL_COLUMNS = 40;

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
  private readonly hyperlinks: boolean;
  /** Cache by margin. */
  private readonly bars: string[] = [];

  constructor({ base, colour = false, width, hyperlinks = false }: TextStyle) {
    this.places = new PlaceResolver(base);
    this.colours = colours.createColors(colour);
    this.inColour = colour;
    this.width = width ?? DEFAULT_WIDTH;
    this.columns = width;
    this.hyperlinks = hyperlinks;
  }

  /** Renders a location that terminals and editors can follow; lines that are assumed have none. */
  formatPlace(place: SourcePlace): string {
    if (place.file.path === ASSUMED_PATH) return this.path(place);
    const { line, column } = this.places.start(place);
    return `${this.path(place)}:${line}:${column}`;
  }

  /** Renders the path of a location. */
  path({ file }: SourcePlace): string {
    return visibleTextOf(this.places.path(file));
  }

  /** Renders words about a location as a hyperlink to its file, if the terminal supports that. */
  link(words: string, { file }: SourcePlace): string {
    return this.linkTo(words, fileUriOf(file));
  }

  /** Renders words as a hyperlink to an address, if it is known and the terminal supports that. */
  linkTo(words: string, address: string | undefined): string {
    const isLinked = this.hyperlinks && address !== undefined;
    return isLinked ? `${LINK}${address}${LINK_END}${words}${LINK}${LINK_END}` : words;
  }

  /** Renders the bar at the left of a frame. @param margin columns of the widest line number */
  bar(margin: number): string {
    const known = this.bars[margin] ?? this.colours.dim(`${" ".repeat(margin)} |`);
    this.bars[margin] = known;
    return known;
  }

  /** Renders a source line with a span underlined. */
  frame(place: SourcePlace, margin: number, sign: FrameMark["sign"], paint: Paint): string {
    return this.frameOf([{ place, sign, paint, label: "" }], margin);
  }

  /** Renders the source lines of a file with spans underlined. @param marks by line */
  frameOf(marks: readonly FrameMark[], margin: number): string {
    const { dim } = this.colours;
    let out = "";
    let last = { number: 0, source: "" };
    for (const mark of marks) {
      const { number } = mark.place.line;
      const { text: source, before, marked } = cutExcerpt(mark.place, this.frameColumns(margin));
      if (out !== "" && number > last.number + 1) out += `${dim("...")}\n`;
      if (number !== last.number || source !== last.source) {
        const head = dim(`${String(number).padStart(margin)} |`);
        out += source === "" ? `${head}\n` : `${head} ${source}\n`;
      }
      out += this.underline(mark, margin, before, marked);
      last = { number, source };
    }
    return out;
  }

  private frameColumns(margin: number): number {
    return Math.max(MIN_COLUMNS, this.width - margin - 3);
  }

  /** Renders an underline and its label: after it if that fits, otherwise on the lines below. */
  private underline({ sign, paint, label }: FrameMark, margin: number, before: number, marked: number): string {
    const bar = this.bar(margin);
    const line = `${bar} ${" ".repeat(before)}${paint(sign.repeat(marked))}`;
    if (label === "") return `${line}\n`;
    const shown = visibleTextOf(label);
    const { columns } = this;
    const within = this.frameColumns(margin);
    if (columns === undefined || before + marked + 1 + columnsOf(shown) <= within) return `${line} ${paint(shown)}\n`;
    const indent = Math.max(0, Math.min(before, within - LABEL_COLUMNS));
    const lines = breakLines(shown, within, indent, indent).split("\n");
    return `${line}\n${lines.map((words) => `${bar} ${" ".repeat(indent)}${paint(words.trimStart())}\n`).join("")}`;
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

  /**
   * Renders a message after other text on its line, with a space before it. If its first word does not fit, it starts on
   * the next line.
   *
   * @param ahead the last line of the other text, without colors
   * @param indent columns before the lines after the first
   */
  flowAfter(ahead: string, message: string, indent: number): string {
    const [first = ""] = visibleTextOf(message).split(" ", 1);
    const isFull = this.columns !== undefined && columnsOf(ahead) + 1 + columnsOf(first) > this.columns;
    if (!isFull || columnsOf(ahead) < indent) return ` ${this.flow(message, "", `${ahead} `, indent)}`;
    const margin = " ".repeat(indent);
    return `\n${margin}${this.flow(message, "", margin, indent)}`;
  }

  /** Highlights the quotes in a message. */
  private setOff(shown: string): string {
    return this.inColour ? shown.replace(/`[^`]+`/g, this.colours.bold) : shown;
  }
}

const LINK = "\u001b]8;;";
const LINK_END = "\u001b\\";

/** Returns the URI of a file; undefined if there is no such file. */
function fileUriOf({ path, realPath }: SourceFile): string | undefined {
  if (path === ASSUMED_PATH) return undefined;
  const slashed = realPath.startsWith("/") ? realPath : `/${realPath.replaceAll("\\", "/")}`;
  return `file://${toWellFormed(slashed).split("/").map(encodeURIComponent).join("/")}`;
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

/** Limit of the names that a list shows; of more, it shows the first. */
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

/** Renders `2 more hosts: a, b`: the items other than the one shown, by name, or of many only the first. */
export function formatMore(noun: string, names: readonly string[], isVerbose: boolean): string {
  const shown = formatNames(
    names.filter((name) => name !== ""),
    isVerbose,
  );
  return `${formatCount(names.length, `more ${noun}`)}${shown === "" ? "" : `: ${shown}`}`;
}

/** Renders names as a list; of many, `a and 999 more`. @param isVerbose whether all are listed */
export function formatNames(names: readonly string[], isVerbose: boolean): string {
  const [first = ""] = names;
  if (isVerbose || names.length <= MAX_NAMES) return names.join(", ");
  return `${first} and ${formatNumber(names.length - 1)} more (${ALL_SHOWN})`;
}

/** How to see all of a list that is shown in part. */
export const ALL_SHOWN = "all with --verbose";
