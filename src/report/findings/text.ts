import { type Finding, type Severity, severities } from "../../lint/finding.js";
import { formatJson } from "../../text/escaping.js";
import { formatCount, formatNumber } from "../../text/words.js";
import type { statisticsOutput } from "../schema/findings.js";
import type { JsonOf } from "../schema/parts.js";
import { ALL_SHOWN, type Paint, TextPrinter, type TextStyle } from "../text/text-printer.js";
import { makeVisible, toWellFormed } from "../text/visible-text.js";
import { groupIntoFrames, marginOf } from "./frames.js";
import {
  countBySeverity,
  countFixable,
  type FindingPart,
  listFindingParts,
  type RenderedFinding,
  type ReportInput,
  renderFinding,
} from "./rendered-finding.js";
import { groupSimilarFindings, MAX_SIMILAR } from "./similar-findings.js";
import { describeSuppression, describeUnusedIgnores } from "./suppressed.js";
import { formatSuppressedCounts } from "./suppressed-counts.js";

/** The indent of the lines after the first of a header. */
const HEADER_INDENT = 4;

/** Least number of virtual hosts with the same advice, of which only the first is shown in full without `--verbose`. */
const MIN_HOSTS = 6;

/** Renders findings as text: header, source lines with underlines and labels, notes, help and fix. */
export function* renderText(input: ReportInput): Generator<string> {
  const writer = new FindingText(input);
  const { findings, isVerbose = false } = input;
  const explained = new Set<string>();
  for (const { first, others } of groupSimilarFindings(findings, isVerbose ? Number.POSITIVE_INFINITY : MIN_HOSTS)) {
    yield writer.finding(first, input.helpUri?.(first.rule), !explained.has(first.rule));
    explained.add(first.rule);
    if (others.length > 0) yield writer.similar(others);
  }
  if (input.reportIgnored) yield writer.ignored(input);
  if (!input.omitsSummary) yield writer.summary(input);
}

/** Renders one line per finding, for tools that match lines. */
export function* renderConcise(input: ReportInput): Generator<string> {
  const writer = new FindingText(input);
  for (const finding of input.findings) yield writer.conciseLine(finding);
}

/** Renders findings one by one. */
export class FindingText {
  private readonly printer: TextPrinter;
  private readonly paints: Readonly<Record<Severity, Paint>>;
  private readonly isVerbose: boolean;

  constructor(style: TextStyle) {
    this.printer = new TextPrinter(style);
    this.isVerbose = style.isVerbose === true;
    const { bold, red, yellow, cyan } = this.printer.colours;
    this.paints = {
      error: (words) => bold(red(words)),
      warning: (words) => bold(yellow(words)),
      info: (words) => bold(cyan(words)),
    };
  }

  /**
   * Renders a finding in full.
   *
   * @param url the web page of its rule, if it is known
   * @param namesPage whether to name the page of the rule: the first finding of a rule does
   */
  finding(finding: Finding, url?: string, namesPage = false): string {
    const { printer } = this;
    const rendered = renderFinding(finding, printer.places);
    const { rule, severity, message } = rendered;
    const head = `${severity}[${makeVisible(rule)}]`;
    const header = printer.flow(message, "", `${head}: `, HEADER_INDENT);
    const page = namesPage ? [{ kind: "page", text: `\`httpd-lint rules ${rule}\``, tail: "" } as const] : [];
    return `${printer.linkTo(this.paints[severity](head), url)}: ${header}\n${this.body(rendered, page)}\n`;
  }

  /** Renders findings with the same advice as others that are shown before, one line each. */
  similar(findings: readonly Finding[]): string {
    const shown = findings.slice(0, MAX_SIMILAR).map((finding) => `  ${this.conciseLine(finding)}`);
    const left = findings.length - shown.length;
    const more = left > 0 ? `  and ${formatCount(left, "more finding")} (${ALL_SHOWN})\n` : "";
    return `Same advice for (details with --verbose):\n${shown.join("")}${more}\n`;
  }

  /** Renders `path:line:column: severity[rule] message`. */
  conciseLine(finding: Finding): string {
    const { printer } = this;
    const { rule, severity, message, place, isAboutServer } = renderFinding(finding, printer.places);
    const where = isAboutServer ? `${printer.path(place)}:1:1` : printer.formatPlace(place);
    const head = this.paints[severity](`${severity}[${makeVisible(rule)}]`);
    return `${printer.link(printer.colours.bold(where), place)}: ${head} ${makeVisible(message)}\n`;
  }

  /** Renders the same as an item of a list; on a terminal, wrapped. */
  listItem(finding: Finding): string {
    const { printer } = this;
    const { rule, severity, message, place, isAboutServer } = renderFinding(finding, printer.places);
    const where = isAboutServer ? `${printer.path(place)}:1:1` : printer.formatPlace(place);
    const head = `${severity}[${makeVisible(rule)}]`;
    const shown = printer.flowAfter(`  ${where}: ${head}`, message, HEADER_INDENT);
    return `  ${printer.link(printer.colours.bold(where), place)}: ${this.paints[severity](head)}${shown}\n`;
  }

