import type { Span } from "../../text/source.js";
import { formatNumber } from "../../text/words.js";
import { FindingText } from "../findings/text.js";
import { redact } from "../secrets/redaction.js";
import { formatPatch } from "../text/file-changes.js";
import { ReportPrinter } from "../text/report-printer.js";
import { PlaceResolver } from "../text/source-places.js";
import type { Paint, TextStyle } from "../text/text-printer.js";
import { makeVisible, toWellFormed } from "../text/visible-text.js";
import type {
  Block,
  BlockOptions,
  CountRow,
  DifferenceBlock,
  Item,
  ScopeRow,
  ServerBlock,
  SideAnswer,
  Tone,
  VersionBlock,
} from "./block.js";

/** Returns what blocks show for a style of text. */
export function blockOptionsOf({ base, isVerbose = false }: TextStyle): BlockOptions {
  return { isVerbose, places: new PlaceResolver(base) };
}

/** Renders blocks as text for a terminal. */
export class TextLayout {
  private readonly printer: ReportPrinter;
  private readonly findings: FindingText;
  private readonly paints: Readonly<Record<Tone, Paint>>;

  constructor(style: TextStyle) {
    this.printer = new ReportPrinter(style);
    this.findings = new FindingText(style);
    const { green, red, yellow } = this.printer.colours;
    this.paints = { good: green, bad: red, caution: yellow, neutral: (text) => text };
  }

  /** Renders the title of a report. */
  title(text: string): string {
    return `${this.printer.colours.bold(text)}\n`;
  }

  *render(blocks: Iterable<Block>): Generator<string> {
    for (const block of blocks) yield this.block(block);
  }

  private block(block: Block): string {
    const { bold } = this.printer.colours;
    switch (block.kind) {
      case "counts":
        return block.rows.map((row) => this.countRow(row)).join("");
      case "difference":
        return this.difference(block);
      case "failure":
        return this.printer.startupFailure(block.title, block.reasons, block.notes);
      case "finding":
        return this.findings.finding(block.finding);
      case "heading":
        return this.heading(block.level, block.text, block.suffix);
      case "items":
        return block.items.map((item) => this.item(item)).join("");
      case "logged": {
        const { tone, text } = block.result;
        const result = this.paints[tone](makeVisible(toWellFormed(redact(text, []))));
        const request = block.request === "" ? "" : `${makeVisible(toWellFormed(redact(block.request, [])))}: `;
        return `${block.line}: ${request}${tone === "bad" ? bold(result) : result}\n`;
      }
      case "paragraph":
        return `${this.printer.wrap(block.text, block.isNote ? 2 : 0)}\n`;
      case "patch":
        return formatPatch(block.path, block.before, block.after);
      case "server":
        return this.server(block);
      case "similar":
        return this.findings.similar(block.findings);
      case "space":
        return "\n";
      case "verdict": {
        const text = this.printer.wrap(block.text, block.verdict.length + 2);
        return `${bold(this.paints[block.tone](block.verdict))}: ${text}\n`;
      }
      case "version":
        return this.version(block);
    }
  }

  private countRow({ count, text, tone, isPart }: CountRow): string {
    const { bold, cyan } = this.printer.colours;
    const shown = formatNumber(count).padStart(6);
    const painted = tone === "neutral" ? cyan(shown) : this.paints[tone](shown);
    return `${isPart ? (count === 0 ? painted : bold(painted)) : shown}  ${text}\n`;
  }

  private heading(level: "part" | "list", text: string, suffix = ""): string {
    const { bold } = this.printer.colours;
    if (level === "list") return `${bold(`${text}:`)}\n`;
    return `${bold(`== ${text}${suffix === "" ? "" : `: ${suffix}`}`)}\n\n`;
  }

