import { type Finding, severities } from "../../engine/finding.js";
import { getOrCreate } from "../../text/collections.js";
import { countBySeverity, type ReportInput, renderFinding } from "../findings/rendered-finding.js";
import { formatSuppressedCounts } from "../findings/suppressed.js";
import { cutExcerpt } from "../text/source-excerpt.js";
import { PlaceResolver } from "../text/source-places.js";
import { formatCount, formatNumber } from "../text/text-printer.js";
import { makeVisible } from "../text/visible-text.js";
import { formatSeverityCount } from "./findings.js";
import { escapeHtml } from "./html.js";

/** The length limit of a comment on GitHub, in characters. */
const LONGEST_COMMENT = 65_536;
/** Space reserved for the summary and the note about omitted findings. */
const FOR_THE_REST = 1_000;
/** Limit of the columns shown of a source line. */
const COLUMNS = 160;

/**
 * Renders findings as a comment on a pull request: a summary, and the findings folded by file; only the most severe if
 * not all fit.
 */
export function* renderMarkdown(input: ReportInput): Generator<string> {
  const { findings } = input;
  yield `${summary(input)}\n`;
  const { byFile, count } = selectFitting(input);
  for (const [path, items] of byFile) {
    yield opening(
      path,
      items.map(({ finding }) => finding),
    );
    for (const { text } of items.sort((a, b) => a.index - b.index)) yield text;
    yield CLOSING;
  }
  const left = findings.length - count;
  if (left > 0)
    yield `\n${formatCount(left, "finding")} of ${formatNumber(findings.length)} ${left === 1 ? "is" : "are"} left out: a comment holds ${formatNumber(LONGEST_COMMENT)} characters. Those of the highest severity are shown; \`httpd-lint check\` tells of all.\n`;
}

const CLOSING = "\n</details>\n";

function opening(path: string, findings: readonly Finding[]): string {
  return `\n<details><summary><code>${escapeHtml(path)}</code>: ${tally(findings)}</summary>\n\n`;
}

function summary({ findings, ignored, files, lines }: ReportInput): string {
  const read = `${formatCount(files, "file")}, ${formatCount(lines, "line")}`;
  const found = findings.length === 0 ? "No findings" : tally(findings);
  return `**httpd-lint: ${found}** in ${read}${formatSuppressedCounts(ignored)}`;
}

function tally(findings: readonly Finding[]): string {
  const count = countBySeverity(findings);
  const shown = severities.filter((severity) => count[severity] > 0);
  return shown
    .map((severity) => `${formatNumber(count[severity])} ${formatSeverityCount(severity, count[severity])}`)
    .join(", ");
}

interface Item {
  readonly finding: Finding;
  /** The index in all findings. */
  readonly index: number;
  readonly text: string;
}

/** Returns as many findings as fit into a comment, by severity, grouped by file. */
function selectFitting({ findings, base }: ReportInput): {
  readonly byFile: ReadonlyMap<string, Item[]>;
  readonly count: number;
} {
  const places = new PlaceResolver(base);
  const byFile = new Map<string, Item[]>();
  let left = LONGEST_COMMENT - FOR_THE_REST;
  let count = 0;
  for (const severity of severities)
    for (const [index, finding] of findings.entries()) {
      if (finding.severity !== severity) continue;
      const path = makeVisible(places.path(finding.span.file));
      const text = itemOf(finding, places);
      const around = byFile.has(path) ? 0 : opening(path, [finding]).length + CLOSING.length + 50;
      left -= text.length + around;
      if (left < 0) return { byFile, count };
      getOrCreate(byFile, path, () => []).push({ finding, index, text });
      count++;
    }
  return { byFile, count };
}

function itemOf(finding: Finding, places: PlaceResolver): string {
  const { rule, severity, message, place, related, notes, fix } = renderFinding(finding, places);
  const { text } = cutExcerpt(place, COLUMNS);
  const others = related.map(
    (other) =>
      `  - ${formatMarkdownCode(`${places.path(other.place.file)}:${other.place.line.number}`)} ${escapeMarkdown(other.message)}\n`,
  );
  const head = `- **${severity}**, line ${place.line.number}: ${escapeMarkdown(message)} (${formatMarkdownCode(rule)})\n`;
  const facts = notes.map((note) => `  - note: ${escapeMarkdown(note)}\n`).join("");
  const cure = fix ? `  - fix: ${escapeMarkdown(fix.title)} (${fix.safety})\n` : "";
  return `${head}${formatMarkdownBlock(text, "  ")}${others.join("")}${facts}${cure}`;
}

/**
 * Escapes text for GitHub's Markdown, so that it creates no emphasis, HTML, link, mention or reference. Plain words are
 * kept; any other is rendered as code, whose content is not interpreted.
 */
export function escapeMarkdown(text: string): string {
  const parts = text.split(/`([^`]+)`/);
  return parts.map((part, index) => (index % 2 === 0 ? plainWords(part) : formatMarkdownCode(part))).join("");
}

/** Harmless punctuation, and words of letters, digits and similar characters. */
const harmless = /^["'(]*[\p{L}\p{N}][\p{L}\p{N}_.,'%=-]*["'),.;:?\u2026]*$|^[\p{N}\p{L},;.:"'()?=\u2013-]{0,2}$/u;
/** Words that GitHub links: hosts, possible commits, issues such as GH-1. */
const linked = /^["'(]*www\.|[\da-f]{7}|gh-\d/i;

function plainWords(text: string): string {
  return text
    .split(/(\s+)/)
    .map((word, index) => {
      if (index % 2 === 1) return " ";
      return harmless.test(word) && !linked.test(word) ? word.replaceAll("_", "\\_") : formatMarkdownCode(word);
    })
    .join("");
}

/** Renders text as inline code. */
export function formatMarkdownCode(text: string): string {
  const shown = makeVisible(text);
  if (shown.trim() === "") return shown;
  const fence = "`".repeat(longestRun(shown) + 1);
  const gap = fence.length > 1 ? " " : "";
  return `${fence}${gap}${shown}${gap}${fence}`;
}

/** Renders a line as a code block. @param indent of the enclosing list item */
function formatMarkdownBlock(line: string, indent: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(line) + 1));
  return [`${fence}text`, line, fence].map((each) => `${indent}${each}\n`).join("");
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
}
