import type { Release } from "../../directives/directives.js";
import type { Request } from "../../httpd/model/request.js";
import type { Directive } from "../../project/model/directive.js";
import type { Span } from "../../text/source.js";
import type { ResponseSource } from "../phases/handler.js";
import type { Note, TraceStep } from "../trace/step.js";

export type KnownDecisionClass = "allowed" | "401" | "403" | "500";
export type DecisionClass = KnownDecisionClass | "unknown";

/** What httpd does, or what its upgrade guide says that it does. */
export const readings = ["server", "guide"] as const;
export type Reading = (typeof readings)[number];

/** An answer of the server. */
export interface Verdict {
  /** Undefined where it is unknown. Where access is granted, 200 unless something else is known. */
  readonly status: number | undefined;
  readonly class: DecisionClass;
  /** The numbers of the messages in the error log that tell of the decision; 2.4 only. */
  readonly log: readonly string[];
  /** The lines that decide; none where nothing in the configuration restricts the request. */
  readonly decidedBy: readonly Directive[];
  /** What answers in place of a file, where access is granted: the status is then what is usual. */
  readonly answeredBy?: ResponseSource | undefined;
}

/** One of several answers, where what they hang on is unknown. */
export interface Alternative extends Verdict {
  /** Under these conditions it is so; there may be others that lead to the same answer. */
  readonly when: readonly { readonly question: string; readonly answer: boolean }[];
}

/** What is worked out only where somebody asks why. */
export interface Explanation {
  readonly errorLog: readonly string[];
  readonly accessLog: string;
  readonly logsMayDiffer: boolean;
  readonly trace: readonly TraceStep[];
  readonly places: readonly Span[];
  readonly notes: readonly Note[];
}

/** What other questions about a decision are answered by. */
export interface DecisionSource {
  explain(): Explanation;
  inOtherReading(): Verdict;
}

/** What the server answers, and why. */
export class Decision implements Verdict {
  readonly release: Release;
  readonly reading: Reading;
  readonly request: Request;
  readonly status: number | undefined;
  readonly class: DecisionClass;
  readonly log: readonly string[];
  readonly decidedBy: readonly Directive[];
  readonly answeredBy: ResponseSource | undefined;
  /** What the answer hangs on where it is not known for sure; none where it is. */
  readonly unknown: readonly string[];
  /** Where it is not known for sure: each answer that there may be. */
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
    this.log = verdict.log;
    this.decidedBy = verdict.decidedBy;
    this.answeredBy = verdict.answeredBy;
    this.unknown = verdict.unknown;
    this.alternatives = verdict.alternatives;
  }

  /**
   * What the server writes into its error log, from the number of the message on; at the usual LogLevel. Where the
   * answer hangs on what is not known, that is what it writes in any case.
   */
  get errorLog(): readonly string[] {
    return this.explanation.errorLog;
  }

  /** The line of the access log, in the common format without time and size. */
  get accessLog(): string {
    return this.explanation.accessLog;
  }

  /** Whether other lines than these may come into the logs, by what is not known; the answer may be the same for all that. */
  get logsMayDiffer(): boolean {
    return this.explanation.logsMayDiffer;
  }

  /** How the configuration came to apply, in the order in which the server merges it. */
  get trace(): readonly TraceStep[] {
    return this.explanation.trace;
  }

  /** Where the lines stand that decide; also in a `.htaccess` file whose text is wrong, where there is no directive. */
  get places(): readonly Span[] {
    return this.explanation.places;
  }

  /** The lines that could not be followed: the answer is what it is without them. */
  get notes(): readonly Note[] {
    return this.explanation.notes;
  }

  /** What comes of it in the other reading, where that is something else. */
  get otherReading(): Verdict | undefined {
    if (this.other === undefined) {
      const verdict = this.source.inOtherReading();
      this.other = { verdict: isSameAnswer(verdict, this) ? undefined : verdict };
    }
    return this.other.verdict;
  }

  /** What the guide says, where that is something else than what the server does. */
  get guide(): Verdict | undefined {
    return this.reading === "server" ? this.otherReading : undefined;
  }

  private get explanation(): Explanation {
    this.explained ??= this.source.explain();
    return this.explained;
  }
}

/** How access was decided, by the status. */
export function decisionClassOf(status: number): KnownDecisionClass {
  return status === 401 || status === 403 || status === 500 ? `${status}` : "allowed";
}

function isSameAnswer(a: Verdict, b: Verdict): boolean {
  return a.status === b.status && a.class === b.class && String(a.log) === String(b.log);
}
