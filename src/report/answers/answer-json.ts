import { textOfTag } from "../../config/alternatives.js";
import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Finding } from "../../lint/finding.js";
import type { ServerProofs, Unproved } from "../../proof/model/comparison.js";
import { nameOfPair, type ServerPair, sectionOfPair } from "../../proof/model/server-pairs.js";
import type { Answer, AnswerCase, Cause, Destination, Miss, ResponseSource } from "../../server/model/answer.js";
import type { Note, ReplacedSection, TracedSection, TraceStep } from "../../server/model/trace-step.js";
import { wordsOfFact } from "../../server/model/unknown-facts.js";
import { formatLine } from "../../server/trace/step.js";
import { unlessEmpty } from "../../text/collections.js";
import { formatJson } from "../../text/escaping.js";
import { type Span, toReadable } from "../../text/source.js";
import type { explainOutput } from "../schema/answers.js";
import type {
  faultSchema,
  JsonOf,
  locationSchema,
  sectionSchema,
  serverProofsSchema,
  unprovedSchema,
} from "../schema/parts.js";
import { redact, redactLine } from "../secrets/redaction.js";
import { PlaceResolver } from "../text/source-places.js";
import { toWellFormed } from "../text/visible-text.js";
import { type AnswerReport, missesToShow, type OtherReading } from "./answer-report.js";
import { destinationOfCase, responderOfCase, shownCaseOf } from "./shown-case.js";

type Explained = JsonOf<typeof explainOutput>;

/** Renders an answer as JSON, as `explain.schema.json` describes it. */
export function* renderAnswerJson(report: AnswerReport, base: string | undefined): Generator<string> {
  const { answer, startup, assumptions } = report;
  const writer = new AnswerJsonWriter(new PlaceResolver(base));
  const { release, semantics, request } = answer;
  const whole: Explained = {
    ...{ release, reading: semantics, request, startup: writer.startup(startup) },
    assumptions: assumptionsToJson(assumptions),
    ...writer.answer(answer),
    otherReadings: unlessEmpty((report.others ?? []).map((other) => writer.otherReading(other))),
    notApplied: unlessEmpty(missesToShow(report).map((miss) => writer.miss(miss))),
  };
  yield `${formatJson(whole, 2)}\n`;
}

/** Returns the assumptions of an analysis about the rest of the server for its JSON; undefined for a whole server. */
export function assumptionsToJson(assumptions: readonly string[] = []): readonly string[] | undefined {
  return unlessEmpty(assumptions.map(redactText));
}

/** Returns the read options of the configuration, with which the JSON about it starts. */
export function headToJson({ release, semantics, assumptions }: JsonHead): HeadFields {
  return { release, reading: semantics, assumptions: assumptionsToJson(assumptions) };
}

interface JsonHead extends Pick<Answer, "release" | "semantics"> {
  readonly assumptions?: readonly string[];
}

interface WrittenAnswer<Class> extends Pick<Answer, "status" | "log" | "decidedBy"> {
  readonly class: Class;
}

/** An answer with the classes that an output has. */
type AnswerJson<Class> = Pick<Explained, "status" | "log" | "decidedBy"> & { readonly class: Class };

type HeadFields = Pick<Explained, "release" | "reading" | "assumptions">;
/** The fields that an answer has; the others are about the configuration. */
type AnswerFields = Omit<Explained, "request" | "startup" | "otherReadings" | "notApplied" | keyof HeadFields>;

/** Renders the parts of answers as plain values. */
export class AnswerJsonWriter {
  constructor(private readonly places: PlaceResolver) {}

