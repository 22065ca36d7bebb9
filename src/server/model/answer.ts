import type { Directive } from "../../config/model/directive.js";
import type { Release } from "../../facts/release.js";
import type { Span } from "../../text/source.js";
import type { AnswerClass } from "./answer-class.js";
import type { Request } from "./request.js";
import type { Note, TracedSection, TraceStep } from "./trace-step.js";
import { type UnknownFact, wordsOfFact } from "./unknown-facts.js";

const knownDecisionClasses = ["allowed", "401", "403", "500"] as const;
export const decisionClasses = [...knownDecisionClasses, "unknown"] as const;
export type KnownDecisionClass = (typeof knownDecisionClasses)[number];
export type DecisionClass = (typeof decisionClasses)[number];

/** The semantics of mod_access_compat: as httpd does, or as its upgrade guide describes. */
export const semantics = ["server", "guide"] as const;
export type Semantics = (typeof semantics)[number];

/** A handler that responds instead of a file; its content and its error log messages are unknown. */
export type ResponseSource = (typeof responseSources)[number];
export const responseSources = ["backend", "program", "listing"] as const;

/** Where a request leads. Texts are binary strings, as they are sent. */
export interface Destination {
  /** The Location header. It is only a path if the server's own name is not known. */
  readonly location?: string | undefined;
  /** The URL that a backend gets, with the query. */
  readonly target?: string | undefined;
  /** The file or directory that answers, or that the URL leads to. */
  readonly file?: string | undefined;
  /** Whether the file is a directory, and no module responds for it, so that httpd returns 404. */
  readonly isUnansweredDirectory?: true;
  /** The part of the path after the file: PATH_INFO of a program. */
  readonly pathInfo?: string | undefined;
  /** The query that a file or program gets. */
  readonly query?: string | undefined;
  /** The handler that answers instead of the file, in lower case. */
  readonly handler?: string | undefined;
  /** Whether only modules or lines that are not known can provide this handler; without them, the file is sent as it is. */
  readonly isHandlerAssumed?: true;
}

/**
 * What happens to a request in one case: under some combinations of unknown facts. The cases of an answer differ in
 * what it shows; its alternatives only in the status and the log.
 */
export interface AnswerCase extends Pick<Alternative, "status" | "class" | "access" | "log" | "decidedBy" | "when"> {
  readonly answeredBy: ResponseSource | undefined;
  readonly destination: Destination;
  /** The status before an error document, a login page or a limit replaced it, with the last such line. */
  readonly replaced: { readonly status: number; readonly by: Directive } | undefined;
  /** What answers instead of an error, with a status of its own if it sets one. */
  readonly document: ErrorDocument | undefined;
  /** What refuses the request; undefined if nothing does. */
  readonly refusal?: RequestRefusal | undefined;
  /** What no yes or no settles in this case: the status and the class are then those of the lines that are known. */
  readonly open: UnknownFact | undefined;
}

/** What refuses a request: access control, or another part of httpd once access is granted. */
export interface RequestRefusal {
  /** The number of the message about it, as 2.4 logs it, for any release; undefined if no message has one. */
  readonly code: string | undefined;
  readonly isAccessGranted: boolean;
  /** Whether a program does not run, and no message has a number. */
  readonly isOfProgram: boolean;
}

/** The document of an error, for which a backend or a program answers. */
export interface ErrorDocument {
  /** The ErrorDocument line. */
  readonly by: Directive;
  readonly answeredBy: ResponseSource;
  readonly destination: Destination;
}

/** A line or a `.htaccess` file that does not apply to a request. */
export interface Miss extends TracedSection {
  /** As a clause: its subject is the line or the file, or a part of it. */
  readonly reason: string;
  /** Another line that the reason names, if it is to be shown with its place. */
  readonly by?: Directive | undefined;
  /** Whether a reader may expect it to apply. */
  readonly isClose: boolean;
  /** What to change so that it applies: one imperative clause each, with the text to write. */
  readonly help?: readonly string[] | undefined;
  /** The line to change, or the section to add lines to, if it is not this line. */
  readonly change?: Directive | undefined;
  /** Whether the line stays as it is, because the change is elsewhere. */
  readonly stays?: true;
  /** Whether it is for the headers, the type or the character set of the response, so that it does not explain the status. */
  readonly ofResponse?: true;
}

/** A fact that explains an error: about a line, a default or a file. */
export interface Cause {
  /** A clause. */
  readonly text: string;
  /** The line to look at, if it is about one. */
  readonly line?: Directive | undefined;
  /** What to change: one imperative clause each, with the text to write. */
  readonly help?: readonly string[] | undefined;
  /** Whether the line stays as it is, because the change is elsewhere. */
  readonly stays?: true;
  /** The part of a file that httpd rejects, if it is about that: a check reports it as well. */
  readonly rejected?: Span;
}

/** Redirects that lead a client back to a URL that it requested before. */
export interface RedirectLoop extends Cause {
  /** Whether it occurs only behind a balancer that ends TLS. */
  readonly isConditional: boolean;
}

/** The lines that change what a response contains, and not which one it is. */
export interface ResponseLines {
  /** For each response: `Header`, `ExpiresDefault`. */
  readonly forAll: readonly Directive[];
  /** For files with the type or the extension that they name: `ExpiresByType`, `AddCharset`. */
  readonly forKinds: readonly Directive[];
  /** The extensions of the file, and the types that it may have, in lower case. */
  readonly kinds: ReadonlySet<string>;
}

