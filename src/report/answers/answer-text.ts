import { textOfTag } from "../../config/alternatives.js";
import type { Directive } from "../../config/model/directive.js";
import { isAssumed } from "../../config/model/project.js";
import { NO_START } from "../../config/refusals/refusal.js";
import type { Finding } from "../../lint/finding.js";
import type { Answer, AnswerCase, Cause, DecisionClass, FactCondition, Miss } from "../../server/model/answer.js";
import type { TracedSection, TraceStep } from "../../server/model/trace-step.js";
import { wordsOfFact } from "../../server/model/unknown-facts.js";
import { formatLine } from "../../server/trace/step.js";
import { lineAt, type Span, toReadable } from "../../text/source.js";
import { formatCount, formatWordList, quoteText } from "../../text/words.js";
import { redact, redactLine } from "../secrets/redaction.js";
import { countTextLines, fitBlocks, joinBlocks, type ReportBlock, type ReportPart } from "../text/fitted-blocks.js";
import { lineNumberWidth, type Paint, TextPrinter, type TextStyle } from "../text/text-printer.js";
import { makeVisible, toWellFormed } from "../text/visible-text.js";
import type { AnswerReport } from "./answer-report.js";
import {
  describeOtherAnswer,
  followsGrant,
  formatCase,
  formatCondition,
  formatFactConditions,
  formatTitle,
  hasNoResponse,
  headlineOf,
  stepRelationsOf,
} from "./answer-words.js";
import { roleOfChange, roleOfLine } from "./line-roles.js";
import { isSameLine, type Problem, sortProblems } from "./problems.js";
import { listedCasesOf, shownCaseOf } from "./shown-case.js";

/**
 * The notes without which a result misleads: their titles, and what the result assumes. With a module that is not loaded, other
 * lines apply as well: the result does not hold for them.
 */
const firstNotes = {
  TLS: { title: "no TLS", without: "with TLS" },
  Listen: { title: "no connection", without: "with such a line" },
  module: { title: "no connection", without: undefined },
} as const;

/** Lines of the default view, which is to fit a screen. */
const MAX_LINES = 25;

/** Lines at the end that name the flags for more. */
const FOOTER_LINES = 2;

/**
 * Renders an answer as text: the response, the logs, the deciding lines as frames, and the steps that led there. Unless all
 * is to be shown, it fits a screen: what is less important is left out.
 */
export function* renderAnswerText(report: AnswerReport, style: TextStyle): Generator<string> {
  const { answer, startup, assumptions = [], showsAll = false } = report;
  const writer = new AnswerWriter(answer, style);
  if (answer.notes.some(({ lacks }) => lacks === "module")) {
    yield writer.firstNotes().join("");
    return;
  }
  const blocksOf = (isComplete: boolean) => {
    const { first, misses, advice } = sortProblems({ ...report, showsAll: isComplete });
    return [
      ...[
        writer.result(startup, assumptions, first, report.remedy),
        writer.logs(isComplete),
        writer.deciding(isComplete, first),
      ],
      writer.headers(isComplete),
      ...[writer.cases(isComplete), writer.otherReadings(report.others), writer.misses(misses), writer.notes()],
      ...[writer.advice(advice), writer.otherAnswer()],
    ];
  };
  const allSteps = answer.trace.map((step) => ({ step, rank: 0 }));
  const whole = joinBlocks([...blocksOf(true), writer.steps(allSteps)]);
  if (showsAll) {
    yield whole;
    return;
  }
  const steps = rankSteps(answer);
  const stepsBlock = writer.steps(steps);
  const fitted = fitBlocks([...blocksOf(false), stepsBlock], MAX_LINES - FOOTER_LINES);
  const kept = new Set(fitted.at(-1)?.parts);
  // Steps are numbered once it is known which are shown.
  const shownSteps = stepsBlock.parts.flatMap((part, index) => (kept.has(part) ? (steps[index] ?? []) : []));
  const shown = joinBlocks([...fitted.slice(0, -1), writer.steps(shownSteps)]);
  yield shown;
  yield writer.footer(countTextLines(whole) - countTextLines(shown), sortProblems(report).first);
}

