import type { Directive } from "../config/model/directive.js";
import type { DisabledFile } from "../config/model/project.js";
import { accessClassOf } from "./model/access-class.js";
import { AccessRecorder } from "./model/access-recorder.js";
import {
  type Answer,
  type AnswerCase,
  type Cause,
  type Destination,
  decisionClassOf,
  type KnownDecisionClass,
  type Miss,
  type RequestRefusal,
  type ResponseSource,
} from "./model/answer.js";
import { type AnswerClass, type ShownAnswer, shownClassOf } from "./model/answer-class.js";
import type { ConfigLayer } from "./model/config-layer.js";
import type { ReadonlyEnvironment } from "./model/environment.js";
import { Oracle } from "./model/oracle.js";
import { type Pass, passesOf } from "./model/pass.js";
import type { Request } from "./model/request.js";
import type { RequestOutcome } from "./model/request-outcome.js";
import type { SimulationSetup } from "./model/simulation-setup.js";
import type { Note, TraceStep } from "./model/trace-step.js";
import { type UnknownFact, wordsOfFact } from "./model/unknown-facts.js";
import { backendOf } from "./phases/handler.js";
import { findHandlerLine, handlerOf } from "./phases/handler-lookup.js";
import { findListenNotes, findTlsNotes, prepareSimulation, processRequest } from "./process-request.js";
import { causesOf } from "./trace/causes.js";
import { destinationOf, responderOf } from "./trace/destination.js";
import { missesOfDisabledFiles } from "./trace/disabled-files.js";
import { explainDefaultHost } from "./trace/host-misses.js";
import { formatAccessLogLine, formatErrorLog, logsUser } from "./trace/logs.js";
import { missesOf } from "./trace/misses.js";
import { explainOwnName } from "./trace/own-name.js";
import { rewriteNotesOf } from "./trace/request-steps.js";
import { traceOf } from "./trace/trace.js";

/**
 * Answers a request under one set of facts.
 *
 * @param oracle answers what cannot be known here; by default with no. It also has what no fact settles.
 */
export function answerUnder(setup: SimulationSetup, request: Request, oracle = new Oracle(new Map())): DefiniteAnswer {
  return new DefiniteAnswer(setup, request, oracle, processRequest(setup, request, oracle));
}

/** The part of an answer that access control gives. */
export type AccessAnswer = Pick<DefiniteAnswer, "request" | "class" | "isAuthorized" | "log" | "decidedBy">;

