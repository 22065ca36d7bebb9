import type { Directive } from "../../config/model/directive.js";
import type { Finding } from "../../lint/finding.js";
import type { UncomparedChange } from "../../proof/compare/uncompared-changes.js";
import type { ConfigComparison } from "../../proof/model/comparison.js";
import { formatLine } from "../../server/trace/step.js";
import { formatCount, formatWordList } from "../../text/words.js";
import { redactQuotedLine } from "../answers/answer-json.js";
import { listFailureNotes } from "../text/failure-words.js";
import { ReportPrinter } from "../text/report-printer.js";
import type { TextStyle } from "../text/text-printer.js";
import { DifferenceText } from "./difference-text.js";
import { formatClassCount } from "./map-words.js";

/** A comparison to be rendered. */
export interface ComparisonReport {
  readonly comparison: ConfigComparison;
  /** The titles of the sides: `2.2`, or a path. */
  readonly titles: readonly [before: string, after: string];
  /** Findings that prevent either side from starting, or make all its requests fail. */
  readonly startup: readonly [before: readonly Finding[], after: readonly Finding[]];
  /** The assumptions about the rest of the server and about missing modules, as clauses. */
  readonly assumptions?: readonly string[];
  /** The changed directives that are not compared. */
  readonly notCompared: readonly UncomparedChange[];
}

/** The limits of a comparison. */
const SCOPE = "note: redirect targets, backends, TLS, headers and logs are not compared\n";

/**
 * Renders a comparison as text: the verdict, each difference with an example request, and the unproved parts.
 */
export function* renderComparisonText(compared: ComparisonReport, style: TextStyle): Generator<string> {
  const { comparison, titles, startup, assumptions, notCompared } = compared;
  const printer = new ReportPrinter(style);
  yield SCOPE;
  yield formatUncomparedRequests(comparison, printer);
  for (const [index, reasons] of startup.entries()) yield printer.startupFailure(titles[index] ?? "", reasons);
  if (startup.some(({ length }) => length > 0))
    yield `${listFailureNotes("the comparison", assumptions)
      .map((note) => printer.wrap(note, 2))
      .join("\n")}\n\n`;
  yield headline(comparison, printer);
  yield* new DifferenceText(printer, titles, comparison).all();
  yield formatUncomparedChanges(notCompared, printer);
}

/** Renders which requests a comparison of 2.2 with 2.4 leaves out; empty if there are none. */
export function formatUncomparedRequests({ uncomparedRequests }: ConfigComparison, printer: ReportPrinter): string {
  if (uncomparedRequests.length === 0) return "";
  const text = `note: not compared, because 2.2 and 2.4 may answer them differently: requests ${formatWordList(uncomparedRequests, "or")}`;
  return `${printer.wrap(text, 2)}\n`;
}

function headline(comparison: ConfigComparison, { colours }: ReportPrinter): string {
  const { bold, red, green, yellow } = colours;
  const paint = { equivalent: green, different: red, unknown: yellow }[comparison.verdict];
  return `${bold(paint(comparison.verdict))}: ${formatComparisonVerdict(comparison)}\n`;
}

/** Renders a verdict in one line. */
export function formatComparisonVerdict({
  verdict,
  differences,
  unproved,
  serverPairs,
  pathClasses,
}: ConfigComparison): string {
  const seen = `${formatCount(serverPairs, "server")}, ${formatClassCount(pathClasses)}`;
  switch (verdict) {
    case "equivalent":
      return `every request has the same access decision on both sides (${seen})`;
    case "different":
      // A side that does not start is reported before.
      if (differences.length === 0) return `only one side answers requests; no other difference was found (${seen})`;
      return `${formatCount(differences.length, "difference")} in access decisions (${seen})`;
    case "unknown":
      if (differences.length > 0)
        return `a part of the configuration was not read; the rest has ${formatCount(differences.length, "difference")} in access decisions (${seen})`;
      return `no difference was found; ${formatCount(unproved.length, "part")} not proved (${seen})`;
  }
}

/** Limit of the changes shown; JSON has all. */
const MAX_CHANGES = 50;

/** Lists the changes between two configurations that are not compared; empty if there are none. */
function formatUncomparedChanges(changes: readonly UncomparedChange[], printer: ReportPrinter): string {
  if (changes.length === 0) return "";
  const shown = changes.slice(0, MAX_CHANGES).map((change) => formatUncomparedChange(change, printer));
  const more = changes.length > MAX_CHANGES ? `  and ${changes.length - MAX_CHANGES} more\n` : "";
  return `\n${printer.colours.bold("Also changed, but not compared:")}\n${shown.join("")}${more}`;
}

function formatUncomparedChange({ before, after }: UncomparedChange, printer: ReportPrinter): string {
  const quoted = (directive: Directive) => {
    const line = printer.wrap(`\`${redactQuotedLine(formatLine(directive))}\``, 6);
    return `${printer.formatPlace(directive)}: ${line}`;
  };
  if (before && after) return `  changed: ${quoted(before)}\n       to: ${quoted(after)}\n`;
  if (before) return `  deleted: ${quoted(before)}\n`;
  return after ? `  added: ${quoted(after)}\n` : "";
}
