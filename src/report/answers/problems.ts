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
  const others = [
    ...misses.flatMap(({ section, reason, by, span, change, help, isClose, stays }) =>
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
      ...{ text: finding.message, span: finding.span, help: finding.help ?? [] },
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
