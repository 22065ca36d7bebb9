import type { Finding } from "../../lint/finding.js";
import type { Span } from "../../text/source.js";
import { formatNumber } from "../../text/words.js";
import { renderMarkdownFinding } from "../findings/finding-markdown.js";
import { renderFinding } from "../findings/rendered-finding.js";
import { MAX_SIMILAR } from "../findings/similar-findings.js";
import { maskFile, redact } from "../secrets/redaction.js";
import { describeFailure } from "../text/failure-words.js";
import { formatPatch } from "../text/file-changes.js";
import { escapeMarkdown, formatMarkdownCode, formatMarkdownFence } from "../text/markdown.js";
import type { PlaceResolver } from "../text/source-places.js";
import { ALL_SHOWN } from "../text/text-printer.js";
import { toWellFormed } from "../text/visible-text.js";
import type {
  Block,
  BlockReport,
  CountRow,
  DifferenceBlock,
  FailureBlock,
  Item,
  ScopeRow,
  ServerBlock,
  SideAnswer,
  VersionBlock,
} from "./block.js";

/** Renders blocks as Markdown for a wiki, an issue or a comment. */
export function* renderBlocksMarkdown(
  { title, subject, blocks }: BlockReport,
  places: PlaceResolver,
): Generator<string> {
  const layout = new MarkdownLayout(places);
  yield `# ${escapeText(title)}\n\n${formatMarkdownCode(maskText(subject))}\n`;
  for (const block of blocks) yield layout.block(block);
}

class MarkdownLayout {
  constructor(private readonly places: PlaceResolver) {}

  /** Renders a block; each starts with an empty line. */
  block(block: Block): string {
    switch (block.kind) {
      case "counts":
        return `\n| number | part |\n|---:|---|\n${block.rows.map(renderCountRow).join("")}`;
      case "difference":
        return this.difference(block);
      case "failure":
        return this.failure(block);
      case "finding":
        return `\n${renderMarkdownFinding(block.finding, this.places, true)}`;
      case "heading":
        return renderHeading(block.level, block.text, block.suffix);
      case "items":
        return `\n${block.items.map((item) => this.item(item)).join("")}`;
      case "logged": {
        const request = block.request === "" ? "" : `${escapeText(block.request)}: `;
        return `\n- line ${block.line}: ${request}${escapeText(block.result.text)}\n`;
      }
      case "paragraph":
        return `\n${escapeText(block.text)}\n`;
      case "patch":
        return renderPatch(block.path, block.before, block.after);
      case "server":
        return renderServer(block);
      case "similar":
        return this.similar(block.findings);
      case "space":
        return "";
      case "verdict":
        return `\n**${escapeText(block.verdict)}**: ${escapeText(block.text)}\n`;
      case "version":
        return this.version(block);
    }
  }

  private failure({ title, reasons, notes }: FailureBlock): string {
    const [first] = reasons;
    if (first === undefined) return "";
    const which = reasons.length > 1 ? ` (first of ${formatNumber(reasons.length)} reasons)` : "";
    return [
      `\n**${escapeText(title)} ${describeFailure(first)}**${which}: ${this.where(first.span)} ${escapeText(first.message)}\n\n`,
      ...notes.map((note) => `- ${escapeText(note)}\n`),
    ].join("");
  }

  private item({ label, span, text, details = [], notes = [], help = [] }: Item): string {
    const word = label === undefined ? "" : `${label}: `;
    return [
      `- ${word}${span ? `${this.where(span)} ` : ""}${escapeText(text)}\n`,
      ...details.map((each) => `  - ${escapeText(each)}\n`),
      ...notes.map((each) => `  - note: ${escapeText(each)}\n`),
      ...help.map((each) => `  - help: ${escapeText(each)}\n`),
    ].join("");
  }

  private similar(findings: readonly Finding[]): string {
    const items = findings.slice(0, MAX_SIMILAR).map((each) => {
      const { rule, severity, message, span } = renderFinding(each, this.places);
      return `- **${severity}** ${this.where(span)} ${escapeMarkdown(message)} (${formatMarkdownCode(rule)})\n`;
    });
    const left = findings.length - items.length;
    const more = left > 0 ? `- and ${formatNumber(left)} more (${ALL_SHOWN})\n` : "";
    return `\nSame advice for:\n\n${items.join("")}${more}`;
  }