  answer(answer: Answer): AnswerFields {
    const { errorLog, accessLog, logsMayDiffer, cases, notes, trace, otherAnswer, semantics } = answer;
    const shown = shownCaseOf(answer);
    const isOpen = answer.status === undefined || answer.class === "unknown";
    const other = otherAnswer && this.shown(otherAnswer);
    return {
      ...this.shown(answer),
      ...destinationToJson(sharedDestinationOf(cases.map(destinationOfCase))),
      answeredBy: answer.answeredBy ?? sharedResponderOf(cases),
      usual:
        shown && isOpen
          ? { ...this.shown(shown), ...destinationToJson(destinationOfCase(shown)), answeredBy: responderOfCase(shown) }
          : undefined,
      errorLog: unlessEmpty(errorLog.map(redactText)),
      accessLog: redactText(accessLog),
      logsMayDiffer: logsMayDiffer || undefined,
      decidedBy: answer.places.map((span) => this.place(span)),
      causes: unlessEmpty(answer.causes.map((cause) => this.cause(cause))),
      redirectLoop: answer.loop && {
        text: redactText(answer.loop.text),
        location: answer.loop.line && this.place(answer.loop.line.span),
        help: answer.loop.help?.map(redactText),
        behindBalancer: answer.loop.isConditional ? true : undefined,
      },
      ...this.headers(answer),
      unknown: unknownToJson(answer),
      alternatives: cases.length > 1 ? cases.map((each) => this.alternative(each)) : undefined,
      trace: trace.map((step) => this.step(step)),
      notes: notes.map((note) => this.note(note)),
      guide: semantics === "server" ? other : undefined,
      server: semantics === "guide" ? other : undefined,
    };
  }

  shown<Class>({ status, class: decided, log, decidedBy }: WrittenAnswer<Class>): AnswerJson<Class> {
    return {
      status: status ?? null,
      class: decided,
      log,
      decidedBy: decidedBy.map(({ span }) => this.place(span)),
    };
  }

  /** Returns the answer if skipped sections apply. */
  otherReading({ answer, branches, reason, help }: OtherReading): NonNullable<Explained["otherReadings"]>[number] {
    const shown = shownCaseOf(answer);
    return {
      sections: branches.map((branch) => ({
        tag: redactText(textOfTag(branch.tag)),
        location: this.place(branch.tag),
      })),
      reason,
      help: help?.map(redactText),
      ...this.shown(shown ?? answer),
      ...(shown && destinationToJson(destinationOfCase(shown))),
    };
  }

  /** Returns the errors that prevent a server from starting; undefined if there are none. */
  startup(findings: readonly Finding[]): Explained["startup"] {
    return unlessEmpty(this.faults(findings));
  }

  faults(findings: readonly Finding[]): readonly JsonOf<typeof faultSchema>[] {
    return findings.map(({ message, span }) => ({ message: redactText(message), location: this.place(span) }));
  }

  /** Returns an unproved or unknown part. */
  unproved({ reason, help = [], directive, example }: Unproved): JsonOf<typeof unprovedSchema> {
    return {
      reason: redactText([reason, ...help].join("; ")),
      location: directive && this.place(directive.span),
      example,
    };
  }

  /** Returns the servers of a comparison that is proved for only some of them. */
  serverProofs(found: ServerProofs | undefined): JsonOf<typeof serverProofsSchema> | undefined {
    const toJson = (pair: ServerPair) => {
      const section = sectionOfPair(pair);
      return { name: nameOfPair(pair), location: section && this.place(section.span) };
    };
    return found && { proved: found.proved.map(toJson), open: found.open.map(toJson) };
  }

  place(span: Span): JsonOf<typeof locationSchema> {
    return { path: this.places.path(span.file), ...this.places.range(span) };
  }

  private alternative(possible: AnswerCase): NonNullable<Explained["alternatives"]>[number] {
    const { open } = possible;
    const [destination, answeredBy] = [destinationOfCase(possible), responderOfCase(possible)];
    const when = possible.when.map(({ fact, answer }) => ({ question: redactText(wordsOfFact(fact)), answer }));
    const shown: AnswerFields["usual"] =
      open === undefined
        ? this.shown(possible)
        : { ...this.shown({ ...possible, status: undefined, decidedBy: [], log: [] }), class: "unknown" };
    const unknown = open === undefined ? undefined : [redactText(wordsOfFact(open))];
    return { when, ...shown, ...destinationToJson(destination), answeredBy, unknown };
  }

