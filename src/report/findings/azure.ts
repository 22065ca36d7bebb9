import type { Severity } from "../../lint/finding.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { formatFindingParts, type ReportInput, renderFinding } from "./rendered-finding.js";

/** Azure Pipelines has no third kind. */
const kinds: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "warning" };

/** Renders logging commands of Azure Pipelines, which list the findings in the summary of a run. */
export function* renderAzure({ findings, base }: ReportInput): Generator<string> {
  const places = new PlaceResolver(base);
  for (const finding of findings) {
    const rendered = renderFinding(finding, places);
    const { rule, severity, message, place, isAboutServer } = rendered;
    const { line, column } = places.start(place);
    const properties = [
      `type=${kinds[severity]}`,
      `sourcepath=${escapeProperty(makeVisible(places.path(place.file)))}`,
      ...(isAboutServer ? [] : [`linenumber=${line}`, `columnnumber=${column}`]),
      `code=${escapeProperty(rule)}`,
    ];
    const text = [message, ...formatFindingParts(rendered)].map(makeVisible).join("\n");
    yield `##vso[task.logissue ${properties.join(";")};]${escapeData(text)}\n`;
  }
}

/** Escapes a command's text, as the agent expects it. */
function escapeData(text: string): string {
  return text.replaceAll("%", "%AZP25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes a command's property, which also ends at a semicolon or bracket. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(";", "%3B").replaceAll("]", "%5D");
}
