import type { Severity } from "../../lint/finding.js";
import { PlaceResolver, type SourcePlace } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { formatFindingParts, type ReportInput, renderFinding } from "./rendered-finding.js";

const commands: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice" };

/**
 * Renders workflow commands that annotate the lines of a pull request: the title is the header, and the body has the
 * other parts. GitHub shows ten commands of each kind per step.
 */
export function* renderGithub(input: ReportInput): Generator<string> {
  const places = new PlaceResolver(input.base);
  for (const finding of input.findings) {
    const rendered = renderFinding(finding, places);
    const { rule, severity, message, place, label, related, isAboutServer } = rendered;
    const { start, end } = places.region(place);
    const range = [`line=${start.line}`, `endLine=${end.line}`, `col=${start.column}`, `endColumn=${end.column}`];
    const properties = [
      `file=${escapeProperty(makeVisible(places.path(place.file)))}`,
      ...(isAboutServer ? [] : range),
      `title=${escapeProperty(makeVisible(message))}`,
    ];
    const url = input.helpUri?.(rule);
    // GitHub shows no annotation for a command without a text, so the body always names the rule.
    const lines = [
      ...(label === "" || isAboutServer ? [] : [label]),
      ...related.map((other) => `${where(other.place, places)}: ${other.message}`),
      ...formatFindingParts(rendered),
      `rule: ${rule}${url === undefined ? "" : ` (${url})`}`,
    ];
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
