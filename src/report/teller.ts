import type { Unproved } from "../compare/doubts.js";
import type { Finding } from "../engine/finding.js";
import type { Directive } from "../project/directive.js";
import { type Colours, counted, type Look, Painter } from "./painter.js";
import { redact } from "./secrets.js";
import { wellFormed } from "./visible.js";

/** Tells people what is so of all requests: with places, and without secrets. */
export class Teller {
  private readonly painter: Painter;

  constructor(look: Look) {
    this.painter = new Painter(look);
  }

  get colours(): Colours {
    return this.painter.colours;
  }

  where({ span }: Pick<Directive, "span">): string {
    return this.painter.where(this.painter.places.place(span));
  }

  /** @param indent columns in front of the lines after the first */
  say(text: string, indent: number): string {
    return this.painter.flow(wellFormed(redact(text, [])), "", " ".repeat(indent), indent);
  }

  /** That a server does not start, by the first reason; empty where nothing keeps it from it. @param so what follows for what is told */
  refusal(title: string, reasons: readonly Finding[], so = ""): string {
    const [first] = reasons;
    if (first === undefined) return "";
    const { bold, red } = this.colours;
    const more = reasons.length > 1 ? `; ${counted(reasons.length - 1, "reason")} more` : "";
    return `${bold(red(`${title} does not start`))}${more}${so === "" ? "" : `; ${so}`}\n  ${this.where(first)}: ${this.say(first.message, 4)}\n`;
  }

  /** A heading with all that is not proved, or not known; empty where that is nothing. */
  doubts(title: string, all: readonly Unproved[]): string {
    return all.length === 0 ? "" : `${this.colours.bold(title)}\n${all.map((each) => this.doubt(each)).join("")}`;
  }

  private doubt({ reason, directive, example }: Unproved): string {
    const such = example === undefined ? "" : `, such as \`${example}\``;
    const where = directive ? `${this.where(directive)}: ` : "";
    return `  ${where}${this.say(`${reason}${such}`, 4)}\n`;
  }
}
