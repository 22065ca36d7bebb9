import type { Finding } from "../engine/finding.js";
import type { IgnoredFinding } from "../engine/ignores.js";
import { written } from "./findings.js";
import { silencerWords } from "./ignored.js";
import type { ReportInput } from "./input.js";
import { digits, Painter } from "./painter.js";
import type { Place } from "./places.js";
import { xml } from "./xml.js";

/**
 * Findings as continuous integration reads the results of tests: each is a test of its file that failed. Where nothing is
 * found one test passed, since a report without any is taken for a run that broke off.
 */
export function* junit(input: ReportInput): Generator<string> {
  const { findings, base } = input;
  const painter = new Painter(base === undefined ? {} : { base });
  const ignored = input.reportIgnored ? input.ignored : [];
  const passed = findings.length === 0 ? 1 : 0;
  const numbers = `tests="${findings.length + ignored.length + passed}" failures="${findings.length}" errors="0"`;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${numbers}>\n`;
  yield `<testsuite name="httpd-lint" ${numbers} skipped="${ignored.length}">\n`;
  if (passed > 0) yield '<testcase classname="httpd-lint" name="no findings"/>\n';
  for (const finding of findings) yield failure(finding, painter);
  for (const finding of ignored) yield skipped(finding, painter, base);
  yield "</testsuite>\n</testsuites>\n";
}

function failure(finding: Finding, painter: Painter): string {
  const { rule, severity, message, place, related, notes } = written(finding, painter.places);
  const details = [shown(place, painter), ...related.map((other) => `${shown(other.place, painter, other.message)}`)];
  details.push(...notes.map((note) => `note: ${note}`));
  const text = xml(details.join("\n"));
  return `${opening(rule, place, painter)}\n<failure type="${severity}" message="${xml(message)}">${text}</failure>\n</testcase>\n`;
}

function skipped(finding: IgnoredFinding, painter: Painter, base: string | undefined): string {
  const { rule, place } = written(finding, painter.places);
  return `${opening(rule, place, painter)}\n<skipped message="${xml(silencerWords(finding.by, base))}"/>\n</testcase>\n`;
}

/** A test goes by its file and by rule and place, which no other of them has. */
function opening(rule: string, place: Place, { places }: Painter): string {
  const path = xml(places.path(place.file));
  const { line, column } = places.start(place);
  return `<testcase classname="${path}" name="${xml(rule)} in line ${line}, column ${column}" file="${path}" line="${line}">`;
}

function shown(place: Place, painter: Painter, message = ""): string {
  const words = message === "" ? "" : ` ${message}`;
  return `${painter.where(place)}:${words}\n${painter.frame(place, digits(place), "^", (text) => text)}`;
}
