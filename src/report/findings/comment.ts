import { type Finding, severities } from "../../lint/finding.js";
import { formatCount, formatNumber } from "../../text/words.js";
import { escapeMarkdown, formatMarkdownCode } from "../text/markdown.js";
import { PlaceResolver } from "../text/source-places.js";
import { countBySeverity, type ReportInput, renderFinding } from "./rendered-finding.js";

/** Limit of the findings listed, so that a comment has at most 30 lines. */
const MAX_FINDINGS = 12;

/**
 * Renders findings as a short comment on a pull request: a table of the counts by severity, the most severe findings with
 * links to their lines, what was checked, and what was not. It has at most 30 lines, and its first line is a marker by
 * which a later run finds it.
 */
export function* renderComment(input: ReportInput): Generator<string> {
  const { findings, files, lines } = input;
  const count = countBySeverity(findings);
  const category = (input.category ?? "").replace(/[^\w.-]+/g, "-");
  yield `${["<!-- httpd-lint", category, "-->"].filter((word) => word !== "").join(" ")}\n`;
  yield `### httpd-lint: ${findings.length === 0 ? "no findings" : formatCount(findings.length, "finding")}\n\n`;
  if (findings.length > 0) {
    yield `| errors | warnings | info |\n|---:|---:|---:|\n| ${severities.map((each) => formatNumber(count[each])).join(" | ")} |\n\n`;
    yield* listWorst(input);
  }
  yield `Checked: ${formatCount(files, "file")}, ${formatCount(lines, "line")}.\n`;
  const skipped = listSkipped(input);
  if (skipped.length > 0) yield `Not checked: ${skipped.join("; ")}.\n`;
  if (input.ignored.length > 0) yield `Suppressed: ${formatCount(input.ignored.length, "finding")}.\n`;
}

function* listWorst({ findings, base, sourceUrl }: ReportInput): Generator<string> {
  const places = new PlaceResolver(base);
  const sorted = severities.flatMap((severity) => findings.filter((each) => each.severity === severity));
  yield "| severity | line | finding | rule |\n|---|---|---|---|\n";
  for (const finding of sorted.slice(0, MAX_FINDINGS)) yield renderRow(finding, places, sourceUrl);
  const left = sorted.length - MAX_FINDINGS;
  yield left > 0 ? `\nand ${formatCount(left, "more finding")}, which \`httpd-lint check\` lists\n\n` : "\n";
}

function renderRow(finding: Finding, places: PlaceResolver, sourceUrl: string | undefined): string {
  const { severity, message, rule, place, isAboutServer } = renderFinding(finding, places);
  const path = places.path(place.file);
  const line = isAboutServer ? 1 : place.line.number;
  const name = formatMarkdownCode(isAboutServer ? path : `${path}:${line}`);
  const isInside = !path.startsWith("/") && !/^[a-z]:/i.test(path) && !path.startsWith("(");
  const shown = sourceUrl !== undefined && isInside ? `[${name}](${linkTo(sourceUrl, path, line)})` : name;
  // In a cell of a table, a bar separates cells even in code.
  const cells = [severity, shown, escapeMarkdown(message), formatMarkdownCode(rule)];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
}

/** Returns the address of a line of a file. Nothing in it ends a link of Markdown. */
function linkTo(sourceUrl: string, path: string, line: number): string {
  const segments = path.split(/[/\\]/).map((segment) => encodeMarks(encodeURIComponent(segment), /[!'()*]/g));
  const start = encodeMarks(sourceUrl.replace(/\/$/, ""), /[\s()<>`\\]/g);
  return `${start}/${segments.join("/")}#L${line}`;
}

function encodeMarks(text: string, marks: RegExp): string {
  return text.replace(marks, (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** Describes what of the files was not checked. */
function listSkipped({ unchecked = [], unreadCommands = [], untriedCount = 0 }: ReportInput): readonly string[] {
  const lines = unchecked.reduce((sum, section) => sum + section.lines, 0);
  return [
    ...(unchecked.length > 0
      ? [`${formatCount(lines, "line")} in ${formatCount(unchecked.length, "conditional section")}`]
      : []),
    ...(unreadCommands.length > 0
      ? [
          `${formatCount(unreadCommands.length, "command")} that ${unreadCommands.length === 1 ? "writes" : "write"} configuration`,
        ]
      : []),
    ...(untriedCount > 0 ? [`${formatCount(untriedCount, "line")} that the rules tried no request for`] : []),
  ];
}
