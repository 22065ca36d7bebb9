import type { Directive } from "../../config/model/directive.js";
import type { Span } from "../../text/source.js";

/** A section with its name and position. */
export interface TracedSection {
  /** The name as written: `<Directory "/srv">`; `.htaccess`; or a single line. */
  readonly section: string;
  readonly span: Span;
}

/**
 * The special role of a step: a `.htaccess` file that the server rejects, a response before access is checked, or a
 * section without any effect on access.
 */
export type StepRole = "rejected-file" | "early-response" | "no-effect";

/** One step to a decision: a section that applies, or a contributing line. */
export interface TraceStep extends TracedSection {
  /** Its effect on access or its result, as a clause. */
  readonly effect: string;
  /** Its role in the decision, if it has a special one. */
  readonly role?: StepRole | undefined;
  /** The lines in it that count, its own first. */
  readonly lines: readonly Directive[];
  /** Why it has this effect, as sentences without an end. */
  readonly details: readonly string[];
  /** The sections whose rules it overrides. */
  readonly replaced: readonly ReplacedSection[];
  /** The sections whose rules apply together with its own. */
  readonly combined: readonly TracedSection[];
}

/** The kinds of access rules: Order, Allow, Deny and Satisfy, or Require. */
export const ruleKinds = ["old", "require"] as const;

/** A section with one kind of rules overridden. */
export interface ReplacedSection extends TracedSection {
  readonly rules: (typeof ruleKinds)[number];
}

/** A line whose effect may differ from the one assumed. */
export interface Note {
  /** What is missing if the result misleads without it: the request does not reach the server without TLS, or without a Listen line. */
  readonly lacks?: "TLS" | "Listen" | "module";
  readonly directive: Directive;
  /** A clause that follows the line. */
  readonly text: string;
  /** What to change. */
  readonly help?: readonly string[];
}
