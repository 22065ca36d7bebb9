import { formatLimits, limitsOf } from "../../access/model/clients-and-methods.js";
import type { Directive } from "../../project/model/directive.js";
import { type Span, toReadable } from "../../text/source.js";

/** A section by its name and place. */
export interface TracedSection {
  /** As written: `<Directory "/srv">`; `.htaccess`; a line by itself. */
  readonly section: string;
  readonly span: Span;
}

/** One step on the way to a decision: a section that applies, or a line that led there. */
export interface TraceStep extends TracedSection {
  /** What it says about access, or what it led to; a clause. */
  readonly effect: string;
  /** The lines in it that count, its own first. */
  readonly lines: readonly Directive[];
  /** The sections whose rules it puts out of force. */
  readonly replaced: readonly ReplacedSection[];
  /** The sections whose rules hold together with its own. */
  readonly combined: readonly TracedSection[];
}

/** A section whose rules of one kind no longer count: Order, Allow, Deny and Satisfy, or Require. */
export interface ReplacedSection extends TracedSection {
  readonly rules: "old" | "require";
}

/** A step; what is not given is nothing. */
export function createStep({ section, span }: TracedSection, more: Partial<TraceStep> = {}): TraceStep {
  return { section, span, effect: "says nothing about access", lines: [], replaced: [], combined: [], ...more };
}

/** A single line as a step. @param beside further lines that come to the same */
export function createLineStep(line: Directive, effect: string, beside: readonly Directive[] = []): TraceStep {
  return createStep({ section: formatLine(line), span: line.span }, { effect, lines: [line, ...beside] });
}

/** A line that may do something else than is taken for granted. */
export interface Note {
  readonly directive: Directive;
  /** A clause behind the line. */
  readonly text: string;
}

const MAX_LINE_LENGTH = 80;

/** A line as the configuration has it, on one line and not too long. */
export function formatLine(directive: Directive): string {
  const { file, start, end } = directive.nameSpan;
  const name = file.text.slice(start, end).replace(/["]|>$/g, "");
  const rest = directive.argumentText;
  return shortenText(toReadable(rest === "" || rest === ">" ? name + rest : `${name} ${rest}`));
}

/** A line in backticks, with the methods that it is limited to. */
export function quoteLine(directive: Directive): string {
  const limits = limitsOf(directive);
  return limits.length === 0
    ? `\`${formatLine(directive)}\``
    : `\`${formatLine(directive)}\` (${formatLimits(limits)})`;
}

const MAX_LINES = 6;

/** Some lines, one after the other; a long list is cut. */
export function quoteLines(directives: readonly Directive[]): string {
  const shown = directives.slice(0, MAX_LINES).map(quoteLine).join(", ");
  return directives.length > MAX_LINES ? `${shown} and ${directives.length - MAX_LINES} more` : shown;
}

function shortenText(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH - 1)}…` : line;
}
