import type { ConfigComparison } from "../../compare/model/comparison.js";
import type { UncomparedChange } from "../../compare/uncompared-changes.js";
import type { Finding } from "../../engine/finding.js";
import type { Directive } from "../../project/model/directive.js";
import { formatLine } from "../../simulate/trace/step.js";
import { redactQuotedLine } from "../decisions/decision-json.js";
import { ReportPrinter } from "../text/report-printer.js";
import { formatCount, type TextStyle } from "../text/text-printer.js";
import { DifferenceText } from "./difference-text.js";

/** A comparison to be rendered. */
export interface ComparisonReport {
  readonly comparison: ConfigComparison;
  /** The titles of the sides: `2.2`, or a path. */
  readonly titles: readonly [before: string, after: string];
  /** Findings that prevent either side from starting. */
  readonly startup: readonly [before: readonly Finding[], after: readonly Finding[]];
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
  /** The changed directives that are not compared. */
  readonly notCompared: readonly UncomparedChange[];
}

/** The scope of a comparison. */
const SCOPE = "compares access decisions, not redirect targets, backends, TLS, headers or logs\n";

/**
 * Renders a comparison as text: the verdict, each kind of difference with an example request, and what was not proved.
 */
export function* renderComparisonText(compared: ComparisonReport, look: TextStyle): Generator<string> {
  const { comparison, titles, startup, notCompared } = compared;
  const teller = new ReportPrinter(look);
  yield SCOPE;
  for (const [index, reasons] of startup.entries()) yield teller.startupFailure(titles[index] ?? "", reasons);
  if (startup.some(({ length }) => length > 0)) yield "compared as if what is refused was not there:\n\n";
  yield headline(comparison, teller);
  yield* new DifferenceText(teller, titles, comparison).all();
  yield formatUncomparedChanges(notCompared, teller);
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
  const seen = `${formatCount(serverPairs, "server")}, ${formatCount(pathClasses, "kind")} of paths`;
  switch (verdict) {
    case "equivalent":
      return `every request is let in or refused alike (${seen})`;
    case "different":
      // A side that does not start is reported before.
      if (differences.length === 0) return `no difference was found beside that (${seen})`;
      return `${formatCount(differences.length, "kind")} of requests ${differences.length === 1 ? "is" : "are"} answered differently (${seen})`;
    case "unknown":
      if (differences.length > 0)
        return `not all was read; of what was, ${formatCount(differences.length, "kind")} of requests ${differences.length === 1 ? "is" : "are"} answered differently (${seen})`;
      return `no difference was found, and ${formatCount(unproved.length, "thing")} could not be proved (${seen})`;
  }
}

/** Limit of the changes shown; JSON has all. */
const MAX_CHANGES = 50;

/** Lists the changes between two configurations that are not compared; empty if there are none. */
function formatUncomparedChanges(changes: readonly UncomparedChange[], teller: ReportPrinter): string {
  if (changes.length === 0) return "";
  const shown = changes.slice(0, MAX_CHANGES).map((change) => formatUncomparedChange(change, teller));
  const more = changes.length > MAX_CHANGES ? `  and ${changes.length - MAX_CHANGES} more\n` : "";
  return `\n${teller.colours.bold("also changed, not compared")}\n${shown.join("")}${more}`;
}

function formatUncomparedChange({ before, after }: UncomparedChange, teller: ReportPrinter): string {
  const quoted = (directive: Directive) => {
    const line = teller.say(`\`${redactQuotedLine(formatLine(directive))}\``, 6);
    return `${teller.where(directive)}: ${line}`;
  };
  if (before && after) return `  ${quoted(before)}\n    is now ${quoted(after)}\n`;
  if (before) return `  deleted: ${quoted(before)}\n`;
  return after ? `  added: ${quoted(after)}\n` : "";
}
