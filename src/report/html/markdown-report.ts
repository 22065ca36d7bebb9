import { type Finding, severities } from "../../lint/finding.js";
import { getOrCreate } from "../../text/collections.js";
import { formatCount, formatNumber } from "../../text/words.js";
import { renderMarkdownFinding } from "../findings/finding-markdown.js";
import { countBySeverity, type ReportInput } from "../findings/rendered-finding.js";
import { formatSuppressedCounts } from "../findings/suppressed-counts.js";
import { formatFixableCounts } from "../findings/text.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { formatSeverityCount } from "./findings.js";
import { escapeHtml } from "./html.js";

/** The length limit of a comment on GitHub, in characters. */
const MAX_COMMENT_LENGTH = 65_536;
/** Space reserved for the summary and the note about omitted findings. */
const FOR_THE_REST = 1_000;

/**
 * Renders findings as a comment on a pull request: a summary, and the findings folded by file; only the most severe if
 * not all fit.
 */
export function* renderMarkdown(input: ReportInput): Generator<string> {
  const { findings } = input;
  yield `${summary(input)}\n`;
  const { byFile, count } = selectFitting(input);
  for (const [path, items] of byFile) {
    yield renderOpening(
      path,
      items.map(({ finding }) => finding),
    );
    for (const { text } of items.sort((a, b) => a.index - b.index)) yield text;
    yield CLOSING;
  }
  const left = findings.length - count;
  if (left > 0)
    yield `\n${formatCount(left, "finding")} of ${formatNumber(findings.length)} ${left === 1 ? "is" : "are"} not shown, because a comment is limited to ${formatNumber(MAX_COMMENT_LENGTH)} characters. The most severe findings are shown. To list all, run \`httpd-lint check\`.\n`;
}

const CLOSING = "\n</details>\n";

function renderOpening(path: string, findings: readonly Finding[]): string {
  return `\n<details><summary><code>${escapeHtml(path)}</code>: ${tally(findings)}</summary>\n\n`;
}

function summary({ findings, ignored, files, lines }: ReportInput): string {
  const read = `${formatCount(files, "file")}, ${formatCount(lines, "line")}`;
  const found = findings.length === 0 ? "No findings" : tally(findings);
  return `**httpd-lint: ${found}** in ${read}${formatFixableCounts(findings)}${formatSuppressedCounts(ignored)}`;
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
  let left = MAX_COMMENT_LENGTH - FOR_THE_REST;
  let count = 0;
  for (const severity of severities)
    for (const [index, finding] of findings.entries()) {
      if (finding.severity !== severity) continue;
      const path = makeVisible(places.path(finding.span.file));
      const text = renderMarkdownFinding(finding, places);
      const overhead = byFile.has(path) ? 0 : renderOpening(path, [finding]).length + CLOSING.length + 50;
      left -= text.length + overhead;
      if (left < 0) return { byFile, count };
      getOrCreate(byFile, path, () => []).push({ finding, index, text });
      count++;
    }
  return { byFile, count };
}
