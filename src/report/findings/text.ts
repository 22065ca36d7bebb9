import { type Finding, type Severity, severities } from "../../engine/finding.js";
import { formatJson } from "../../text/escaping.js";
import type { SourcePlace } from "../text/source-places.js";
import {
  formatCount,
  formatNumber,
  lineNumberWidth,
  type Paint,
  TextPrinter,
  type TextStyle,
} from "../text/text-printer.js";
import { makeVisible, toWellFormed } from "../text/visible-text.js";
import { countBySeverity, type ReportInput, renderFinding } from "./rendered-finding.js";
import { describeSuppression, describeUnusedIgnores, formatSuppressedCounts } from "./suppressed.js";

/**
 * Renders findings as text: a line that terminals and editors can follow, the source line underlined, related
 * locations.
 */
export function* renderText(input: ReportInput): Generator<string> {
  const writer = new FindingText(input);
  for (const finding of input.findings) yield writer.finding(finding);
  if (input.reportIgnored) yield writer.ignored(input);
  yield writer.summary(input);
}

/** Renders findings one by one. */
export class FindingText {
  private readonly painter: TextPrinter;
  private readonly paints: Readonly<Record<Severity, Paint>>;
  private readonly heads: Readonly<Record<Severity, string>>;

  constructor(look: TextStyle) {
    this.painter = new TextPrinter(look);
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
    const { rule, severity, message, place, related, notes, fix } = renderFinding(finding, painter.places);
    const margin = related.reduce(
      (widest, other) => Math.max(widest, lineNumberWidth(other.place)),
      lineNumberWidth(place),
    );
    const note = dim(`${" ".repeat(margin)} = `);
    const blank = " ".repeat(margin + 3);

    const start = `${painter.where(place)}:`;
    const head = `${start} ${severity}: `;
    let out = `${bold(start)} ${this.heads[severity]}: ${painter.flow(message, `[${makeVisible(rule)}]`, head, 4)}\n`;
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

  /** Renders the suppressed findings with their suppressions, one line each. */
  ignored(input: ReportInput): string {
    const { painter } = this;
    const lines = input.ignored.map((finding) => {
      const { rule, place } = renderFinding(finding, painter.places);
      return `${painter.where(place)}: ${makeVisible(rule)} ${describeSuppression(finding.by, input.base)}\n`;
    });
    const all = [...lines, ...describeUnusedIgnores(input).map((words) => `${words}\n`)];
    return all.length === 0 ? "" : `${all.map((line) => painter.colours.dim(line)).join("")}\n`;
  }

  summary({ findings, ignored, files, lines }: ReportInput): string {
    const read = `${formatCount(files, "file")}, ${formatCount(lines, "line")}`;
    const quiet = formatSuppressedCounts(ignored);
    if (findings.length === 0) return `${this.painter.colours.green("no findings")} in ${read}${quiet}\n`;
    const count = countBySeverity(findings);
    const parts = severities
      .filter((severity) => count[severity] > 0)
      .map((severity) => this.paints[severity](severityCount(count[severity], severity)));
    return `${parts.join(", ")} in ${read}${quiet}\n`;
  }
}

function isSameLine(a: SourcePlace, b: SourcePlace): boolean {
  return a.file === b.file && a.line.number === b.line.number;
}

function severityCount(count: number, severity: Severity): string {
  return severity === "info" ? `${formatNumber(count)} info` : formatCount(count, severity);
}

/** Renders the number of findings per rule, the most frequent first, in each supported format. */
export const statisticsWriters = {
  text({ findings }: Pick<ReportInput, "findings">): string {
    const rows = countsOf(findings);
    const width = String(rows[0]?.count ?? 0).length;
    return rows.map(({ rule, count }) => `${String(count).padStart(width)}  ${makeVisible(rule)}\n`).join("");
  },
  /** In the format of `statistics.schema.json`. */
  json({ findings, version, files, lines }: ReportInput): string {
    const rules = countsOf(findings).map(({ rule, count }) => ({ rule: toWellFormed(rule), count }));
    return `${formatJson({ version, statistics: rules, summary: { ...countBySeverity(findings), files, lines } })}\n`;
  },
} as const;

function countsOf(findings: readonly Finding[]): { readonly rule: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts]
    .map(([rule, count]) => ({ rule, count }))
    .sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1));
}
