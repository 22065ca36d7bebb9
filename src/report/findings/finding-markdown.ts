import { escapeMarkdown } from "../text/markdown.js";
import { listFindingParts, type RenderedFinding } from "./rendered-finding.js";

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