  /** Renders all of a finding after its header: locations, labels, notes, help, fix, and further parts. */
  body(rendered: RenderedFinding, further: readonly FindingPart[] = []): string {
    const { printer } = this;
    const { bold, dim, green, cyan } = printer.colours;
    const { place, severity, isAboutServer } = rendered;
    const frames = groupIntoFrames(rendered, [this.paints[severity], cyan]);
    const margin = marginOf(frames);
    const bar = `${printer.bar(margin)}\n`;
    const blank = " ".repeat(margin);
    let out = "";
    for (const [index, frame] of frames.entries()) {
      const where = index === 0 && isAboutServer ? printer.path(place) : printer.formatPlace(frame.place);
      const arrow = index === 0 ? "-->" : ":::";
      out += `${index === 0 ? "" : bar}${blank}${dim(arrow)} ${printer.link(bold(where), frame.place)}\n`;
      if (frame.marks.length > 0) out += bar + printer.frameOf(frame.marks, margin);
    }
    const parts = [...this.repetitions(rendered), ...listFindingParts(rendered), ...further];
    if (parts.length > 0 && frames.some(({ marks }) => marks.length > 0)) out += bar;
    for (const { kind, text, tail } of parts) {
      const ahead = `${blank} = ${kind}: `;
      const name = kind === "fix" ? green("fix:") : bold(`${kind}:`);
      out += `${dim(`${blank} = `)}${name} ${printer.flow(text, tail, ahead, ahead.length)}\n`;
    }
    return out;
  }

  /** Returns the virtual hosts of a finding in several, and all its lines if the output is verbose. */
  private repetitions(rendered: RenderedFinding): readonly FindingPart[] {
    const toPart = (text: string) => ({ kind: "note", text, tail: "" }) as const;
    const others = this.isVerbose ? rendered.additionalLocations : [];
    return [
      ...(rendered.hostCount > 1
        ? [toPart(`in ${formatCount(rendered.hostCount, "host")}: ${rendered.formatHosts(this.isVerbose)}`)]
        : []),
      ...others.map(({ message, place }) => toPart(`${message}: ${this.printer.formatPlace(place)}`)),
    ];
  }

  /** Renders the suppressed findings with their suppressions, one line each. */
  ignored(input: ReportInput): string {
    const { printer } = this;
    const lines = input.ignored.map((finding) => {
      const { rule, place } = renderFinding(finding, printer.places);
      return `${printer.formatPlace(place)}: ${makeVisible(rule)} ${describeSuppression(finding.by, input.base)}\n`;
    });
    const all = [...lines, ...describeUnusedIgnores(input).map((words) => `${words}\n`)];
    return all.length === 0 ? "" : `${all.map((line) => printer.colours.dim(line)).join("")}\n`;
  }

  summary({ findings, ignored, files, lines }: ReportInput): string {
    const read = `${formatCount(files, "file")}, ${formatCount(lines, "line")}`;
    const quiet = `${formatFixableCounts(findings)}${formatSuppressedCounts(ignored)}`;
    if (findings.length === 0) return `${this.printer.colours.green("no findings")} in ${read}${quiet}\n`;
    const count = countBySeverity(findings);
    const parts = severities
      .filter((severity) => count[severity] > 0)
      .map((severity) => this.paints[severity](formatFindingCount(count[severity], severity)));
    return `${parts.join(", ")} in ${read}${quiet}\n`;
  }
}

/** Renders how many findings can be fixed, as the end of a line. */
export function formatFixableCounts(findings: readonly Finding[]): string {
  const { safe, unsafe } = countFixable(findings);
  const parts = [
    ...(safe > 0 ? [`${formatNumber(safe)} fixable with --fix`] : []),
    ...(unsafe > 0 ? [`${formatNumber(unsafe)} ${safe > 0 ? "more" : "fixable"} with --fix=unsafe`] : []),
  ];
  return parts.length === 0 ? "" : `; ${parts.join(", ")}`;
}

/** Formats a number of findings of one severity: `2 errors`, `1 info`. */
export function formatFindingCount(count: number, severity: Severity): string {
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
    const whole: JsonOf<typeof statisticsOutput> = {
      version,
      statistics: countsOf(findings).map(({ rule, count }) => ({ rule: toWellFormed(rule), count })),
      summary: { ...countBySeverity(findings), files, lines },
    };
    return `${formatJson(whole)}\n`;
  },
} as const;

function countsOf(findings: readonly Finding[]): { readonly rule: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts]
    .map(([rule, count]) => ({ rule, count }))
    .sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1));
}