/** Renders the first lines about an answer: its result, and what explains an error. */
export function renderHeadline(answer: Answer, style: TextStyle): string {
  const { first } = sortProblems({ answer, startup: [] });
  return `${new AnswerWriter(answer, style).headline(first)}\n`;
}

class AnswerWriter {
  private readonly printer: TextPrinter;

  constructor(
    private readonly answer: Answer,
    style: TextStyle,
  ) {
    this.printer = new TextPrinter(style);
  }

  /** Renders the result, after an error that prevents the server from starting. */
  result(
    startup: readonly Finding[],
    assumptions: readonly string[],
    problems: readonly Problem[],
    remedy: readonly string[] = [],
  ): ReportBlock {
    const [first] = startup;
    const headline = { text: this.headline(problems, remedy), rank: 0 };
    return first ? this.unstarted(first, startup, assumptions, headline) : { parts: [headline] };
  }

  private unstarted(
    first: Finding,
    findings: readonly Finding[],
    assumptions: readonly string[],
    headline: ReportPart,
  ): ReportBlock {
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
    return {
      head,
      parts: [
        { text: `${bold(`${this.printer.formatPlace(place)}:`)} ${words}\n`, rank: 0 },
        { text: frame, rank: ranks.extra },
        ...(first.help ?? []).map((each) => ({ text: `help: ${this.wrap(each, "help: ", 2)}\n`, rank: ranks.main })),
        ...assumed.map((text) => ({ text, rank: ranks.main })),
        { text: `\nwithout ${isOnly ? "this error" : "these errors"}, the response would be:\n`, rank: 0 },
        headline,
      ],
    };
  }

  headline(problems: readonly Problem[], remedy: readonly string[] = []): string {
    const { answer } = this;
    const { title, reason, remarks, isLong } = headlineOf(answer);
    const { loop } = answer;
    const paint = this.paintOf(shownCaseOf(answer)?.class ?? answer.class);
    const below = (text: string) => `    ${this.wrap(text, "    ", 4)}\n`;
    const first = isLong
      ? `${paint(title)}\n${loop && loop.help === undefined ? below(this.cause(loop)) : ""}${below(reason)}`
      : `${paint(title)}: ${this.wrap(reason, `${title}: `, 4)}\n`;
    // A finding on the same line has its place and the remedy as well.
    const isFound = (place: Span | undefined) =>
      place !== undefined && problems.some(({ span }) => isSameLine(span, place));
    const facts = answer.causes.filter(({ help, rejected }) => help === undefined && !isFound(rejected));
    const causes = facts.map((cause) => below(this.cause(cause)));
    const changes = problems.map((problem) => this.problem(problem));
    return [...this.firstNotes(), first, ...causes, ...changes, this.helpLines(remedy), ...remarks.map(below)].join("");
  }

  private problem({ text, span, by, help }: Problem): string {
    const places = [span, by?.span].flatMap((each) => (each ? [this.placed(each)] : []));
    const where = places.length === 0 ? "" : ` (${places.join(", ")})`;
    return `    ${this.wrap(`${text}${where}`, "    ", 4)}\n${this.helpLines(help)}`;
  }

  private helpLines(help: readonly string[]): string {
    return help.map((each) => `    help: ${this.wrap(each, "    help: ", 6)}\n`).join("");
  }

  /** Renders the notes without which the result misleads. */
  firstNotes(): readonly string[] {
    const { bold, red } = this.printer.colours;
    return this.answer.notes.flatMap(({ lacks, directive, text, help = [] }) => {
      if (lacks === undefined) return [];
      const { title, without } = firstNotes[lacks];
      const line = `\`${formatLine(directive)}\` `;
      const words = `${lacks === "TLS" ? line : ""}${text} (${this.placed(directive.span)})`;
      const first = `${bold(red(title))}: ${this.wrap(words, `${title}: `, 4)}\n`;
      const after = without === undefined ? "" : `\n${without}, the response would be:\n`;
      return [`${first}${this.helpLines(help)}${after}`];
    });
  }

