import type { Finding } from "../../lint/finding.js";
import { escapeMarkdown, formatMarkdownBlock, formatMarkdownCode } from "../text/markdown.js";
import { cutExcerpt } from "../text/source-excerpt.js";
import type { PlaceResolver } from "../text/source-places.js";
import { listFindingParts, type RenderedFinding, renderFinding } from "./rendered-finding.js";

/** Limit of the columns shown of a source line. */
const COLUMNS = 160;

/**
 * Renders all parts of a finding as Markdown: the header, and a list of the label, the related locations, the notes, the
 * help and the fix.
 *
 * @param header already Markdown
 * @param related the related locations: already Markdown
 */
export function formatFindingMarkdown(header: string, finding: RenderedFinding, related: readonly string[]): string {
  const { label } = finding;
  const items = [
    ...(label === "" ? [] : [escapeMarkdown(label)]),
    ...related,
    ...listFindingParts(finding).map(
      ({ kind, text, tail }) => `${kind}: ${escapeMarkdown(text)}${tail === "" ? "" : ` ${tail}`}`,
    ),
  ];
  return items.length === 0 ? header : `${header}\n\n${items.map((item) => `- ${item}`).join("\n")}`;
}

/**
 * Renders a finding as an item of a list.
 *
 * @param isAlone whether no heading names its file
 */
export function renderMarkdownFinding(finding: Finding, places: PlaceResolver, isAlone = false): string {
  const rendered = renderFinding(finding, places);
  const { rule, severity, message, place, label, related, isAboutServer } = rendered;
  const others = related.map(
    (other) =>
      `  - ${formatMarkdownCode(`${places.path(other.place.file)}:${other.place.line.number}`)} ${escapeMarkdown(other.message)}\n`,
  );
  const path = formatMarkdownCode(`${places.path(place.file)}:${place.line.number}`);
  const where = isAboutServer ? "" : isAlone ? `, ${path}` : `, line ${place.line.number}`;
  const head = `- **${severity}**${where}: ${escapeMarkdown(message)} (${formatMarkdownCode(rule)})\n`;
  const excerpt = isAboutServer ? "" : formatMarkdownBlock(cutExcerpt(place, COLUMNS).text, "  ");
  const parts = [
    ...(label === "" || isAboutServer ? [] : [`  - ${escapeMarkdown(label)}\n`]),
    ...others,
    ...listFindingParts(rendered).map(
      ({ kind, text, tail }) => `  - ${kind}: ${escapeMarkdown(text)}${tail === "" ? "" : ` ${tail}`}\n`,
    ),
  ];
  return head + excerpt + parts.join("");
}
