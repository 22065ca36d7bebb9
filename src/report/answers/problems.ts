import type { Directive } from "../../config/model/directive.js";
import type { Finding, Fix } from "../../lint/finding.js";
import type { Miss } from "../../server/model/answer.js";
import { applyEdits } from "../../text/edits.js";
import { lineAt, type Span, toReadable } from "../../text/source.js";
import { quoteText } from "../../text/words.js";
import { type AnswerReport, missesToShow } from "./answer-report.js";
import { shownCaseOf } from "./shown-case.js";

/** Something that a reader can change, with the remedies. */
export interface Problem {
  /** A clause, or the header of a finding. */
  readonly text: string;
  /** The line that it is about, if there is one. */
  readonly span: Span | undefined;
  /** The line or section to change; undefined if no line of the configuration is wrong, but one is missing. */
  readonly change: Span | undefined;
  /** Whether its line is one that does not apply. */
  readonly isMiss?: true;
  /** Another line that the text names. */
  readonly by?: Directive | undefined;
  /** One imperative clause each. */
  readonly help: readonly string[];
}

/** What an answer shows with its result, and what below. */
export interface SortedProblems {
  readonly first: readonly Problem[];
  readonly misses: readonly Miss[];
  readonly advice: readonly Finding[];
}

/** More problems next to the result hide it. */
const MAX_FIRST = 2;

/**
 * Sorts what a reader can change. What explains the result is shown with it; if nothing does, lines that do not apply, and what
 * a check reports. Each line is shown once.
 */
export function sortProblems(report: AnswerReport): SortedProblems {
  const { advice = [], answer } = report;
  const misses = missesToShow(report);
  const { causes: facts, loop } = answer;
  const causes = [...(loop ? [loop] : []), ...facts].flatMap(({ text, line, help, stays }) =>
    help ? [{ text, span: line?.span, change: stays ? undefined : line?.span, help }] : [],
  );
  // Lines for the headers of a response do not explain an error.
  const isServed = shownCaseOf(answer)?.status === 200;
  const explaining = misses.filter(({ ofResponse }) => !ofResponse);
  const others = [
    ...[...explaining, ...(isServed ? misses.filter(({ ofResponse }) => ofResponse) : [])].flatMap(
      ({ section, reason, by, span, change, help, isClose, stays }) =>
        help && isClose
          ? [
              {
                text: `\`${section}\`: ${reason}`,
                by,
                span,
                change: stays ? undefined : (change?.span ?? span),
                help,
                isMiss: true as const,
              },
            ]
          : [],
    ),
    ...advice.map((finding) => ({
      ...{ text: finding.message, span: finding.span, help: helpOf(finding) },
      change: changeOf(finding),
    })),
  ];
  const isOfLoop = ({ span }: Problem) => loop?.line !== undefined && isSameLine(span, loop.line.span);
  // A loop is the result; what else is wrong comes after its remedy.
  const found: readonly Problem[] =
    causes.length > 0 ? causes : [...others.filter(isOfLoop), ...others.filter((each) => !isOfLoop(each))];
  const first = found
    .filter(({ span }, index) => span === undefined || found.findIndex((each) => isSameLine(each.span, span)) === index)
    .slice(0, MAX_FIRST);
  const isBelow = ({ span }: { readonly span: Span }) => !first.some((each) => isSameLine(each.span, span));
  return { first, misses: misses.filter(isBelow), advice: advice.filter(isBelow) };
}

/** Returns what to change, with the whole line to write if the fix changes one. */
function helpOf({ help = [], fix }: Finding): readonly string[] {
  const line = fix && lineAfter(fix);
  if (line === undefined || help.some((each) => each.includes(line))) return help;
  const [only, ...others] = help;
  return only !== undefined && others.length === 0
    ? [`${only}: ${quoteText(line)}`]
    : [...help, `write ${quoteText(line)}`];
}

const MAX_WRITTEN = 120;

/** Returns the line that a fix makes of one; undefined if it adds, deletes or changes others. */
function lineAfter({ edits }: Fix): string | undefined {
  const [{ span: first } = {}] = edits;
  if (first === undefined || edits.some(({ span, text }) => !isSameLine(first, span) || text.includes("\n")))
    return undefined;
  const { text } = first.file;
  const start = text.lastIndexOf("\n", first.start - 1) + 1;
  const end = text.indexOf("\n", first.start);
  const line = { start, end: end < 0 ? text.length : end };
  const isContinued = text.endsWith("\\", start - 1) && start > 0;
  if (isContinued || edits.some(({ span }) => span.end > line.end)) return undefined;
  const moved = edits.map(({ span, text: written }) => ({
    span: { ...span, start: span.start - start, end: span.end - start },
    text: written,
  }));
  const written = applyEdits(text.slice(line.start, line.end), moved).trim();
  return written === "" || written.endsWith("\\") || written.length > MAX_WRITTEN ? undefined : toReadable(written);
}

/** Returns the line that the remedy of a finding changes: that of its fix; undefined if a line is missing. */
function changeOf({ span, fix, addsLines, changesRelated, related }: Finding): Span | undefined {
  if (addsLines) return undefined;
  if (changesRelated) return related[0]?.span;
  const edits = fix?.edits.map((edit) => edit.span) ?? [];
  if (edits.length === 0 || edits.some((each) => isSameLine(each, span))) return span;
  return edits.find(({ start, end }) => end > start);
}

export function isSameLine(one: Span | undefined, { file, start }: Span): boolean {
  return one?.file === file && lineAt(file, one.start) === lineAt(file, start);
}