  private difference({ label, change, request, answers, hosts, groups, moreGroups, alike }: DifferenceBlock): string {
    const title = change.map(({ text }) => `**${escapeText(text)}**`).join(" → ");
    return [
      // A number with a dot would start a list of its own.
      `\n#### ${escapeText(label).replace(/\.$/, "\\.")} ${title}: ${escapeText(request)}\n\n`,
      ...answers.map((answer) => this.answer(answer)),
      hosts === "" ? "" : `- Hosts: ${escapeText(hosts)}\n`,
      "- Affects:\n",
      ...groups.flatMap(({ clients, paths, morePaths }) => [
        `  - ${escapeText(clients)}\n`,
        ...paths.map((path) => `    - ${escapeText(path)}\n`),
        morePaths === undefined ? "" : `    - ${escapeText(morePaths)}\n`,
      ]),
      moreGroups === undefined ? "" : `  - ${escapeText(moreGroups)}\n`,
      ...alike.map((each) => `- Same for ${escapeText(each)}\n`),
    ].join("");
  }

  private answer({ title, status, suffix, lines }: SideAnswer): string {
    const shown = lines.map(({ span, text }) => `  - ${this.where(span)} ${escapeText(text)}\n`);
    return `- ${escapeText(title)}: ${escapeText(`${status.text}${suffix}`)}\n${shown.join("")}`;
  }

  private version({ changes, request, answers, notes }: VersionBlock): string {
    return [
      "\n",
      ...changes.map(({ version, text }) => `**${escapeText(version)}**: ${escapeText(text)}\n\n`),
      request === undefined ? "" : `- ${escapeText(request)}\n`,
      ...answers.map((answer) => this.answer(answer)),
      ...notes.map((note) => `- ${escapeText(note)}\n`),
    ].join("");
  }

  private where(span: Span): string {
    return formatMarkdownCode(this.places.format(span));
  }
}

function renderCountRow({ count, text }: CountRow): string {
  return `| ${formatNumber(count)} | ${escapeText(text)} |\n`;
}

function renderHeading(level: "part" | "list", text: string, suffix = ""): string {
  if (level === "list") return `\n### ${escapeText(text)}\n`;
  return `\n## ${escapeText(text)}${suffix === "" ? "" : ` (${suffix})`}\n`;
}

/** Renders a change of a file with its secrets masked. */
function renderPatch(path: string, before: string, after: string): string {
  const masked = (text: string) => maskFile({ path, realPath: path, text });
  return `\n${formatMarkdownFence(formatPatch(path, masked(before), masked(after)), "diff")}`;
}

function renderServer({ title, releases, rows, alike }: ServerBlock): string {
  const head = ["Paths", "Sections", ...releases].map(renderCell);
  return [
    `\n### ${escapeText(title)}\n\n| ${head.join(" | ")} |\n|${"---|".repeat(head.length)}\n`,
    ...rows.map((row) => renderScope(row, releases.length)),
    ...alike.map((each) => `\nSame for ${escapeText(each)}\n`),
  ].join("");
}

function renderScope({ paths, sections, access, differs, isUnsure, same }: ScopeRow, count: number): string {
  const unsure = isUnsure ? "not fully known (see Unknown); as far as known: " : "";
  const [first = ""] = access;
  const cells = differs ? access : Array.from({ length: count }, (_, index) => (index === 0 ? first : "the same"));
  const shown = [same === "" ? paths : `${paths}; ${same}`, sections, ...cells.map((each) => unsure + each)];
  return `| ${shown.map(renderCell).join(" | ")} |\n`;
}

/** In a cell of a table, a bar separates cells even in code. */
function renderCell(text: string): string {
  return escapeText(text).replaceAll("|", "\\|");
}

function escapeText(text: string): string {
  return escapeMarkdown(maskText(text));
}

function maskText(text: string): string {
  return toWellFormed(redact(text, []));
}