/** The answer to a request under one set of facts. All of it but the run is computed when it is read. */
export class DefiniteAnswer
  implements Pick<Answer, "request" | "status" | "class" | "access" | "log" | "decidedBy" | "unknown" | "trace">
{
  private recorded: RecordedRun | undefined;

  constructor(
    readonly setup: SimulationSetup,
    readonly request: Request,
    readonly oracle: Oracle,
    /** As the phases left it. */
    readonly outcome: RequestOutcome,
  ) {}

  get status(): number {
    return this.outcome.status;
  }

  /** The status of the access decision, even if a redirect, an error document or a limit replaces it. */
  get accessStatus(): number {
    return this.outcome.accessStatus ?? this.outcome.status;
  }

  /** The status in the access log: that of the error document if there is one. */
  get loggedStatus(): number {
    return this.outcome.loggedStatus ?? this.outcome.status;
  }

  get class(): KnownDecisionClass {
    return decisionClassOf(this.accessStatus);
  }

  get access(): AnswerClass {
    return accessClassOf(this.outcome);
  }

  /** Whether access control allows the request; with other statuses, such as 405 by AllowMethods, it may not. */
  get isAuthorized(): boolean {
    return this.outcome.pass?.isAuthorized === true;
  }

  get log(): readonly string[] {
    return this.outcome.log;
  }

  /** What refuses the request; undefined if nothing does. */
  get refusal(): RequestRefusal | undefined {
    const { log, reason, pass, by, isRejectedEarly } = this.outcome;
    if (this.accessStatus < 400) return undefined;
    // Access to an index file is checked on its own.
    const isDeniedWithin = (pass ? passesOf(pass) : []).some(
      ({ answer }) => answer?.status !== undefined && answer.by.some((line) => by.includes(line)),
    );
    const isAccessGranted = !isRejectedEarly && !isDeniedWithin && this.last?.isAuthorized === true;
    return {
      code: reason ? reason.code : log.at(-1),
      isAccessGranted,
      isOfProgram: reason?.isOfProgram === true,
    };
  }

  get decidedBy(): readonly Directive[] {
    const { by } = this.outcome;
    return by.length < 2 || (by.length === 2 && by[0] !== by[1]) ? by : [...new Set(by)];
  }

  /** What no fact settles: the answer is then not known. */
  get unknownFacts(): readonly UnknownFact[] {
    const { undecidable } = this.oracle;
    return undecidable === undefined ? [] : [undecidable];
  }

  /** The words of these facts. */
  get unknown(): readonly string[] {
    return this.unknownFacts.map(wordsOfFact);
  }

  get answeredBy(): ResponseSource | undefined {
    return responderOf(this.outcome);
  }

  /** The pass over the requested path; undefined if the URL itself is rejected. */
  get pass(): Pass | undefined {
    return this.outcome.pass;
  }

  /** The pass over what is finally served, if access is granted. */
  get served(): Pass | undefined {
    return this.outcome.served;
  }

  /**
   * Whether the handler of files answers, or another one, or a rule, which accept any method; undefined if the answer ends
   * before, or is that for a directory.
   */
  get handlerKind(): "file" | "other" | undefined {
    const { answeredBy, served } = this;
    if (answeredBy === "program" || answeredBy === "backend") return "other";
    if (answeredBy !== undefined) return undefined;
    if (served !== undefined) return "file";
    return this.accessStatus < 300 ? "other" : undefined;
  }

  get servedPath(): string | undefined {
    return this.served?.path;
  }

  /** The per-directory configurations that apply, in merge order. */
  get layers(): readonly ConfigLayer[] {
    return this.outcome.layers;
  }

  /** The backend that answers, with the line that names it. */
  get backend(): { readonly url: string; readonly by: Directive } | undefined {
    const backend = this.last && backendOf(this.last);
    return backend && { url: backend.target.slice("proxy:".length), by: backend.by };
  }

  /** The file or directory that the request is mapped to; undefined if another server answers. */
  get file(): string | undefined {
    return this.last?.mapping.kind === "file" && this.backend === undefined ? this.last.walked?.filename : undefined;
  }

  /** The status that another line replaced, with that line. */
  get replaced(): AnswerCase["replaced"] {
    const by = this.outcome.replacedBy?.at(-1);
    return by && { status: this.accessStatus, by };
  }

  /** The backend or program that answers for an error document. */
  get document(): AnswerCase["document"] {
    const { document } = this.outcome;
    const answeredBy = document && responderOf(document.found);
    return document && answeredBy && { by: document.by, answeredBy, destination: destinationOf(document.found) };
  }

  /** Where the request leads. */
  get destination(): Destination {
    return destinationOf(this.outcome);
  }

  /** The rules and mapping lines that the server tries, and that do not apply. */
  get misses(): readonly Miss[] {
    // A line that decides may not apply to a later URL, such as that of an error document.
    const decides = ({ span }: Miss) =>
      this.decidedBy.some((line) => line.span.file === span.file && line.span.start === span.start);
    const misses = missesOf(this.outcome, this.setup, this.outcomeAt);
    const ofFiles = missesOfDisabledFiles(this.outcome, this.setup, this.outcomeWith);
    return [...ofFiles, ...misses].filter((miss) => !decides(miss));
  }

  private readonly outcomeAt = (path: string): RequestOutcome =>
    processRequest(this.setup, { ...this.request, path }, new Oracle(this.oracle.answered));

  private readonly outcomeWith = ({ directives, modules }: DisabledFile): RequestOutcome => {
    const { project, files, transform } = this.setup;
    const enabled = { ...project, modules, directives: [...project.directives, ...directives] };
    return processRequest(prepareSimulation(enabled, files, transform), this.request, new Oracle(this.oracle.answered));
  };

  /** What explains an error, beyond its status. */
  get causes(): readonly Cause[] {
    const { outcome, request, setup, outcomeAt } = this;
    const causes = causesOf({ outcome, request, files: setup.files, project: setup.project, outcomeAt });
    const ofHost = explainDefaultHost(outcome, setup);
    const ofUser = this.ignoresUser
      ? [{ text: "no line asks for a login for this path, so httpd ignores the user" }]
      : [];
    const ofName = outcome.pass ? explainOwnName(outcome.pass, this.destination.location, this.decidedBy[0]) : [];
    // That the virtual host is the default one says less.
    return [...(ofName.length > 0 ? ofName : ofHost), ...causes, ...ofUser];
  }

  /** Whether the request names a user, and access is granted without asking for one. */
  private get ignoresUser(): boolean {
    const { request, pass } = this;
    if (request.user === undefined || pass?.isAuthorized !== true) return false;
    return !logsUser(this.run.outcome, this.run.recorder);
  }

  /** The handler of the file, in lower case; undefined for the default one. */
  get handler(): string | undefined {
    const { state, mapping, walked } = this.last ?? {};
    return state && mapping && walked && handlerOf(state, mapping, walked);
  }

  /** The line that sets the handler of the file, or maps the path to a program or a backend; undefined without one. */
  get handlerLine(): Directive | undefined {
    const { answeredBy, handler, last } = this;
    if (answeredBy === undefined || last === undefined) return undefined;
    const line = handler === undefined || last.state === undefined ? undefined : findHandlerLine(last.state, handler);
    const { kind, by } = last.mapping;
    return line ?? (kind === "proxy" || by?.key.startsWith("scriptalias") ? by : undefined);
  }

  /** The environment variables at the access check. */
  get env(): ReadonlyEnvironment {
    return this.last?.state?.env ?? noVariables;
  }

  private get last(): Pass | undefined {
    return this.served ?? this.pass;
  }

  /** The steps that built the applied configuration, in merge order. */
  get trace(): readonly TraceStep[] {
    const { outcome, recorder } = this.run;
    return traceOf(outcome, recorder, this.setup);
  }

  /** Error log lines, starting at the message number. */
  get errorLog(): readonly string[] {
    return formatErrorLog(this.run.outcome, this.request, this.setup);
  }

  /** Returns the access log line. @param status the status to show; undefined if it is unknown */
  accessLogWith(status: number | undefined): string {
    return formatAccessLogLine(this.request, status, this.run.outcome, this.run.recorder);
  }

  /** Lines that could not be evaluated; the answer disregards them. */
  get notes(): readonly Note[] {
    const { oracle, outcome } = this.run;
    const missing = [
      ...findListenNotes(this.setup, this.request, oracle),
      ...findTlsNotes(this.setup, this.request, oracle),
    ];
    return [...missing.slice(0, 1), ...(outcome.pass ? rewriteNotesOf(outcome.pass) : [])];
  }

  /** Returns the answer as comparisons show it, without the run, which is large. */
  toShown(): ShownAnswer {
    const { accessStatus, access, log, decidedBy } = this;
    return { status: accessStatus, class: shownClassOf(accessStatus), access, log, decidedBy };
  }

  /** The same run once more, with a record of what it reads. */
  private get run(): RecordedRun {
    if (this.recorded === undefined) {
      const [recorder, oracle] = [new AccessRecorder(), new Oracle(this.oracle.answered)];
      this.recorded = { recorder, oracle, outcome: processRequest(this.setup, this.request, oracle, recorder) };
    }
    return this.recorded;
  }
}

interface RecordedRun {
  readonly recorder: AccessRecorder;
  readonly oracle: Oracle;
  readonly outcome: RequestOutcome;
}

const noVariables: ReadonlyEnvironment = new Map();
