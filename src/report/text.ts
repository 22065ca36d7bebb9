import colours from "picocolors";
import { type Finding, type Severity, severities } from "../engine/finding.js";
import { countBySeverity, written } from "./findings.js";
import { markedLine } from "./frame.js";
import type { ReportInput } from "./input.js";
import { type Place, Places } from "./places.js";
import { visible } from "./visible.js";

type Colours = ReturnType<typeof colours.createColors>;
type Paint = (text: string) => string;

const DEFAULT_WIDTH = 120;
/** Below this, a frame shows nothing of use; the terminal may wrap it. */
const LEAST_COLUMNS = 20;

/** Findings for people: a line that terminals and editors can follow, the source line underlined, related places. */
export function* text(input: ReportInput): Generator<string> {
  const writer = new TextWriter(input);
  for (const finding of input.findings) yield writer.finding(finding);
  yield writer.summary(input);
}

/** How often each rule found something, the most frequent first. */
export function statistics(findings: readonly Finding[]): string {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const rows = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const width = String(rows[0]?.[1] ?? 0).length;
  return rows.map(([rule, count]) => `${String(count).padStart(width)}  ${visible(rule)}\n`).join("");
}

class TextWriter {
  private readonly places: Places;
  private readonly colours: Colours;
  private readonly paints: Readonly<Record<Severity, Paint>>;
  private readonly heads: Readonly<Record<Severity, string>>;
  private readonly width: number;
  private readonly inColour: boolean;

  constructor({ base, colour = false, width = DEFAULT_WIDTH }: ReportInput) {
    this.places = new Places(base);
    this.colours = colours.createColors(colour);
    const { bold, red, yellow, cyan } = this.colours;
    this.inColour = colour;
    this.width = width;
    this.paints = {
      error: (words) => bold(red(words)),
      warning: (words) => bold(yellow(words)),
      info: (words) => bold(cyan(words)),
    };
    this.heads = {
      error: this.paints.error("error"),
      warning: this.paints.warning("warning"),
      info: this.paints.info("info"),
    };
  }

  finding(finding: Finding): string {
    const { bold, dim, green, cyan } = this.colours;
    const { rule, severity, message, place, related, fix } = written(finding, this.places);
    const margin = related.reduce((widest, other) => Math.max(widest, digits(other.place)), digits(place));
    const bar = dim(`${" ".repeat(margin)} |`);
    const note = dim(`${" ".repeat(margin)} = `);

    let out = `${bold(this.where(place))} ${this.heads[severity]}: ${this.words(message)} ${dim(`[${visible(rule)}]`)}\n`;
    out += `${bar}\n${this.frame(place, margin, bar, "^", this.paints[severity])}`;
    let last = place;
    for (const other of related) {
      out += `${note}${bold(this.where(other.place))} ${this.words(other.message)}\n`;
      if (isSameLine(other.place, last)) continue;
      out += this.frame(other.place, margin, bar, "-", cyan);
      last = other.place;
    }
    if (fix) out += `${note}${green("fix:")} ${this.words(fix.title)} ${dim(`(${fix.safety})`)}\n`;
    return `${out}\n`;
  }

  summary({ findings, ignored, files, lines }: ReportInput): string {
    const read = `${counted(files, "file")}, ${counted(lines, "line")}`;
    const quiet = ignored.length === 0 ? "" : `; ${thousands(ignored.length)} ignored by comments`;
    if (findings.length === 0) return `${this.colours.green("no findings")} in ${read}${quiet}\n`;
    const count = countBySeverity(findings);
    const parts = severities
      .filter((severity) => count[severity] > 0)
      .map((severity) => this.paints[severity](severityCount(count[severity], severity)));
    return `${parts.join(", ")} in ${read}${quiet}\n`;
  }

  private where(place: Place): string {
    const { line, column } = this.places.start(place);
    return `${visible(this.places.path(place.file))}:${line}:${column}:`;
  }

  private frame(place: Place, margin: number, bar: string, mark: string, paint: Paint): string {
    const { text: source, before, marked } = markedLine(place, Math.max(LEAST_COLUMNS, this.width - margin - 3));
    const number = this.colours.dim(`${String(place.line.number).padStart(margin)} |`);
    const shown = source === "" ? number : `${number} ${source}`;
    return `${shown}\n${bar} ${" ".repeat(before)}${paint(mark.repeat(marked))}\n`;
  }

  private words(message: string): string {
    const shown = visible(message);
    return this.inColour ? shown.replace(/`[^`]+`/g, this.colours.bold) : shown;
  }
}

function digits({ line }: Place): number {
  return String(line.number).length;
}

function isSameLine(a: Place, b: Place): boolean {
  return a.file === b.file && a.line.number === b.line.number;
}

function severityCount(count: number, severity: Severity): string {
  return severity === "info" ? `${thousands(count)} info` : counted(count, severity);
}

function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
