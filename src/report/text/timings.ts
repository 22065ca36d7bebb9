import { type Timings, totalOf } from "../../lint/runner/timings.js";
import { formatCount, formatNumber } from "../../text/words.js";

/** Rules and phases below this time are summed up in one line. */
const MIN_SHOWN_MS = 0.05;

/** A line of a list: a time, and what took it. */
interface Row {
  readonly milliseconds: number;
  readonly counts: readonly string[];
  readonly name: string;
}

/** Renders where the time of a run went: by phase and by rule, each sorted by time. */
export function formatTimings(timings: Timings): readonly string[] {
  const { phases, rules, steps } = timings.read();
  const { hits, misses } = timings.cache;
  const total = totalOf(phases);
  const inThreads = timings.listThreadPhases();
  const toRow = ([name, milliseconds]: (typeof phases)[number]): Row => ({ name, milliseconds, counts: [] });
  const ruleRows = rules.map(([name, { milliseconds, visits, reports }]): Row => {
    return { name, milliseconds, counts: [formatNumber(visits), formatNumber(reports)] };
  });
  return [
    `time: ${total.toFixed(1)} ms, ${formatCount(timings.threads, "thread")}`,
    `cache: ${hits + misses === 0 ? "not used" : `${formatCount(hits, "hit")}, ${formatCount(misses, "miss")}`}`,
    `proofs: ${formatCount(steps, "step")}`,
    ...formatTable(["ms", "phase"], phases.map(toRow)),
    ...(inThreads.length === 0 ? [] : formatTable(["ms", "phase, in the other threads"], inThreads.map(toRow))),
    ...(rules.length === 0 ? [] : formatTable(["ms", "visits", "reports", "rule"], ruleRows)),
  ];
}

/** @param head the titles of the columns, the name last */
function formatTable(head: readonly string[], rows: readonly Row[]): readonly string[] {
  const sorted = [...rows].sort((a, b) => b.milliseconds - a.milliseconds || (a.name < b.name ? -1 : 1));
  const shown = sorted.filter(({ milliseconds }) => milliseconds >= MIN_SHOWN_MS);
  const rest = sorted.slice(shown.length);
  const restTime = rest.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const cells = [
    head,
    ...shown.map(({ milliseconds, counts, name }) => [milliseconds.toFixed(1), ...counts, name]),
    ...(rest.length === 0 ? [] : [[restTime.toFixed(1), ...head.slice(2).map(() => ""), `${rest.length} more`]]),
  ];
  const widths = head.slice(0, -1).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return ["", ...cells.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  "))];
}
