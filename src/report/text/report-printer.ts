import type { Directive } from "../../config/model/directive.js";
import type { Finding } from "../../lint/finding.js";
import type { ConfigComparison, ServerProofs, Unproved } from "../../proof/model/comparison.js";
import { nameOfPair, sectionOfPair } from "../../proof/model/server-pairs.js";
import { formatCount, formatNumber } from "../../text/words.js";
import { redact } from "../secrets/redaction.js";
import { describeFailure } from "./failure-words.js";
import { type TerminalColours, TextPrinter, type TextStyle } from "./text-printer.js";
import { toWellFormed } from "./visible-text.js";

/** Limit of the servers in one sentence. */
const MAX_SERVERS = 5;

/** Renders statements about all requests: with locations, and without secrets. */
export class ReportPrinter {
  /** Whether lists are complete, however long. */
  readonly isVerbose: boolean;
  private readonly printer: TextPrinter;

  constructor(style: TextStyle) {
    this.printer = new TextPrinter(style);
    this.isVerbose = style.isVerbose === true;
  }

  get colours(): TerminalColours {
    return this.printer.colours;
  }

  formatPlace({ span }: Pick<Directive, "span">): string {
    return this.printer.formatPlace(this.printer.places.place(span));
  }

  /** @param indent columns before the lines after the first */
  wrap(text: string, indent: number): string {
    return this.printer.flow(toWellFormed(redact(text, [])), "", " ".repeat(indent), indent);
  }

  /**
   * Renders text after other text on its line: a space or a line break, and the text.
   *
   * @param ahead the last line of the other text, without colors
   * @param indent columns before the lines after the first
   */
  wrapAfter(ahead: string, text: string, indent: number): string {
    return this.printer.flowAfter(ahead, toWellFormed(redact(text, [])), indent);
  }

  /**
   * Renders the first reason why a server does not start, or fails every request; empty if it answers requests.
   *
   * @param notes further lines, such as the consequence for the report
   */
  startupFailure(title: string, reasons: readonly Finding[], notes: readonly string[] = []): string {
    const [first] = reasons;
    if (first === undefined) return "";
    const { bold, red } = this.colours;
    const which = reasons.length > 1 ? ` (first of ${formatNumber(reasons.length)} reasons)` : "";
    const lines = notes.map((note) => `  ${this.wrap(note, 4)}\n`).join("");
    const where = `  ${this.formatPlace(first)}:`;
    return `${bold(red(`${title} ${describeFailure(first)}`))}${which}\n${where}${this.wrapAfter(where, first.message, 4)}\n${lines}`;
  }

  /** Renders a heading with all unproved or unknown parts; empty if there are none. */
  unprovedList(title: string, all: readonly Unproved[]): string {
    return all.length === 0
      ? ""
      : `${this.colours.bold(title)}\n${all.map((each) => this.unprovedItem(each)).join("")}`;
  }

  /** Renders the servers that a comparison is proved for, and those for which it is open; empty if it is open for all. */
  serverProofs(found: ServerProofs | undefined): string {
    if (found === undefined) return "";
    const { proved, open, all } = found;
    const shown = open.slice(0, this.isVerbose ? undefined : MAX_SERVERS).map((pair) => {
      const section = sectionOfPair(pair);
      return section ? `${nameOfPair(pair)} (${this.formatPlace(section)})` : nameOfPair(pair);
    });
    const left = open.length - shown.length;
    const more = left > 0 ? `, and ${formatCount(left, "more server")}` : "";
    const text = `Proved for ${formatNumber(proved.length)} of ${formatCount(all, "server")}. Not proved for: ${shown.join(", ")}${more}`;
    return `${this.wrap(text, 2)}\n`;
  }

  /** Renders which requests are proved if others are not; empty if that is not known. */
  provedRest(except: ConfigComparison["provedExcept"]): string {
    return except === undefined ? "" : "Proved for all requests that do not lead to the directories of users\n";
  }

  private unprovedItem({ reason, help = [], directive, example }: Unproved): string {
    const suffix = example === undefined ? "" : ` (e.g. \`${example}\`)`;
    const text = `${reason}${suffix}`;
    const advice = help.map((each) => `    = help: ${this.wrap(each, 12)}\n`).join("");
    if (directive === undefined) return `  ${this.wrap(text, 4)}\n${advice}`;
    const where = `  ${this.formatPlace(directive)}:`;
    return `${where}${this.wrapAfter(where, text, 4)}\n${advice}`;
  }
}
