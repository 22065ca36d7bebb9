import { type Finding, type Severity, severities } from "../engine/finding.js";
import { countBySeverity, written } from "./findings.js";
import { quietWords, silencerWords, unusedWords } from "./ignored.js";
import type { ReportInput } from "./input.js";
import { counted, digits, type Look, type Paint, Painter, thousands } from "./painter.js";
import type { Place } from "./places.js";
import { visible } from "./visible.js";

/** Findings for people: a line that terminals and editors can follow, the source line underlined, related places. */
export function* text(input: ReportInput): Generator<string> {
  const writer = new FindingText(input);
  for (const finding of input.findings) yield writer.finding(finding);
  if (input.reportIgnored) yield writer.ignored(input);
  yield writer.summary(input);
}

/** Writes findings one by one. */
export class FindingText {
  private readonly painter: Painter;
  private readonly paints: Readonly<Record<Severity, Paint>>;
  private readonly heads: Readonly<Record<Severity, string>>;

  constructor(look: Look) {
    this.painter = new Painter(look);
    const { bold, red, yellow, cyan } = this.painter.colours;
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
    const { painter } = this;
    const { bold, dim, green, cyan } = painter.colours;
    const { rule, severity, message, place, related, notes, fix } = written(finding, painter.places);
    const margin = related.reduce((widest, other) => Math.max(widest, digits(other.place)), digits(place));
    const note = dim(`${" ".repeat(margin)} = `);
    const blank = " ".repeat(margin + 3);

    const start = `${painter.where(place)}:`;
    const head = `${start} ${severity}: `;
    let out = `${bold(start)} ${this.heads[severity]}: ${painter.flow(message, `[${visible(rule)}]`, head, 4)}\n`;
    out += `${painter.bar(margin)}\n${painter.frame(place, margin, "^", this.paints[severity])}`;
    let last = place;
    for (const other of related) {
      const where = `${painter.where(other.place)}:`;
      out += `${note}${bold(where)} ${painter.flow(other.message, "", `${blank}${where} `, blank.length)}\n`;
      if (isSameLine(other.place, last)) continue;
      out += painter.frame(other.place, margin, "-", cyan);
      last = other.place;
    }
    for (const words of notes)
      out += `${note}${bold("note:")} ${painter.flow(words, "", `${blank}note: `, blank.length)}\n`;
    if (fix)
      out += `${note}${green("fix:")} ${painter.flow(fix.title, `(${fix.safety})`, `${blank}fix: `, blank.length)}\n`;
    return `${out}\n`;
  }

  /** What is kept quiet and by what, a line each. */
  ignored(input: ReportInput): string {
    const { painter } = this;
    const lines = input.ignored.map((finding) => {
      const { rule, place } = written(finding, painter.places);
      return `${painter.where(place)}: ${visible(rule)} ${silencerWords(finding.by, input.base)}\n`;
    });
    const all = [...lines, ...unusedWords(input).map((words) => `${words}\n`)];
    return all.length === 0 ? "" : `${all.map((line) => painter.colours.dim(line)).join("")}\n`;
  }

  summary({ findings, ignored, files, lines }: ReportInput): string {
    const read = `${counted(files, "file")}, ${counted(lines, "line")}`;
    const quiet = quietWords(ignored);
    if (findings.length === 0) return `${this.painter.colours.green("no findings")} in ${read}${quiet}\n`;
    const count = countBySeverity(findings);
    const parts = severities
      .filter((severity) => count[severity] > 0)
      .map((severity) => this.paints[severity](severityCount(count[severity], severity)));
    return `${parts.join(", ")} in ${read}${quiet}\n`;
  }
}

function isSameLine(a: Place, b: Place): boolean {
  return a.file === b.file && a.line.number === b.line.number;
}

function severityCount(count: number, severity: Severity): string {
  return severity === "info" ? `${thousands(count)} info` : counted(count, severity);
}