/** The Content-Type header of a file. */
export interface ContentType {
  /** With the character set, if it has one. */
  readonly value: string;
  /** The lines that decide it. */
  readonly lines: readonly Directive[];
  /** The TypesConfig file, if the type is in it. */
  readonly typesFile?: string;
}

/** What lines do to the headers of a response. */
export interface SentHeaders {
  readonly contentType: ContentType | undefined;
  /** The Header and Expires lines that apply. */
  readonly lines: readonly Directive[];
}

/** One of several possible answers, which depend on unknown facts. */
export interface Alternative extends Pick<Answer, "status" | "class" | "access" | "log" | "decidedBy"> {
  /** A shortest list of conditions that lead to this answer; others may lead to it, too. */
  readonly when: readonly FactCondition[];
}

/** An unknown fact that affects the answer, and one of its possibilities. */
export interface FactCondition {
  readonly fact: UnknownFact;
  readonly answer: boolean;
}

/** The parts of an answer that are computed first. */
export type AnswerParts = Pick<
  Answer,
  "status" | "class" | "access" | "log" | "decidedBy" | "answeredBy" | "servedPath" | "unknownFacts" | "alternatives"
>;

/** The parts of an answer that are computed when they are read. */
export type Explanation = Pick<
  Answer,
  | "cases"
  | "isForDefaultHost"
  | "causes"
  | "loop"
  | "misses"
  | "errorLog"
  | "accessLog"
  | "logsMayDiffer"
  | "trace"
  | "places"
  | "leadPlaces"
  | "responseLines"
  | "sentHeaders"
  | "notes"
>;

/** The source for further details of an answer. */
export interface AnswerSource {
  explain(): Explanation;
  underOtherSemantics(): Answer;
}

/** What the server does with a request. */
export class Answer {
  readonly release: Release;
  readonly semantics: Semantics;
  readonly request: Request;
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
  readonly answeredBy: ResponseSource | undefined;
  /** The path that is served once all rules have rewritten it, decoded, if access is granted and the answer is certain. */
  readonly servedPath: string | undefined;
  /** The unknown facts that the answer depends on; none if it is certain. */
  readonly unknownFacts: readonly UnknownFact[];
  /** All possible answers, if it is not certain. */
  readonly alternatives: readonly Alternative[];
  private explained: Explanation | undefined;
  private other: { readonly answer: Answer | undefined } | undefined;

  constructor(
    about: Pick<Answer, "release" | "semantics" | "request">,
    parts: AnswerParts,
    private readonly source: AnswerSource,
  ) {
    this.release = about.release;
    this.semantics = about.semantics;
    this.request = about.request;
    this.status = parts.status;
    this.class = parts.class;
    this.access = parts.access;
    this.log = parts.log;
    this.decidedBy = parts.decidedBy;
    this.answeredBy = parts.answeredBy;
    this.servedPath = parts.servedPath;
    this.unknownFacts = parts.unknownFacts;
    this.alternatives = parts.alternatives;
  }

  /** The words of these facts. */
  get unknown(): readonly string[] {
    return this.unknownFacts.map(wordsOfFact);
  }

  /**
   * Error log lines, starting at the message number. If the answer depends on unknown facts, only the lines common to
   * all possible answers.
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

  /** The distinct cases, the usual one first; one if the answer is certain, none if there are too many. */
  get cases(): readonly AnswerCase[] {
    return this.explanation.cases;
  }

  /** Whether no virtual host has the name of the request, so that the first one at its address answers. */
  get isForDefaultHost(): boolean {
    return this.explanation.isForDefaultHost;
  }

  /** What explains an error in the usual case, beyond its status. */
  get causes(): readonly Cause[] {
    return this.explanation.causes;
  }

  /** The loop in which a client ends that follows the redirect of the usual case, or that a balancer may cause. */
  get loop(): RedirectLoop | undefined {
    return this.explanation.loop;
  }

  /** The rules and mapping lines that the server tries, and that do not apply in the usual case. */
  get misses(): readonly Miss[] {
    return this.explanation.misses;
  }

  /** The steps that built the applied configuration, in merge order. */
  get trace(): readonly TraceStep[] {
    return this.explanation.trace;
  }

  /** Spans of the deciding lines, including those in a malformed `.htaccess` file, which has no directive. */
  get places(): readonly Span[] {
    return this.explanation.places;
  }

  /** Spans of the lines that lead to a result that the deciding lines do not explain: they only grant access. */
  get leadPlaces(): readonly Span[] {
    return this.explanation.leadPlaces;
  }

  /** The lines that change the response; undefined if it is none of a file, a program or a backend. */
  get responseLines(): ResponseLines | undefined {
    return this.explanation.responseLines;
  }

  /** What lines do to the headers of the response in the usual case; undefined if that is not known. */
  get sentHeaders(): SentHeaders | undefined {
    return this.explanation.sentHeaders;
  }

  /** Lines that could not be evaluated; the answer disregards them. */
  get notes(): readonly Note[] {
    return this.explanation.notes;
  }

  /** The answer under the other semantics, if different. */
  get otherAnswer(): Answer | undefined {
    if (this.other === undefined) {
      const answer = this.source.underOtherSemantics();
      this.other = { answer: isSameAnswer(answer, this) ? undefined : answer };
    }
    return this.other.answer;
  }

  /** The answer by the upgrade guide, if different from the server's. */
  get guide(): Answer | undefined {
    return this.semantics === "server" ? this.otherAnswer : undefined;
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

type ComparedParts = Pick<Answer, "status" | "class" | "log">;

function isSameAnswer(a: ComparedParts, b: ComparedParts): boolean {
  return a.status === b.status && a.class === b.class && String(a.log) === String(b.log);
}
