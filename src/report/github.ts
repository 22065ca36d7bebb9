import type { Severity } from "../engine/finding.js";
import { written } from "./findings.js";
import type { ReportInput } from "./input.js";
import { type Place, Places } from "./places.js";
import { visible } from "./visible.js";

const commands: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice" };

/** Workflow commands that make GitHub annotate the lines of a pull request. GitHub shows ten of each kind a step. */
export function* github(input: ReportInput): Generator<string> {
  const places = new Places(input.base);
  for (const finding of input.findings) {
    const { rule, severity, message, place, related, notes } = written(finding, places);
    const { start, end } = places.region(place);
    const properties = [
      `file=${property(visible(places.path(place.file)))}`,
      `line=${start.line}`,
      `endLine=${end.line}`,
      `col=${start.column}`,
      `endColumn=${end.column}`,
      `title=${property(rule)}`,
    ];
    const lines = [message, ...related.map((other) => `${where(other.place, places)}: ${other.message}`)];
    lines.push(...notes.map((note) => `note: ${note}`));
    yield `::${commands[severity]} ${properties.join(",")}::${data(lines.map(visible).join("\n"))}\n`;
  }
}

function where(place: Place, places: Places): string {
  const { line, column } = places.start(place);
  return `${places.path(place.file)}:${line}:${column}`;
}

/** A command's text, escaped as the runner unescapes it. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** A command's property, which also ends at a colon or comma. */
function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