  private cause({ text, line }: Cause): string {
    return line ? `${text} (${this.placed(line.span)})` : text;
  }

  private placed(span: Span): string {
    return this.printer.formatPlace(this.printer.places.place(span));
  }

  logs(isComplete: boolean): ReportBlock {
    const { dim } = this.printer.colours;
    const { accessLog, errorLog, logsMayDiffer, unknown } = this.answer;
    const errors = errorLog.map((line) => `${dim("error log")}   ${this.plain(line)}\n`);
    // If the response itself depends on that, it is stated below.
    const more = logsMayDiffer && unknown.length === 0 ? ["other log lines are possible\n"] : [];
    return {
      parts: [
        // A handshake that fails comes before the request.
        ...(hasNoResponse(this.answer)
          ? []
          : [{ text: `${dim("access log")}  ${this.plain(accessLog)}\n`, rank: ranks.main }]),
        ...rankFirst(isComplete ? errors.length : MAX_ERRORS, errors),
        ...more.map((text) => ({ text, rank: ranks.detail })),
      ],
    };
  }

  /** Renders the lines to change, and those that decide, each with what it does. */
  deciding(isComplete: boolean, problems: readonly Problem[]): ReportBlock {
    const { class: decided } = this.answer;
    const [{ change, span: about, isMiss } = {}] = problems;
    const toChange = change ? [change] : [];
    const first = change ?? about;
    const known = placesOf(this.answer).filter((span) => first === undefined || !isOnLineOf(first, span));
    const others = change === undefined && about ? [about, ...known] : known;
    const places = [...toChange, ...others];
    const max = isComplete ? places.length : MAX_EXCERPTS;
    const frames = places.slice(0, max).map((span, index) => {
      const isOther = isMiss === true && span === about;
      const role =
        index < toChange.length ? roleOfChange(span) : isOther ? "does not apply" : roleOfLine(span, this.answer);
      return this.frame(span, role, this.paintOf(decided));
    });
    const more = places.length - frames.length;
    const rest = more > 0 ? [`\nand ${formatCount(more, "more line")}\n`] : [];
    const texts = frames.map((text, index) => (index === 0 ? text : `\n${text}`));
    return { parts: [...rankFirst(1, texts), ...rest.map((text) => ({ text, rank: ranks.detail }))] };
  }

  private frame(span: Span, role: string, paint: Paint): string {
    const { printer } = this;
    const place = printer.places.place(span);
    const margin = lineNumberWidth(place);
    const head = `${printer.colours.bold(`${printer.formatPlace(place)}:`)} ${role}\n`;
    return `${head}${printer.bar(margin)}\n${printer.frame(place, margin, "^", paint)}`;
  }

  /** Renders what lines do to the headers of the response; in the default view, the Content-Type only if a line decides it. */
  headers(isComplete: boolean): ReportBlock {
    const { sentHeaders, status, cases } = this.answer;
    const shownStatus = status ?? cases[0]?.status ?? 0;
    // Of a redirect or a denial, the headers are seldom of interest.
    const isDecided = (shownStatus >= 300 && shownStatus < 400) || shownStatus === 401 || shownStatus === 403;
    if (sentHeaders === undefined || (isDecided && !isComplete)) return NO_BLOCK;
    const { contentType, lines } = sentHeaders;
    const placed = (line: Directive) => `\`${redactLine(formatLine(line))}\` (${this.placed(line.span)})`;
    const deciding = [...(contentType?.lines.map(placed) ?? []), contentType?.typesFile ?? []].flat();
    const isShown = contentType !== undefined && (isComplete || contentType.lines.length > 0);
    const type = isShown ? [`\`Content-Type: ${toReadable(contentType.value)}\`, by ${formatWordList(deciding)}`] : [];
    const all = [...type, ...lines.map(placed)];
    const shown = isComplete ? all : all.slice(0, MAX_HEADERS);
    const more = all.length - shown.length;
    const texts = [...shown, ...(more > 0 ? [`and ${formatCount(more, "more line")}`] : [])];
    const responder = shownCaseOf(this.answer)?.answeredBy;
    const isOthers = responder === "backend" || responder === "program";
    const title = this.printer.colours.bold("response headers");
    return {
      head: `${title}${isOthers ? `, with those of the ${responder}` : ""}\n`,
      parts: texts.map((text) => ({
        text: `  ${this.wrap(text, "  ", 4)}\n`,
        rank: shownStatus < 300 ? ranks.detail : ranks.extra,
      })),
    };
  }

