import type { Directive } from "../project/directive.js";
import { refusalConsequence } from "../project/problems.js";
import { type Span, toReadable } from "../text/source.js";

/** Something that keeps the server from starting, or makes every request below a `.htaccess` file answer 500. */
export interface Refusal {
  /** What the server says, in its own words. */
  readonly server: string;
  /** The number of its message: AH00526 comes with the directive's file and line, AH01624 without. */
  readonly code: "AH00526" | "AH01624";
  /** One line for the operator. */
  readonly message: string;
  /** The directive that the server names. */
  readonly directive: Directive;
  /** The words at fault. */
  readonly span: Span;
  /** Every request below the file answers 500; else the server does not start. */
  readonly inHtaccess: boolean;
  /** When the server says it: at the line, at the end of the section that it opens, or when all files are read. */
  readonly when: "opening" | "closing" | "last";
}

/** A refusal before it is put in words. */
export interface Fault {
  readonly server: string;
  readonly code?: "AH01624";
  /** What is wrong, as a clause. */
  readonly wrong: string;
  /** What to do, as a clause. */
  readonly remedy: string;
  readonly span: Span;
}

/** Puts a fault in words: what is wrong, what comes of it, what to do, and what the server says. */
export function refusalOf(directive: Directive, fault: Fault, inHtaccess: boolean, when: Refusal["when"]): Refusal {
  const consequence = refusalConsequence(inHtaccess);
  const server = toReadable(fault.server).replaceAll("\n", "\\n");
  return {
    server,
    code: fault.code ?? "AH00526",
    message: `${fault.wrong}, so ${consequence}; ${fault.remedy} (httpd: "${shortened(server, 240)}")`,
    directive,
    span: fault.span,
    inHtaccess,
    when,
  };
}

/** The configuration's own text in a message. */
export function quoted(text: string): string {
  return `\`${shortened(toReadable(text), 60)}\``;
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