  private item({ label, continues, span, text, details = [], notes = [], help = [] }: Item): string {
    const { printer } = this;
    const word = label === undefined ? "" : `${continues ? label.padStart(LABEL_COLUMNS) : label}: `;
    const where = span ? `  ${word}${this.place(span)}:` : `  ${word}`.trimEnd();
    return [
      where === ""
        ? `  ${printer.wrap(text, 4)}\n`
        : `${where}${printer.wrapAfter(where, text, label === undefined ? 4 : 6)}\n`,
      ...details.map((each) => `    ${printer.wrap(each, 4)}\n`),
      ...notes.map((each) => `    = note: ${printer.wrap(each, 12)}\n`),
      ...help.map((each) => `    = help: ${printer.wrap(each, 12)}\n`),
    ].join("");
  }

  private difference({ label, change, request, answers, hosts, groups, moreGroups, alike }: DifferenceBlock): string {
    const { printer } = this;
    const title = change.map(({ text, tone }) => this.paints[tone](text)).join(" → ");
    return [
      `\n${printer.colours.bold(label)} ${title}: ${printer.wrap(request, 4)}\n`,
      ...answers.map((answer) => this.answer(answer, 3)),
      hosts === "" ? "" : `   Hosts: ${printer.wrap(hosts, 5)}\n`,
      "   Affects:\n",
      ...groups.flatMap(({ clients, paths, morePaths }) => [
        `     ${printer.wrap(clients, 7)}\n`,
        ...paths.map((path) => `       ${printer.wrap(path, 9)}\n`),
        morePaths === undefined ? "" : `       ${morePaths}\n`,
      ]),
      moreGroups === undefined ? "" : `     ${moreGroups}\n`,
      ...alike.map((each) => `   Same for ${printer.wrap(each, 5)}\n`),
    ].join("");
  }

  /** @param indent columns before the side */
  private answer({ title, status, suffix, lines }: SideAnswer, indent: number): string {
    const margin = " ".repeat(indent);
    const shown = lines.map(
      ({ span, text }) => `${margin}  ${this.place(span)}: ${this.printer.wrap(text, indent + 4)}\n`,
    );
    return `${margin}${title}: ${this.paints[status.tone](status.text)}${suffix}\n${shown.join("")}`;
  }

  private version({ changes, request, answers, notes }: VersionBlock): string {
    const { printer } = this;
    return [
      ...changes.map(({ version, text }) => `${printer.colours.bold(`${version}:`)} ${printer.wrap(text, 2)}\n`),
      request === undefined ? "" : `  ${printer.wrap(request, 4)}\n`,
      ...answers.map((answer) => this.answer(answer, 4)),
      ...notes.map((note) => `  = ${printer.wrap(note, 4)}\n`),
    ].join("");
  }

  private server({ title, releases, rows, alike }: ServerBlock): string {
    const { printer } = this;
    return [
      `${printer.colours.bold(printer.wrap(title, 0))}\n`,
      ...rows.map((row) => this.scope(row, releases)),
      ...alike.map((each) => `  ${printer.wrap(`same for ${each}`, 4)}\n`),
    ].join("");
  }

  private scope({ paths, sections, access, differs, isUnsure, same }: ScopeRow, releases: readonly string[]): string {
    const { printer } = this;
    const { bold, yellow } = printer.colours;
    return [
      `  ${bold(printer.wrap(paths, 4))}${sections === "" ? "" : `  ${printer.wrap(sections, 4)}`}\n`,
      isUnsure ? `    ${yellow("not fully known (see Unknown); as far as known:")}\n` : "",
      ...access.map((each, side) =>
        differs ? `    ${yellow(`${releases[side]}:`)} ${printer.wrap(each, 9)}\n` : `    ${printer.wrap(each, 4)}\n`,
      ),
      same === "" ? "" : `    ${printer.wrap(same, 6)}\n`,
    ].join("");
  }

  private place(span: Span): string {
    return this.printer.formatPlace({ span });
  }
}

/** The columns of the word before the location of an item that another continues: `changed`. */
const LABEL_COLUMNS = 7;
