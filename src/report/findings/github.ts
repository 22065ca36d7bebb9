import type { Severity } from "../../engine/finding.js";
import { PlaceResolver, type SourcePlace } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { type ReportInput, renderFinding } from "./rendered-finding.js";

const commands: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice" };

/**
 * Renders workflow commands with which GitHub annotates the lines of a pull request. GitHub shows ten of each kind per
 * step.
 */
export function* renderGithub(input: ReportInput): Generator<string> {
  const places = new PlaceResolver(input.base);
  for (const finding of input.findings) {
    const { rule, severity, message, place, related, notes } = renderFinding(finding, places);
    const { start, end } = places.region(place);
    const properties = [
      `file=${escapeProperty(makeVisible(places.path(place.file)))}`,
      `line=${start.line}`,
      `endLine=${end.line}`,
      `col=${start.column}`,
      `endColumn=${end.column}`,
      `title=${escapeProperty(rule)}`,
    ];
    const lines = [message, ...related.map((other) => `${where(other.place, places)}: ${other.message}`)];
    lines.push(...notes.map((note) => `note: ${note}`));
    yield `::${commands[severity]} ${properties.join(",")}::${escapeData(lines.map(makeVisible).join("\n"))}\n`;
  }
}

function where(place: SourcePlace, places: PlaceResolver): string {
  const { line, column } = places.start(place);
  return `${places.path(place.file)}:${line}:${column}`;
}

/** Escapes a command's text, as the runner expects it. */
function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes a command's property, which also ends at a colon or comma. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