  /** Renders the possible responses; in the default view, each in one line, without the one that the headline has. */
  cases(isComplete: boolean): ReportBlock {
    const { answer } = this;
    if (!differsIn(answer)) return NO_BLOCK;
    const cases = listedCasesOf(answer);
    const shown = shownCaseOf(answer);
    const sharedOpen = cases.every(({ open }) => open === cases[0]?.open) ? cases[0]?.open : undefined;
    const listed = isComplete ? cases : cases.filter((each) => each !== shown);
    const lines = listed.map((possible) => {
      const each = sharedOpen === undefined ? possible : { ...possible, open: undefined };
      return isComplete ? this.fullCase(each) : this.shortCase(each, shown);
    });
    const isOther = listed.length < cases.length;
    const head = this.printer.colours.bold(`${isOther ? "other" : "possible"} responses`);
    return {
      head: `${head}${sharedOpen === undefined ? "" : " if other files grant access"}\n`,
      parts: rankFirst(isComplete ? lines.length : MAX_CASES, lines),
    };
  }

  private fullCase(possible: AnswerCase): string {
    const conditions = possible.when.map(formatCondition);
    return `  ${this.caseHead(possible, [])}\n${conditions.map((condition) => `    ${this.wrap(condition)}\n`).join("")}`;
  }

  /** Renders a case with the conditions in which it differs from the shown one. */
  private shortCase(possible: AnswerCase, shown: AnswerCase | undefined): string {
    const isShared = ({ fact, answer }: FactCondition) =>
      shown?.when.some((each) => each.fact === fact && each.answer === answer) === true;
    const words = formatFactConditions(possible.when.filter((each) => !isShared(each)));
    const head = this.caseHead(possible, placesOf(this.answer));
    return words === "" ? `  ${head}\n` : `  ${head}, ${this.wrap(words, "    ", 4)}\n`;
  }

  /** @param known the lines that are shown before */
  private caseHead({ log, decidedBy, class: decided, open, ...possible }: AnswerCase, known: readonly Span[]): string {
    const by = decidedBy.flatMap(({ span }) =>
      known.some((each) => isSameStart(each, span)) ? [] : [this.placed(span)],
    );
    const sources = open === undefined ? [...log, ...by].join(", ") : wordsOfFact(open);
    const paint = this.paintOf(open === undefined ? decided : "unknown");
    const title = formatCase({ ...possible, log, decidedBy, class: decided, open });
    return `${paint(title)}${sources === "" ? "" : ` (${sources})`}`;
  }

  /** Renders the answers if conditional sections apply that the server skips. */
  otherReadings(others: AnswerReport["others"] = []): ReportBlock {
    const lines = others.map(({ answer, branches, reason, help = [] }) => {
      const shown = shownCaseOf(answer);
      const head = shown
        ? this.caseHead(shown, [])
        : `${this.paintOf(answer.class)(formatTitle(answer))}${answer.places[0] ? ` (${this.placed(answer.places[0])})` : ""}`;
      const [first, ...more] = branches;
      if (first === undefined) return `  ${head}\n`;
      const rest = more.length === 0 ? "" : ` and ${formatCount(more.length, "more section")}`;
      const words = `with ${quoteText(textOfTag(first.tag))} (${this.placed(first.tag)})${rest}${reason === undefined ? "" : `: ${reason}`}`;
      return `  ${head}, ${this.wrap(words, "    ", 4)}\n${this.helpLines(help)}`;
    });
    const head = this.printer.colours.bold("if skipped sections apply");
    return { head: `${head}\n`, parts: lines.map((text) => ({ text, rank: ranks.main })) };
  }

