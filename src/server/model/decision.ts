import type { Directive } from "../../config/model/directive.js";
import type { Release } from "../../facts/directives.js";
import type { Span } from "../../text/source.js";
import type { AnswerClass } from "./answer-class.js";
import type { Request } from "./request.js";
import type { Note, TraceStep } from "./trace-step.js";

const knownDecisionClasses = ["allowed", "401", "403", "500"] as const;
export const decisionClasses = [...knownDecisionClasses, "unknown"] as const;
export type KnownDecisionClass = (typeof knownDecisionClasses)[number];
export type DecisionClass = (typeof decisionClasses)[number];

/** The semantics: as httpd does, or as its upgrade guide describes. */
export const readings = ["server", "guide"] as const;
export type Reading = (typeof readings)[number];

/** A handler that responds instead of a file; its content and its error log messages are unknown. */
export type ResponseSource = "backend" | "program" | "listing";

/** A response of the server. */
export interface Verdict {
  /** Undefined if unknown. If access is granted, 200 unless something else is known. */
  readonly status: number | undefined;
  readonly class: DecisionClass;
  /** The class of the answer as far as the configuration decides it, whatever the files. */
  readonly access: AnswerClass | "unknown";
  /** Error log message numbers for the decision; 2.4 only. */
  readonly log: readonly string[];
  /** The deciding lines; none if nothing in the configuration restricts the request. */
  readonly decidedBy: readonly Directive[];
  /** The handler that responds instead of a file, if access is granted. The status is then the usual one. */
  readonly answeredBy?: ResponseSource | undefined;
  /** The path that is served once all rules have rewritten it, decoded, if access is granted and the answer is certain. */
  readonly servedPath?: string | undefined;
}

/** One of several possible answers that depend on unknown facts. */
export interface Alternative extends Verdict {
  /** Conditions that lead to this answer; other conditions may lead to it, too. */
  readonly when: readonly { readonly question: string; readonly answer: boolean }[];
}

/** An explanation, computed only on request. */
export interface Explanation {
  readonly errorLog: readonly string[];
  readonly accessLog: string;
  readonly logsMayDiffer: boolean;
  readonly trace: readonly TraceStep[];
  readonly places: readonly Span[];
  readonly notes: readonly Note[];
}

/** The source for further details of a decision. */
export interface DecisionSource {
  explain(): Explanation;
  inOtherReading(): Verdict;
}

/** The server's response, with its reasons. */
export class Decision implements Verdict {
  readonly release: Release;
  readonly reading: Reading;
  readonly request: Request;
  readonly status: number | undefined;
  readonly class: DecisionClass;
  readonly access: AnswerClass | "unknown";
  readonly log: readonly string[];
  readonly decidedBy: readonly Directive[];
  readonly answeredBy: ResponseSource | undefined;
  readonly servedPath: string | undefined;
  /** The unknown facts that the answer depends on; none if it is certain. */
  readonly unknown: readonly string[];
  /** All possible answers, if it is not certain. */
  readonly alternatives: readonly Alternative[];
  private explained: Explanation | undefined;
  private other: { readonly verdict: Verdict | undefined } | undefined;

  constructor(
    about: { readonly release: Release; readonly reading: Reading; readonly request: Request },
    verdict: Verdict & { readonly alternatives: readonly Alternative[]; readonly unknown: readonly string[] },
    private readonly source: DecisionSource,
  ) {
    this.release = about.release;
    this.reading = about.reading;
    this.request = about.request;
    this.status = verdict.status;
    this.class = verdict.class;
    this.access = verdict.access;
    this.log = verdict.log;
    this.decidedBy = verdict.decidedBy;
    this.answeredBy = verdict.answeredBy;
    this.servedPath = verdict.servedPath;
    this.unknown = verdict.unknown;
    this.alternatives = verdict.alternatives;
  }

  /**
   * Error log lines, starting at the message number. If the answer depends on unknown facts, only the lines common to
   * all outcomes.
   */
  get errorLog(): readonly string[] {
    return this.explanation.errorLog;
  }

  /** Access log line in the common format, without time and size. */
  get accessLog(): string {
    return this.explanation.accessLog;
  }

  /** Whether unknown facts may change the log lines; the answer may be the same in all cases. */
  get logsMayDiffer(): boolean {
    return this.explanation.logsMayDiffer;
  }

  /** The steps that built the applied configuration, in merge order. */
  get trace(): readonly TraceStep[] {
    return this.explanation.trace;
  }

  /** Spans of the deciding lines, including those in a malformed `.htaccess` file, which has no directive. */
  get places(): readonly Span[] {
    return this.explanation.places;
  }

  /** Lines that could not be evaluated; the answer disregards them. */
  get notes(): readonly Note[] {
    return this.explanation.notes;
  }

  /** The verdict under the other semantics, if different. */
  get otherReading(): Verdict | undefined {
    if (this.other === undefined) {
      const verdict = this.source.inOtherReading();
      this.other = { verdict: isSameAnswer(verdict, this) ? undefined : verdict };
    }
    return this.other.verdict;
  }

  /** The verdict of the upgrade guide, if different from the server's. */
  get guide(): Verdict | undefined {
    return this.reading === "server" ? this.otherReading : undefined;
  }

  private get explanation(): Explanation {
    this.explained ??= this.source.explain();
    return this.explained;
  }
}

/** Classifies the access decision by status: it is the part of the class of an answer that access control decides. */
export function decisionClassOf(status: number): KnownDecisionClass {
  return status === 401 || status === 403 || status === 500 ? `${status}` : "allowed";
}

function isSameAnswer(a: Verdict, b: Verdict): boolean {
  return a.status === b.status && a.class === b.class && String(a.log) === String(b.log);
}
