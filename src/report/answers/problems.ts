import type { Directive } from "../../config/model/directive.js";
import type { Finding } from "../../lint/finding.js";
import type { Miss } from "../../server/model/answer.js";
import { lineAt, type Span } from "../../text/source.js";
import { type AnswerReport, missesToShow } from "./answer-report.js";

/** Something that a reader can change, with the remedies. */
export interface Problem {
  /** A clause, or the header of a finding. */
  readonly text: string;
  /** The line that it is about, if there is one. */
  readonly span: Span | undefined;
  /** The line or section to change. */
  readonly change: Span | undefined;
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
  const causes = [...(loop ? [loop] : []), ...facts].flatMap(({ text, line, help }) =>
    help ? [{ text, span: line?.span, change: line?.span, help }] : [],
  );
  const others = [
    ...misses.flatMap(({ section, reason, by, span, change, help, isClose }) =>
      help && isClose ? [{ text: `\`${section}\`: ${reason}`, by, span, change: change?.span ?? span, help }] : [],
    ),
    ...advice.map(({ message, span, help = [] }) => ({ text: message, span, change: span, help })),
  ];
  const found: readonly Problem[] = causes.length > 0 ? causes : others;
  const first = found
    .filter(({ span }, index) => span === undefined || found.findIndex((each) => isSameLine(each.span, span)) === index)
    .slice(0, MAX_FIRST);
  const isBelow = ({ span }: { readonly span: Span }) => !first.some((each) => isSameLine(each.span, span));
  return { first, misses: misses.filter(isBelow), advice: advice.filter(isBelow) };
}

function isSameLine(one: Span | undefined, { file, start }: Span): boolean {
  return one?.file === file && lineAt(file, one.start) === lineAt(file, start);
}
