import { PlaceResolver } from "../text/source-places.js";
import { escapeXml } from "../text/visible-text.js";
import { formatFindingParts, type RenderedFinding, type ReportInput, renderFinding } from "./rendered-finding.js";

/**
 * Renders findings as a report of Checkstyle, which many CI systems and plugins read: a file has its findings, in the order
 * of the report. The message has notes and help as further lines.
 */
export function* renderCheckstyle({ findings, base }: ReportInput): Generator<string> {
  const places = new PlaceResolver(base);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="4.3">\n';
  let open: string | undefined;
  for (const finding of findings) {
    const rendered = renderFinding(finding, places);
    const path = places.path(rendered.place.file);
    if (path !== open) yield `${open === undefined ? "" : "</file>\n"}<file name="${escapeXml(path)}">\n`;
    open = path;
    yield renderError(rendered, places);
  }
  yield `${open === undefined ? "" : "</file>\n"}</checkstyle>\n`;
}

function renderError(rendered: RenderedFinding, places: PlaceResolver): string {
  const { rule, severity, message, place } = rendered;
  const { line, column } = places.start(place);
  const text = [message, ...formatFindingParts(rendered)].join("\n");
  return `<error line="${line}" column="${column}" severity="${severity}" message="${escapeXml(text)}" source="httpd-lint.${escapeXml(rule)}"/>\n`;
}
