import { NO_START } from "../../config/refusals/refusal.js";
import type { Finding } from "../../lint/finding.js";
import type { Answer, DecisionClass, Miss } from "../../server/model/answer.js";
import type { TracedSection, TraceStep } from "../../server/model/trace-step.js";
import { wordsOfFact } from "../../server/model/unknown-facts.js";
import { formatLine } from "../../server/trace/step.js";
import type { Span } from "../../text/source.js";
import { formatCount } from "../../text/words.js";
import { redact, redactLine } from "../secrets/redaction.js";
import { lineNumberWidth, type Paint, TextPrinter, type TextStyle } from "../text/text-printer.js";
import { makeVisible, toWellFormed } from "../text/visible-text.js";
import { type AnswerReport, missesToShow } from "./answer-report.js";
import {
  describeOtherAnswer,
  formatCase,
  formatCondition,
  formatTitle,
  headlineOf,
  stepRelationsOf,
} from "./answer-words.js";
import { shownCaseOf } from "./shown-case.js";

/** Renders an answer as text: the response, the logs, the deciding lines as frames, and the steps that led there. */
export function* renderAnswerText(report: AnswerReport, style: TextStyle): Generator<string> {
  const { answer, startup, assumptions = [], showsAll = false } = report;
  const writer = new AnswerWriter(answer, style);
  if (startup.length > 0) yield writer.startup(startup, assumptions);
  yield writer.headline();
  yield writer.logs();
  yield writer.deciding();
  if (differsIn(answer)) yield writer.alternatives(showsAll);
  yield writer.misses(missesToShow(report));
  yield writer.notes();
  yield writer.otherAnswer();
  yield writer.steps(showsAll);
}

/** Renders the first lines about an answer: its result, and what explains an error. */
export function renderHeadline(answer: Answer, style: TextStyle): string {
  return new AnswerWriter(answer, style).headline();
}

class AnswerWriter {
  private readonly printer: TextPrinter;

  constructor(
    private readonly answer: Answer,
    style: TextStyle,
  ) {
    this.printer = new TextPrinter(style);
  }

  startup(findings: readonly Finding[], assumptions: readonly string[]): string {
    const [first] = findings;
    if (first === undefined) return "";
    const { bold, red } = this.printer.colours;
    const place = this.printer.places.place(first.span);
    const isOnly = findings.length === 1;
    const more = isOnly ? "" : `; \`httpd-lint check\` shows all ${findings.length} errors`;
    const margin = lineNumberWidth(place);
    const head = `${bold(red(NO_START))} with this configuration${more}\n`;
    const words = this.wrap(first.message, `${this.printer.formatPlace(place)}: `, 4);
    const frame = `${this.printer.bar(margin)}\n${this.printer.frame(place, margin, "^", (text) => bold(red(text)))}`;
    const assumed = assumptions.map(
      (assumption) => `note: assuming that ${this.wrap(assumption, "note: assuming that ", 2)}\n`,
    );
    return `${head}${bold(`${this.printer.formatPlace(place)}:`)} ${words}\n${frame}\n${assumed.join("")}without ${isOnly ? "this error" : "these errors"}, the response would be:\n`;
  }

  headline(): string {
    const { answer } = this;
    const { title, reason, remarks, isLong } = headlineOf(answer);
    const paint = this.paintOf(shownCaseOf(answer)?.class ?? answer.class);
    const below = (text: string) => `    ${this.wrap(text, "    ", 4)}\n`;
    const first = isLong
      ? `${paint(title)}\n${below(reason)}`
      : `${paint(title)}: ${this.wrap(reason, `${title}: `, 4)}\n`;
    return `${first}${[...remarks, ...this.causes()].map(below).join("")}\n`;
  }

  private causes(): readonly string[] {
    return this.answer.causes.map(({ text, line }) => {
      return line ? `${text} (${this.placed(line.span)})` : text;
    });
  }

  private placed(span: Span): string {
    return this.printer.formatPlace(this.printer.places.place(span));
  }

