import { type Finding, type Severity, severities } from "../engine/finding.js";
import { countBySeverity, written } from "./findings.js";
import type { ReportInput } from "./input.js";
import { counted, digits, type Paint, Painter, thousands } from "./painter.js";
import type { Place } from "./places.js";
import { visible } from "./visible.js";

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
  private readonly painter: Painter;
  private readonly paints: Readonly<Record<Severity, Paint>>;
  private readonly heads: Readonly<Record<Severity, string>>;

  constructor(input: ReportInput) {
    this.painter = new Painter(input);
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
    const { rule, severity, message, place, related, fix } = written(finding, painter.places);
    const margin = related.reduce((widest, other) => Math.max(widest, digits(other.place)), digits(place));
    const note = dim(`${" ".repeat(margin)} = `);

    let out = `${bold(`${painter.where(place)}:`)} ${this.heads[severity]}: ${painter.words(message)} ${dim(`[${visible(rule)}]`)}\n`;
    out += `${painter.bar(margin)}\n${painter.frame(place, margin, "^", this.paints[severity])}`;
    let last = place;
    for (const other of related) {
      out += `${note}${bold(`${painter.where(other.place)}:`)} ${painter.words(other.message)}\n`;
      if (isSameLine(other.place, last)) continue;
      out += painter.frame(other.place, margin, "-", cyan);
      last = other.place;
    }
    if (fix) out += `${note}${green("fix:")} ${painter.words(fix.title)} ${dim(`(${fix.safety})`)}\n`;
    return `${out}\n`;
  }

  summary({ findings, ignored, files, lines }: ReportInput): string {
    const read = `${counted(files, "file")}, ${counted(lines, "line")}`;
    const quiet = ignored.length === 0 ? "" : `; ${thousands(ignored.length)} ignored by comments`;
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
