import type { Directive } from "../project/directive.js";
import type { Span } from "../text/source.js";
import { lineText } from "./written.js";

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
export function stepAt({ section, span }: TracedSection, more: Partial<TraceStep> = {}): TraceStep {
  return { section, span, effect: "says nothing about access", lines: [], replaced: [], combined: [], ...more };
}

/** A single line as a step. @param beside further lines that come to the same */
export function lineStep(line: Directive, effect: string, beside: readonly Directive[] = []): TraceStep {
  return stepAt({ section: lineText(line), span: line.span }, { effect, lines: [line, ...beside] });
}

/** A line that may do something else than is taken for granted. */
export interface Note {
  readonly directive: Directive;
  /** A clause behind the line. */
  readonly text: string;
}