  logs(): string {
    const { dim } = this.printer.colours;
    const { accessLog, errorLog, logsMayDiffer, unknown } = this.answer;
    const lines = [
      `${dim("access log")}  ${this.plain(accessLog)}\n`,
      ...errorLog.map((line) => `${dim("error log")}   ${this.plain(line)}\n`),
      // If the response itself depends on that, it is stated below.
      logsMayDiffer && unknown.length === 0 ? "other log lines are possible\n" : "",
    ];
    return `${lines.join("")}\n`;
  }

  deciding(): string {
    const { class: decided } = this.answer;
    const places = placesOf(this.answer);
    if (places.length === 0) return "";
    const shown = places.slice(0, MAX_EXCERPTS).map((span) => this.frame(span, this.paintOf(decided)));
    const more =
      places.length > MAX_EXCERPTS ? `and ${formatCount(places.length - MAX_EXCERPTS, "line")} more\n\n` : "";
    return shown.join("") + more;
  }

  private frame(span: Span, paint: Paint): string {
    const { printer } = this;
    const place = printer.places.place(span);
    const margin = lineNumberWidth(place);
    const head = `${printer.colours.bold(`${printer.formatPlace(place)}:`)} decides\n`;
    return `${head}${printer.bar(margin)}\n${printer.frame(place, margin, "^", paint)}\n`;
  }

  alternatives(showsAll: boolean): string {
    const { cases } = this.answer;
    const sharedOpen = cases.every(({ open }) => open === cases[0]?.open) ? cases[0]?.open : undefined;
    const shownCases = showsAll ? cases : cases.slice(0, MAX_CASES);
    const lines = shownCases.map((possible) => {
      const each = sharedOpen === undefined ? possible : { ...possible, open: undefined };
      const { log, when, decidedBy, class: decided, open } = each;
      const conditions = when.map(formatCondition);
      const by = decidedBy.map(({ span }) => this.printer.formatPlace(this.printer.places.place(span)));
      const sources = open === undefined ? [...log, ...by].join(", ") : wordsOfFact(open);
      const title = formatCase(each);
      const paint = this.paintOf(open === undefined ? decided : "unknown");
      const head = `${paint(title)}${sources === "" ? "" : ` (${sources})`}`;
      return `  ${head}\n${conditions.map((condition) => `    ${this.wrap(condition)}\n`).join("")}`;
    });
    const more = cases.length - shownCases.length;
    const rest = more > 0 ? `  and ${formatCount(more, "more case")}; \`--all\` shows them\n` : "";
    const head = this.printer.colours.bold("possible responses");
    return `${head}${sharedOpen === undefined ? "" : " once access is granted"}\n${lines.join("")}${rest}\n`;
  }