  private headers({ sentHeaders }: Answer): Pick<Explained, "contentType" | "headerLines"> {
    const { contentType, lines = [] } = sentHeaders ?? {};
    const toJson = (line: Directive) => ({ line: redactQuotedLine(formatLine(line)), location: this.place(line.span) });
    return {
      contentType: contentType && {
        value: redactText(toReadable(contentType.value)),
        lines: unlessEmpty(contentType.lines.map(toJson)),
        typesFile: contentType.typesFile === undefined ? undefined : nativePath(toReadable(contentType.typesFile)),
      },
      headerLines: unlessEmpty(lines.map(toJson)),
    };
  }

  private cause({ text, line, help }: Cause): NonNullable<Explained["causes"]>[number] {
    return { text: redactText(text), location: line && this.place(line.span), help: help?.map(redactText) };
  }

  miss({ section, span, reason, by, help }: Miss): NonNullable<Explained["notApplied"]>[number] {
    return {
      line: redactQuotedLine(section),
      location: this.place(span),
      reason: redactText(reason),
      by: by && this.place(by.span),
      help: help?.map(redactText),
    };
  }

  private note({ directive: { span }, text }: Note): Explained["notes"][number] {
    return { message: redactText(text), location: this.place(span) };
  }

  private step(step: TraceStep): Explained["trace"][number] {
    const { effect, lines, replaced, combined } = step;
    return {
      ...this.section(step),
      effect: redactText([effect, ...step.details].join("; ")),
      lines: lines.map(({ span }) => this.place(span)),
      replaced: unlessEmpty(replaced.map((each) => this.replaced(each))),
      combinedWith: unlessEmpty(combined.map((each) => this.section(each))),
    };
  }

  private replaced(each: ReplacedSection): NonNullable<Explained["trace"][number]["replaced"]>[number] {
    const { rules } = each;
    const directives = rules === "old" ? ["Order", "Allow", "Deny", "Satisfy"] : ["Require"];
    return { ...this.section(each), directives, rules };
  }

  section({ section, span }: TracedSection): JsonOf<typeof sectionSchema> {
    return { section: redactQuotedLine(section), location: this.place(span) };
  }
}

/** Returns what responds in all cases instead of a file. */
function sharedResponderOf([first, ...others]: readonly AnswerCase[]): ResponseSource | undefined {
  const responder = first && responderOfCase(first);
  return others.every((each) => responderOfCase(each) === responder) ? responder : undefined;
}

/** Returns where the request leads in all cases. */
function sharedDestinationOf([first, ...others]: readonly Destination[]): Destination {
  if (first === undefined) return {};
  const { location, target, file, pathInfo, query, handler } = first;
  const isShared = (key: keyof Destination) => others.every((each) => each[key] === first[key]);
  return {
    ...(isShared("location") ? { location } : {}),
    ...(isShared("target") ? { target } : {}),
    ...(isShared("file") ? { file } : {}),
    ...(isShared("pathInfo") ? { pathInfo } : {}),
    ...(isShared("query") ? { query } : {}),
    ...(isShared("handler") ? { handler } : {}),
  };
}

function destinationToJson({ location, target, file, pathInfo, query, handler }: Destination): Destination {
  const shown = (text: string | undefined) => (text === undefined ? undefined : redactText(toReadable(text)));
  return {
    ...{
      location: shown(location),
      target: shown(target),
      file: shown(file === undefined ? undefined : nativePath(file)),
      pathInfo: shown(pathInfo),
      query: shown(query),
    },
    handler: shown(handler),
  };
}

/** Redacts the secret in a line of a configuration, or in a name derived from one. */
export function redactQuotedLine(line: string): string {
  return toWellFormed(redactLine(line));
}

/** Returns the unknown facts of an answer for its JSON; undefined if there are none. */
export function unknownToJson({ unknown }: Pick<Answer, "unknown">): readonly string[] | undefined {
  return unlessEmpty(unknown.map(redactText));
}

/** Redacts the secrets of URLs in a text. */
export function redactText(text: string): string {
  return toWellFormed(redact(text, []));
}
