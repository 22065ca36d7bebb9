import type { Unproved } from "../compare/doubts.js";
import type { Finding } from "../engine/finding.js";
import type { Decision, Verdict } from "../simulate/decision.js";
import type { Note, TracedSection, TraceStep } from "../simulate/step.js";
import { jsonText } from "../text/json-text.js";
import type { Span } from "../text/source.js";
import type { Explained } from "./decision-text.js";
import { Places } from "./places.js";
import { redact, redactLine } from "./secrets.js";
import { wellFormed } from "./visible.js";

/** A decision for programs, as `explain.schema.json` describes it. */
export function* decisionJson(
  { decision, startup, assumptions }: Explained,
  base: string | undefined,
): Generator<string> {
  const writer = new DecisionJson(new Places(base));
  const { release, reading, request } = decision;
  const whole = {
    ...{ release, reading, request, ...assumed(assumptions) },
    ...writer.decision(decision),
    ...writer.startup(startup),
  };
  yield `${jsonText(whole, 2)}\n`;
}

/** Returns what an analysis assumes about the rest of the server as a part of its JSON; nothing for a whole server. */
export function assumed(assumptions: readonly string[] = []): object {
  return assumptions.length === 0 ? {} : { assumptions: assumptions.map(said) };
}

/** How the configuration was read, as the start of a JSON object that goes on. */
export function jsonHead({ release, reading, assumptions }: JsonHead): string {
  return jsonText({ release, reading, ...assumed(assumptions) }).slice(0, -1);
}

interface JsonHead extends Pick<Decision, "release" | "reading"> {
  readonly assumptions?: readonly string[];
}

/** The parts of decisions as plain values. */
export class DecisionJson {
  constructor(private readonly places: Places) {}

  decision(decision: Decision): object {
    const { errorLog, accessLog, logsMayDiffer, unknown, alternatives, notes, trace, otherReading, reading } = decision;
    return {
      ...this.verdict(decision),
      ...(errorLog.length > 0 ? { errorLog: errorLog.map(said) } : {}),
      accessLog: said(accessLog),
      ...(logsMayDiffer ? { logsMayDiffer } : {}),
      decidedBy: decision.places.map((span) => this.location(span)),
      ...(unknown.length > 0 ? { unknown: unknown.map(said) } : {}),
      ...(alternatives.length > 0 ? { alternatives: alternatives.map((each) => this.alternative(each)) } : {}),
      ...(notes.length > 0 ? { notes: notes.map((note) => this.note(note)) } : {}),
      trace: trace.map((step) => this.step(step)),
      ...(otherReading ? { [reading === "server" ? "guide" : "server"]: this.verdict(otherReading) } : {}),
    };
  }

  verdict({ status, class: decided, log, decidedBy }: Verdict): object {
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
    return findings.map(({ message, span }) => ({ message: said(message), location: this.location(span) }));
  }

  /** What is not proved, or not known. */
  unproved({ reason, directive, example }: Unproved): object {
    return {
      reason: said(reason),
      ...(directive ? { location: this.location(directive.span) } : {}),
      ...(example === undefined ? {} : { example }),
    };
  }

  location(span: Span): object {
    return { path: this.places.path(span.file), ...this.places.range(span) };
  }

  private alternative(alternative: Decision["alternatives"][number]): object {
    const when = alternative.when.map(({ question, answer }) => ({ question: said(question), answer }));
    return { when, ...this.verdict(alternative) };
  }

  private note({ directive: { span }, text }: Note): object {
    return { message: said(text), location: this.location(span) };
  }

  private step(step: TraceStep): object {
    const { effect, lines, replaced, combined } = step;
    return {
      ...this.section(step),
      effect: said(effect),
      lines: lines.map(({ span }) => this.location(span)),
      ...(replaced.length > 0
        ? { replaced: replaced.map((each) => ({ ...this.section(each), rules: each.rules })) }
        : {}),
      ...(combined.length > 0 ? { combinedWith: combined.map((each) => this.section(each)) } : {}),
    };
  }

  section({ section, span }: TracedSection): object {
    return { section: saidLine(section), location: this.location(span) };
  }
}

/** A line of a configuration, or what is called by one, without the secret in it. */
export function saidLine(line: string): string {
  return wellFormed(redactLine(line));
}

/** Words without the secrets that a URL in them may hold. */
export function said(text: string): string {
  return wellFormed(redact(text, []));
}
