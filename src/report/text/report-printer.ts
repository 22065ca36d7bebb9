import type { Directive } from "../../config/model/directive.js";
import type { Finding } from "../../lint/finding.js";
import { formatNumber } from "../../text/words.js";
import { redact } from "../secrets/redaction.js";
import { describeFailure } from "./failure-words.js";
import { type TerminalColours, TextPrinter, type TextStyle } from "./text-printer.js";
import { toWellFormed } from "./visible-text.js";

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
}
