import type { Finding } from "../../lint/finding.js";
import type { SuppressedFinding } from "../../lint/suppressions.js";
import type { SourcePlace } from "../text/source-places.js";
import { TextPrinter } from "../text/text-printer.js";
import { escapeXml } from "../text/visible-text.js";
import { type ReportInput, renderFinding } from "./rendered-finding.js";
import { describeSuppression } from "./suppressed.js";
import { FindingText } from "./text.js";

/**
 * Renders findings as test results for continuous integration: each is a failed test of its file. Without findings,
 * there is one passed test, since an empty report counts as an aborted run.
 */
export function* renderJunit(input: ReportInput): Generator<string> {
  const { findings, base } = input;
  const style = base === undefined ? {} : { base };
  const printer = new TextPrinter(style);
  const writer = new FindingText(style);
  const ignored = input.reportIgnored ? input.ignored : [];
  const passed = findings.length === 0 ? 1 : 0;
  const numbers = `tests="${findings.length + ignored.length + passed}" failures="${findings.length}" errors="0"`;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${numbers}>\n`;
  yield `<testsuite name="httpd-lint" ${numbers} skipped="${ignored.length}">\n`;
  if (passed > 0) yield '<testcase classname="httpd-lint" name="no findings"/>\n';
  for (const finding of findings) yield failure(finding, writer, printer);
  for (const finding of ignored) yield renderSkipped(finding, printer, base);
  yield "</testsuite>\n</testsuites>\n";
}

function failure(finding: Finding, writer: FindingText, printer: TextPrinter): string {
  const rendered = renderFinding(finding, printer.places);
  const { rule, severity, message, place } = rendered;
  return `${renderOpening(rule, place, printer)}\n<failure type="${severity}" message="${escapeXml(message)}">${escapeXml(writer.body(rendered))}</failure>\n</testcase>\n`;
}

function renderSkipped(finding: SuppressedFinding, printer: TextPrinter, base: string | undefined): string {
  const { rule, place } = renderFinding(finding, printer.places);
  return `${renderOpening(rule, place, printer)}\n<skipped message="${escapeXml(describeSuppression(finding.by, base))}"/>\n</testcase>\n`;
}

/** Renders the start of a test, which is identified by its file, its rule and its location. */
function renderOpening(rule: string, place: SourcePlace, { places }: TextPrinter): string {
  const path = escapeXml(places.path(place.file));
  const { line, column } = places.start(place);
  return `<testcase classname="${path}" name="${escapeXml(rule)} in line ${line}, column ${column}" file="${path}" line="${line}">`;
}
