import type { Finding } from "../../lint/finding.js";
import type { Unproved } from "../../proof/model/comparison.js";
import type { Answer } from "../../server/model/answer.js";
import type { Note, TracedSection, TraceStep } from "../../server/model/trace-step.js";
import { formatJson } from "../../text/escaping.js";
import type { Span } from "../../text/source.js";
import { redact, redactLine } from "../secrets/redaction.js";
import { PlaceResolver } from "../text/source-places.js";
import { toWellFormed } from "../text/visible-text.js";
import type { DecisionReport } from "./decision-text.js";

/** Renders a decision as JSON, as `explain.schema.json` describes it. */
export function* renderDecisionJson(
  { decision, startup, assumptions }: DecisionReport,
  base: string | undefined,
): Generator<string> {
  const writer = new DecisionJson(new PlaceResolver(base));
  const { release, semantics, request } = decision;
  const whole = {
    ...{ release, reading: semantics, request, ...writer.startup(startup), ...assumptionsToJson(assumptions) },
    ...writer.decision(decision),
  };
  yield `${formatJson(whole, 2)}\n`;
}

/** Returns the assumptions of an analysis about the rest of the server for its JSON; empty for a whole server. */
export function assumptionsToJson(assumptions: readonly string[] = []): object {
  return assumptions.length === 0 ? {} : { assumptions: assumptions.map(redactText) };
}

/** Renders the read options of the configuration, as the start of an unfinished JSON object. */
export function renderJsonHead({ release, semantics, assumptions }: JsonHead): string {
  return formatJson({ release, reading: semantics, ...assumptionsToJson(assumptions) }).slice(0, -1);
}

interface JsonHead extends Pick<Answer, "release" | "semantics"> {
  readonly assumptions?: readonly string[];
}

interface WrittenAnswer extends Pick<Answer, "status" | "log" | "decidedBy"> {
  readonly class: string;
}

/** Renders the parts of decisions as plain values. */
export class DecisionJson {
  constructor(private readonly places: PlaceResolver) {}

  decision(decision: Answer): object {
    const { errorLog, accessLog, logsMayDiffer, alternatives, notes, trace, otherAnswer } = decision;
    return {
      ...this.shown(decision),
      ...(errorLog.length > 0 ? { errorLog: errorLog.map(redactText) } : {}),
      accessLog: redactText(accessLog),
      ...(logsMayDiffer ? { logsMayDiffer } : {}),
      decidedBy: decision.places.map((span) => this.location(span)),
      ...unknownToJson(decision),
      ...(alternatives.length > 0 ? { alternatives: alternatives.map((each) => this.alternative(each)) } : {}),
      trace: trace.map((step) => this.step(step)),
      notes: notes.map((note) => this.note(note)),
      ...(otherAnswer ? { [otherAnswer.semantics]: this.shown(otherAnswer) } : {}),
    };
  }

  shown({ status, class: decided, log, decidedBy }: WrittenAnswer): object {
    return {
      status: status ?? null,
      class: decided,
      log,
      decidedBy: decidedBy.map(({ span }) => this.location(span)),
    };
  }

  startup(findings: readonly Finding[]): object {
    if (findings.length === 0) return {};
    return { startup: this.faults(findings) };
  }

  faults(findings: readonly Finding[]): readonly object[] {
    return findings.map(({ message, span }) => ({ message: redactText(message), location: this.location(span) }));
  }

  /** Returns an unproved or unknown part. */
  unproved({ reason, directive, example }: Unproved): object {
    return {
      reason: redactText(reason),
      ...(directive ? { location: this.location(directive.span) } : {}),
      ...(example === undefined ? {} : { example }),
    };
  }

  location(span: Span): object {
    return { path: this.places.path(span.file), ...this.places.range(span) };
  }

  private alternative(alternative: Answer["alternatives"][number]): object {
    const when = alternative.when.map(({ question, answer }) => ({ question: redactText(question), answer }));
    return { when, ...this.shown(alternative) };
  }

  private note({ directive: { span }, text }: Note): object {
    return { message: redactText(text), location: this.location(span) };
  }

  private step(step: TraceStep): object {
    const { effect, lines, replaced, combined } = step;
    return {
      ...this.section(step),
      effect: redactText(effect),
      lines: lines.map(({ span }) => this.location(span)),
      ...(replaced.length > 0
        ? { replaced: replaced.map((each) => ({ ...this.section(each), rules: each.rules })) }
        : {}),
      ...(combined.length > 0 ? { combinedWith: combined.map((each) => this.section(each)) } : {}),
    };
  }

  section({ section, span }: TracedSection): object {
    return { section: redactQuotedLine(section), location: this.location(span) };
  }
}

/** Redacts the secret in a line of a configuration, or in a name derived from one. */
export function redactQuotedLine(line: string): string {
  return toWellFormed(redactLine(line));
}

/** Returns the unknown facts of a decision for its JSON; empty if there are none. */
export function unknownToJson({ unknown }: Pick<Answer, "unknown">): object {
  return unknown.length === 0 ? {} : { unknown: unknown.map(redactText) };
}

/** Redacts the secrets of URLs in a text. */
export function redactText(text: string): string {
  return toWellFormed(redact(text, []));
}