  misses(misses: readonly Miss[]): string {
    if (misses.length === 0) return "";
    const lines = misses.map(({ section, span, reason, by }) => {
      const [where, other] = [this.placed(span), by ? ` (${this.placed(by.span)})` : ""];
      return `  ${this.wrap(`\`${section}\` (${where}): ${reason}${other}`, "  ", 4)}\n`;
    });
    return `${this.printer.colours.bold("did not apply")}\n${lines.join("")}\n`;
  }

  notes(): string {
    const { notes } = this.answer;
    if (notes.length === 0) return "";
    const lines = notes.map(({ directive, text }) => {
      const where = this.printer.formatPlace(this.printer.places.place(directive.span));
      return `  ${this.wrap(`\`${formatLine(directive)}\` ${text}`)} (${where})\n`;
    });
    return `${this.printer.colours.bold("notes")}\n${lines.join("")}\n`;
  }

  otherAnswer(): string {
    const { otherAnswer } = this.answer;
    if (otherAnswer === undefined) return "";
    const by = otherAnswer.decidedBy.map(({ span }) => this.printer.formatPlace(this.printer.places.place(span)));
    const head = describeOtherAnswer(this.answer);
    const sources = [...otherAnswer.log, ...by].join(", ");
    return `${this.printer.colours.bold(head)}: ${this.paintOf(otherAnswer.class)(formatTitle(otherAnswer))}${sources === "" ? "" : ` (${sources})`}\n\n`;
  }

  steps(showsAll: boolean): string {
    const { trace } = this.answer;
    if (trace.length === 0) return "";
    const margin = String(trace.length).length;
    const shown = trace.map((step, index) => this.step(step, index + 1, margin, trace));
    const round = showsAll ? undefined : findRepeatedRounds(trace);
    if (round) {
      const [from, to] = [round.start + round.length, round.end];
      const words = `steps ${from + 1} to ${to} repeat steps ${round.start + 1} to ${from} with other URLs; \`--all\` shows them`;
      shown.splice(
        from,
        to - from,
        `${" ".repeat(margin + 2)}${this.wrap(words, " ".repeat(margin + 2), margin + 2)}\n`,
      );
    }
    return `${this.printer.colours.bold("steps")}, in order; each section is merged with those before it\n${shown.join("")}`;
  }

  private step(step: TraceStep, number: number, margin: number, trace: readonly TraceStep[]): string {
    const { dim, bold } = this.printer.colours;
    const indent = " ".repeat(margin + 2);
    const head = `${dim(`${String(number).padStart(margin)}.`)} ${bold(this.wrap(redactLine(step.section)))}  ${dim(this.formatPlace(step))}\n`;
    const quiet = step.lines.length <= 1 && step.role === "no-effect";
    const lines = [
      quiet ? dim(step.effect) : this.wrap(step.effect, indent, indent.length + 2),
      ...stepRelationsOf(step, trace).map((text) => this.wrap(text, indent, indent.length + 2)),
    ];
    return head + lines.map((line) => `${indent}${line}\n`).join("");
  }

  private formatPlace({ span }: TracedSection): string {
    return this.printer.formatPlace(this.printer.places.place(span));
  }

  /** @param ahead, indent as for the text printer's line wrapping */
  private wrap(text: string, ahead = "", indent = 0): string {
    return this.printer.flow(toWellFormed(redact(text, [])), "", ahead, indent);
  }

  /** Renders text on one line, whatever its length. */
  private plain(text: string): string {
    return makeVisible(toWellFormed(redact(text, [])));
  }

  private paintOf(decided: DecisionClass): Paint {
    const { bold, green, red, yellow } = this.printer.colours;
    const colour = decided === "allowed" ? green : decided === "unknown" || decided === "401" ? yellow : red;
    return (text) => bold(colour(text));
  }
}

/** Steps that repeat until the end of a trace or later: the rounds of a loop. Indexes of steps. */
interface RepeatedRounds {
  readonly start: number;
  /** Number of steps in a round. */
  readonly length: number;
  readonly end: number;
}

/** Returns the longest run of equal rounds with at least three of them; undefined if there is none. */
function findRepeatedRounds(trace: readonly TraceStep[]): RepeatedRounds | undefined {
  const isSame = (one: number, other: number) => {
    const [a, b] = [trace[one]?.span, trace[other]?.span];
    return a !== undefined && b !== undefined && a.file === b.file && a.start === b.start;
  };
  let best: RepeatedRounds | undefined;
  for (let length = 1; length <= MAX_ROUND; length++)
    for (let start = 0; start + 3 * length <= trace.length; start++) {
      let end = start + length;
      while (isSame(end, end - length)) end++;
      const isRepeated = end - start >= 3 * length;
      if (isRepeated && (best === undefined || end - start > best.end - best.start)) best = { start, length, end };
    }
  return best;
}

/** A loop with longer rounds is shown in full. */
const MAX_ROUND = 12;

/** Reports whether the cases of an answer are worth a list: not if nothing is known of any. */
function differsIn(answer: Answer): boolean {
  const { cases } = answer;
  return cases.length > 1 && (shownCaseOf(answer) !== undefined || cases.some(({ open }) => open === undefined));
}

/** Returns the spans of the deciding lines, or of those that lead a request somewhere if other files decide access. */
function placesOf(answer: Answer): readonly Span[] {
  if (answer.places.length > 0) return answer.places;
  const shown = shownCaseOf(answer);
  return shown?.open === undefined ? [] : shown.decidedBy.map(({ span }) => span);
}

/** More cases are hard to compare. */
const MAX_CASES = 8;

/** More frames add little information. */
const MAX_EXCERPTS = 4;
