import type { Unproved } from "../../compare/model/comparison.js";
import type { Finding } from "../../engine/finding.js";
import type { Directive } from "../../project/model/directive.js";
import { redact } from "../secrets/redaction.js";
import { formatCount, type TerminalColours, TextPrinter, type TextStyle } from "./text-printer.js";
import { toWellFormed } from "./visible-text.js";

/** Renders statements about all requests: with locations, and without secrets. */
export class ReportPrinter {
  private readonly painter: TextPrinter;

  constructor(look: TextStyle) {
    this.painter = new TextPrinter(look);
  }

  get colours(): TerminalColours {
    return this.painter.colours;
  }

  where({ span }: Pick<Directive, "span">): string {
    return this.painter.where(this.painter.places.place(span));
  }

  /** @param indent columns before the lines after the first */
  say(text: string, indent: number): string {
    return this.painter.flow(toWellFormed(redact(text, [])), "", " ".repeat(indent), indent);
  }

  /**
   * Renders the first reason why a server does not start; empty if it starts. @param so the consequence for the report
   */
  startupFailure(title: string, reasons: readonly Finding[], so = ""): string {
    const [first] = reasons;
    if (first === undefined) return "";
    const { bold, red } = this.colours;
    const more = reasons.length > 1 ? `; ${formatCount(reasons.length - 1, "reason")} more` : "";
    return `${bold(red(`${title} does not start`))}${more}${so === "" ? "" : `; ${so}`}\n  ${this.where(first)}: ${this.say(first.message, 4)}\n`;
  }

  /** Renders a heading with all unproved or unknown parts; empty if there are none. */
  unprovedList(title: string, all: readonly Unproved[]): string {
    return all.length === 0
      ? ""
      : `${this.colours.bold(title)}\n${all.map((each) => this.unprovedItem(each)).join("")}`;
  }

  private unprovedItem({ reason, directive, example }: Unproved): string {
    const such = example === undefined ? "" : `, such as \`${example}\``;
    const where = directive ? `${this.where(directive)}: ` : "";
    return `  ${where}${this.say(`${reason}${such}`, 4)}\n`;
  }
}
