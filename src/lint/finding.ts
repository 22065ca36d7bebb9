import type { RejectionEffect, Related } from "../config/refusals/refusal.js";
import type { Request } from "../server/model/request.js";
import type { Edit } from "../text/edits.js";
import type { Span } from "../text/source.js";
import type { RuleReferences } from "./references.js";

/**
 * error: the server will not start, a request returns 500, or a client is wrongly allowed; warning: the behaviour
 * differs from what the text suggests; info: advice.
 */
export const severities = ["error", "warning", "info"] as const;
export type Severity = (typeof severities)[number];

/** Reports whether a finding has some severity or a higher one. */
export function isAtLeast({ severity }: Pick<Finding, "severity">, min: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(min);
}

/** `safe` only if it is proved that no decision changes. */
export interface Fix {
  readonly title: string;
  readonly safety: "safe" | "unsafe";
  /** Sorted, not overlapping. */
  readonly edits: readonly Edit[];
}

/** Returns the fix of a report with one edit; without a fix if the line cannot be edited. */
export function createFix(title: string, safety: Fix["safety"], edit: Edit | undefined): { readonly fix?: Fix } {
  return edit === undefined ? {} : { fix: { title, safety, edits: [edit] } };
}

/** The text of a finding in parts. */
export interface MessageParts {
  /** The header: makes sense without the other parts. */
  readonly message: string;
  /** The effect on the server if it rejects the file. The engine adds it as the first note. */
  readonly effect?: RejectionEffect;
  /** Facts: the effect, the evidence, the server's own text. One sentence each. */
  readonly notes?: readonly string[];
  /** Remedies, one imperative sentence each. */
  readonly help?: readonly string[];
  /** A few words on the span. */
  readonly label?: string;
}

/** The text of a finding: the header only, or all its parts. */
export type MessageText = string | MessageParts;

/** Returns the parts of a text. */
export function partsOfText(text: MessageText): MessageParts {
  return typeof text === "string" ? { message: text } : text;
}

/** Returns a key that is equal for equal texts. */
export function textKeyOf(text: MessageText): string {
  return typeof text === "string" ? text : JSON.stringify(text);
}

/** Returns the text with another header. */
export function mapHeader(text: MessageText, change: (header: string) => string): MessageText {
  return typeof text === "string" ? change(text) : { ...text, message: change(text.message) };
}

/**
 * A common cause of several findings, such as a missing module, reported at the first line. Suppressed lines, and lines
 * with a more specific finding, are not included. Fixes with the same title are merged.
 */
export interface RootCause {
  /** Equal for all lines with this cause. */
  readonly key: string;
  /** Whether findings of other rules with this key have the same cause. */
  readonly isAnyRules?: boolean;
  /** Identifier of the missing module, if that is the cause. */
  readonly module?: string;
  /**
   * Returns the text at the first line, given the number of others. Only its header replaces that of the finding. If
   * absent, a note states their number.
   */
  readonly message?: (others: number) => MessageText;
  /** The label of the other lines. */
  readonly also: string;
}

/** A request that demonstrates a finding. */
export interface Witness {
  readonly request: Request;
  /** The sections and lines that lead to its result, in evaluation order. */
  readonly steps: readonly Related[];
}

/** A problem reported by a rule, in parts that every output format keeps apart; configuration text is in backticks. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** The header: one line that names the offending text and is understandable without the other parts. */
  readonly message: string;
  readonly span: Span;
  /** A few words on the span. */
  readonly label?: string;
  /** Further locations, each with its label. */
  readonly related: readonly Related[];
  /** The effect on the server if it rejects the file; the first note states it. */
  readonly effect?: RejectionEffect;
  /** Facts: the effect, the evidence, what is assumed about unknown files. One sentence each. */
  readonly notes?: readonly string[];
  /** Remedies, one imperative sentence each. */
  readonly help?: readonly string[];
  /** Whether it concerns the whole server, so that the line of the span is not the place of the problem. */
  readonly isAboutServer?: boolean;
  /** Whether it holds for nearly every server: an upgrade report lists it, and a check omits it. */
  readonly isRoutine?: boolean;
  /** The names of the virtual hosts that contain its lines. */
  readonly hosts?: readonly string[];
  /** More locations with the same cause, beyond those in `related`: for programs, which can process hundreds. */
  readonly additionalLocations?: readonly Related[];
  readonly fix?: Fix;
  readonly cause?: RootCause;
  /** Identifiers of modules that the finding has loaded: it covers findings elsewhere about their absence. */
  readonly supplies?: readonly string[];
  /** Other lines that it is about: it covers findings of superseded rules there. */
  readonly covers?: readonly Span[];
  readonly witness?: Witness;
  /** Whether its lines may allow clients against the intent of their author, although no request shows it. */
  readonly mayAllow?: boolean;
  /** The references that it concerns; if absent, all those of its rule. */
  readonly references?: RuleReferences;
}

/** The report of a rule; the engine adds the rest. */
export type Report = Pick<
  Finding,
  | "span"
  | "isAboutServer"
  | "isRoutine"
  | "fix"
  | "cause"
  | "supplies"
  | "covers"
  | "witness"
  | "mayAllow"
  | "references"
> & {
  /** An entry of the rule's messages. */
  readonly message: MessageText;
  readonly severity?: Severity;
  readonly related?: readonly Related[];
  /** Notes in addition to those of the message. */
  readonly notes?: readonly string[];
};