  misses(misses: readonly Miss[]): ReportBlock {
    const lines = misses.map(({ section, span, reason, by, help = [] }) => {
      const [where, other] = [this.placed(span), by ? ` (${this.placed(by.span)})` : ""];
      return `  ${this.wrap(`\`${section}\` (${where}): ${reason}${other}`, "  ", 4)}\n${this.helpLines(help)}`;
    });
    return { head: `${this.printer.colours.bold("did not apply")}\n`, parts: rankFirst(MAX_MISSES, lines) };
  }

  notes(): ReportBlock {
    const notes = this.answer.notes.filter(({ lacks }) => lacks === undefined);
    const lines = notes.map(({ directive, text }) => {
      const where = this.printer.formatPlace(this.printer.places.place(directive.span));
      return `  ${this.wrap(`\`${formatLine(directive)}\` ${text}`)} (${where})\n`;
    });
    return { head: `${this.printer.colours.bold("notes")}\n`, parts: rankFirst(MAX_MISSES, lines) };
  }

  /** Renders what a check reports on the lines of the answer, with the remedies. */
  advice(findings: readonly Finding[]): ReportBlock {
    const texts = findings.map(({ message, span, help = [] }) => {
      const head = `  ${this.wrap(`${message} (${this.placed(span)})`, "  ", 4)}\n`;
      return head + this.helpLines(help);
    });
    // The first one is as important as a step that led to the answer.
    const parts = texts.map((text, index) => ({ text, rank: index === 0 ? ranks.step : ranks.extra }));
    return { head: `${this.printer.colours.bold("`check` reports")}\n`, parts };
  }

  otherAnswer(): ReportBlock {
    const { otherAnswer } = this.answer;
    if (otherAnswer === undefined) return NO_BLOCK;
    const by = otherAnswer.decidedBy.map(({ span }) => this.placed(span));
    const head = describeOtherAnswer(this.answer);
    const sources = [...otherAnswer.log, ...by].join(", ");
    const text = `${this.printer.colours.bold(head)}: ${this.paintOf(otherAnswer.class)(formatTitle(otherAnswer))}${sources === "" ? "" : ` (${sources})`}\n`;
    return { parts: [{ text, rank: ranks.main }] };
  }

  steps(ranked: readonly RankedStep[]): ReportBlock {
    const shown = ranked.flatMap(({ step }) => step ?? []);
    const margin = String(shown.length).length;
    const indent = " ".repeat(margin + 2);
    let number = 0;
    const parts = ranked.map(({ step, words = "", rank }) => {
      if (step === undefined) return { text: `${indent}${this.wrap(words, indent, indent.length)}\n`, rank };
      number++;
      return { text: this.step(step, number, margin, shown), rank };
    });
    return {
      head: `${this.printer.colours.bold("steps")}, in order; each section is merged with those before it\n`,
      parts,
    };
  }

  /** Renders what other flags show; empty if there is nothing else. @param more lines that only `--all` shows */
  footer(more: number, problems: readonly Problem[]): string {
    const words = [
      ...(more > 0 ? [`\`--all\` shows ${formatCount(more, "more line")}`] : []),
      ...(problems.length === 0 && isDeniedByAccess(this.answer)
        ? ["`--allow` shows the smallest change that allows this request"]
        : []),
    ];
    return words.length === 0 ? "" : `\n${this.wrap(words.join("; "))}\n`;
  }

  private step(step: TraceStep, number: number, margin: number, trace: readonly TraceStep[]): string {
    const { dim, bold } = this.printer.colours;
    const indent = " ".repeat(margin + 2);
    const head = `${dim(`${String(number).padStart(margin)}.`)} ${bold(this.wrap(redactLine(step.section)))}  ${dim(this.formatPlace(step))}\n`;
    const quiet = step.lines.length <= 1 && step.role === "no-effect";
    const lines = [
      quiet ? dim(step.effect) : this.wrap(step.effect, indent, indent.length + 2),
      ...step.details.map((text) => this.wrap(text, indent, indent.length + 2)),
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

/** The order in which parts of the default view go: the highest first. */
const ranks = { main: 1, detail: 2, step: 3, extra: 4, overridden: 5, repeated: 6, noEffect: 7 } as const;

const NO_BLOCK: ReportBlock = { parts: [] };

/** Ranks texts: the first ones are more important. */
function rankFirst(count: number, texts: readonly string[]): readonly ReportPart[] {
  return texts.map((text, index) => ({ text, rank: index < count ? ranks.detail : ranks.extra }));
}

const accessNames: ReadonlySet<string> = new Set([
  ...["require", "order", "allow", "deny", "satisfy", "sslrequire", "sslrequiressl", "allowmethods"],
]);

/** Reports whether access control denies a request: then a change of its lines allows it. */
export function isDeniedByAccess(answer: Answer): boolean {
  const { class: decided, decidedBy } = answer;
  return (
    (decided === "401" || decided === "403") &&
    !followsGrant(answer) &&
    decidedBy.some(({ key }) => accessNames.has(key))
  );
}

function isSameStart(one: Span, other: Span): boolean {
  return one.file === other.file && one.start === other.start;
}

function isOnLineOf(one: Span, { file, start }: Span): boolean {
  return one.file === file && lineAt(file, one.start) === lineAt(file, start);
}

/** A step, or words instead of steps that repeat. */
interface RankedStep {
  readonly step?: TraceStep;
  readonly words?: string;
  readonly rank: number;
}

/** Ranks the steps of an answer for the default view, without the repeated rounds of a loop. */
function rankSteps(answer: Answer): readonly RankedStep[] {
  // What is assumed has a note.
  return rankAllSteps(answer).filter(
    ({ step }) => step === undefined || step.role !== "no-effect" || !isAssumed(step.span),
  );
}

function rankAllSteps({ trace, decidedBy }: Answer): readonly RankedStep[] {
  const overridden = trace.flatMap(({ replaced }) => replaced);
  const isSame = (step: TraceStep) => (other: TracedSection) => isSameStart(step.span, other.span);
  const rankOf = (step: TraceStep, index: number) => {
    if (trace.findIndex(isSame(step)) < index) return ranks.repeated;
    if (step.lines.some((line) => decidedBy.some(({ span }) => isSameStart(span, line.span)))) return ranks.detail;
    if (step.role === "no-effect" && step.lines.length <= 1) return ranks.noEffect;
    return overridden.some(isSame(step)) ? ranks.overridden : ranks.step;
  };
  const ranked = trace.map((step, index) => ({ step, rank: rankOf(step, index) }));
  const round = findRepeatedRounds(trace);
  if (round === undefined) return ranked;
  const end = round.start + round.length;
  const times = (round.end - end) / round.length;
  const words = `${round.length === 1 ? "this step repeats" : `these ${round.length} steps repeat`} ${formatCount(Math.floor(times), "more time")} with other URLs`;
  return [...ranked.slice(0, end), { words, rank: ranks.step }, ...ranked.slice(round.end)];
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
    return a !== undefined && b !== undefined && isSameStart(a, b);
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
  const cases = listedCasesOf(answer);
  return cases.length > 1 && (shownCaseOf(answer) !== undefined || cases.some(({ open }) => open === undefined));
}

/**
 * Returns the spans of the lines that lead to the result, of the deciding lines, or of those that lead a request somewhere if
 * other files decide access.
 */
function placesOf(answer: Answer): readonly Span[] {
  if (answer.leadPlaces.length > 0) return answer.leadPlaces;
  if (answer.places.length > 0) return answer.places;
  const shown = shownCaseOf(answer);
  return shown?.open === undefined ? [] : shown.decidedBy.map(({ span }) => span);
}

/** More cases are hard to compare. */
const MAX_CASES = 3;

/** More lines for headers push out the steps. */
const MAX_HEADERS = 3;

/** More frames add little information. */
const MAX_EXCERPTS = 2;

/** More lines of the error log seldom explain more. */
const MAX_ERRORS = 3;

/** More lines that do not apply are seldom those that a reader expects. */
const MAX_MISSES = 3;
