import type { RejectionEffect, Related } from "../config/refusals/refusal.js";
import type { Request } from "../server/model/request.js";
import type { Edit } from "../text/edits.js";
import type { SourceFile, Span } from "../text/source.js";
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
export const fixSafeties = ["safe", "unsafe"] as const;

export interface Fix<File = SourceFile> {
  readonly title: string;
  readonly safety: (typeof fixSafeties)[number];
  /** Sorted, not overlapping. */
  readonly edits: readonly Edit<File>[];
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
  /** Whether the remedies change other lines or files first, so that the line itself may stay as it is. */
  readonly addsLines?: true;
  /** Whether the remedies change the first related line, and not this one. */
  readonly changesRelated?: true;
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

/** A header for several lines with one cause. It states their number, which is known when all findings are. */
export interface HeaderForMany {
  readonly before: string;
  /** The rest if there is one other line. */
  readonly one: string;
  /** The rest after the number if there are more. */
  readonly several: string;
  /** Whether the number counts all lines, not only the others. */
  readonly countsAll?: true;
}

/** Formats a header for several lines. @param others number of lines besides the first */
export function formatHeader({ before, one, several, countsAll }: HeaderForMany, others: number): string {
  return `${before}${others === 1 ? one : `${countsAll ? others + 1 : others}${several}`}`;
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
  /** Replaces the header at the first line if there are others; if absent, a note states their number. */
  readonly header?: HeaderForMany;
  /** The label of the other lines. */
  readonly also: string;
}

/** A request that demonstrates a finding. */
export interface Witness<File = SourceFile> {
  readonly request: Request;
  /** The sections and lines that lead to its result, in evaluation order. */
  readonly steps: readonly Related<File>[];
}

/**
 * A problem reported by a rule, in parts that every output format keeps apart; configuration text is in backticks. It is
 * plain data, which threads pass on and the cache keeps.
 *
 * @typeParam File how it names files; elsewhere than in memory by numbers (`numberFiles`)
 */
export interface Finding<File = SourceFile> {
  readonly rule: string;
  /** The variant of the rule that reports it, if the rule has several. */
  readonly variant?: string;
  readonly severity: Severity;
  /** The header: one line that names the offending text and is understandable without the other parts. */
  readonly message: string;
  readonly span: Span<File>;
  /** A few words on the span. */
  readonly label?: string;
  /** Further locations, each with its label. */
  readonly related: readonly Related<File>[];
  /** The effect on the server if it rejects the file; the first note states it. */
  readonly effect?: RejectionEffect;
  /** Facts: the effect, the evidence, what is assumed about unknown files. One sentence each. */
  readonly notes?: readonly string[];
  /** Remedies, one imperative sentence each. */
  readonly help?: readonly string[];
  /** Whether the remedies change other lines or files first, so that the line of the span may stay as it is. */
  readonly addsLines?: true;
  /** Whether the remedies change the first related line, and not that of the span. */
  readonly changesRelated?: true;
  /** Whether it concerns the whole server, so that the line of the span is not the place of the problem. */
  readonly isAboutServer?: boolean;
  /** Whether it holds for nearly every server: an upgrade report lists it, and a check omits it. */
  readonly isRoutine?: boolean;
  /** The names of the virtual hosts that contain its lines. */
  readonly hosts?: readonly string[];
  /** More locations with the same cause, beyond those in `related`: for programs, which can process hundreds. */
  readonly additionalLocations?: readonly Related<File>[];
  readonly fix?: Fix<File>;
  readonly cause?: RootCause;
  /** Identifiers of modules that the finding has loaded: it covers findings elsewhere about their absence. */
  readonly supplies?: readonly string[];
  /** Other lines that it is about: it covers findings of superseded rules there. */
  readonly covers?: readonly Span<File>[];
  readonly witness?: Witness<File>;
  /** Whether its lines may allow clients against the intent of their author, although no request shows it. */
  readonly mayAllow?: boolean;
  /** The references that it concerns; if absent, all those of its rule. */
  readonly references?: RuleReferences;
}

/** Returns the name of the check that made a finding: the variant of a rule, or else the rule. */
export function checkNameOf({ rule, variant = rule }: Pick<Finding, "rule" | "variant">): string {
  return variant;
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
  /** Text that is one line for its author, although httpd reads it as several: nothing else is reported in it. */
  readonly engulfs?: Span;
};
