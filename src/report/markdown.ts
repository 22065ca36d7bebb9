import { type Finding, severities } from "../engine/finding.js";
import { countBySeverity, written } from "./findings.js";
import { markedLine } from "./frame.js";
import { severityName } from "./html/findings-piece.js";
import { escaped } from "./html/html.js";
import { quietWords } from "./ignored.js";
import type { ReportInput } from "./input.js";
import { code, codeBlock, markdownText } from "./markdown-text.js";
import { counted, thousands } from "./painter.js";
import { Places } from "./places.js";
import { visible } from "./visible.js";

/** So long a comment may be on GitHub, in characters. */
const LONGEST_COMMENT = 65_536;
/** What is said of the whole, and of what is left out, fits into this. */
const FOR_THE_REST = 1_000;
/** So much is shown of a source line. */
const COLUMNS = 160;

/** Findings as a comment on a pull request: a summary, and the findings folded by file; the worst where not all fit. */
export function* markdown(input: ReportInput): Generator<string> {
  const { findings } = input;
  yield `${summary(input)}\n`;
  const { byFile, count } = fitting(input);
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
    yield `\n${counted(left, "finding")} of ${thousands(findings.length)} ${left === 1 ? "is" : "are"} left out: a comment holds ${thousands(LONGEST_COMMENT)} characters. Those of the highest severity are shown; \`httpd-lint check\` tells of all.\n`;
}

const CLOSING = "\n</details>\n";

function opening(path: string, findings: readonly Finding[]): string {
  return `\n<details><summary><code>${escaped(path)}</code>: ${tally(findings)}</summary>\n\n`;
}

function summary({ findings, ignored, files, lines }: ReportInput): string {
  const read = `${counted(files, "file")}, ${counted(lines, "line")}`;
  const found = findings.length === 0 ? "No findings" : tally(findings);
  return `**httpd-lint: ${found}** in ${read}${quietWords(ignored)}`;
}

function tally(findings: readonly Finding[]): string {
  const count = countBySeverity(findings);
  const shown = severities.filter((severity) => count[severity] > 0);
  return shown.map((severity) => `${thousands(count[severity])} ${severityName(severity, count[severity])}`).join(", ");
}

interface Item {
  readonly finding: Finding;
  /** Among all findings. */
  readonly index: number;
  readonly text: string;
}

/** As many findings as a comment holds, the worst first, by file. */
function fitting({ findings, base }: ReportInput): {
  readonly byFile: ReadonlyMap<string, Item[]>;
  readonly count: number;
} {
  const places = new Places(base);
  const byFile = new Map<string, Item[]>();
  let left = LONGEST_COMMENT - FOR_THE_REST;
  let count = 0;
  for (const severity of severities)
    for (const [index, finding] of findings.entries()) {
      if (finding.severity !== severity) continue;
      const path = visible(places.path(finding.span.file));
      const text = itemOf(finding, places);
      const around = byFile.has(path) ? 0 : opening(path, [finding]).length + CLOSING.length + 50;
      left -= text.length + around;
      if (left < 0) return { byFile, count };
      byFile.set(path, [...(byFile.get(path) ?? []), { finding, index, text }]);
      count++;
    }
  return { byFile, count };
}

function itemOf(finding: Finding, places: Places): string {
  const { rule, severity, message, place, related, notes, fix } = written(finding, places);
  const { text } = markedLine(place, COLUMNS);
  const others = related.map(
    (other) =>
      `  - ${code(`${places.path(other.place.file)}:${other.place.line.number}`)} ${markdownText(other.message)}\n`,
  );
  const head = `- **${severity}**, line ${place.line.number}: ${markdownText(message)} (${code(rule)})\n`;
  const facts = notes.map((note) => `  - note: ${markdownText(note)}\n`).join("");
  const cure = fix ? `  - fix: ${markdownText(fix.title)} (${fix.safety})\n` : "";
  return `${head}${codeBlock(text, "  ")}${others.join("")}${facts}${cure}`;
}
