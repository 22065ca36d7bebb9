import { formatMegabytes, formatSeconds } from "./figures.js";
import { type FleetResults, type FleetRow, fleetRatioOf, isWithinTarget } from "./fleet-results.js";

/** Returns the section of docs/performance.md about servers with many virtual hosts. */
export function fleetSection(results: FleetResults): string {
  const { milliseconds, atMost } = results.editor;
  const verdict = milliseconds <= atMost ? "reached" : "not reached";
  const { seed } = results;
  const seedNote =
    seed === undefined
      ? ""
      : ` Fleets of operators and of control panels
have optional lines that a seed chooses, here ${seed}; \`--seed\` sets another.`;
  return `## Fleets

\`npm run bench -- --fleets\` measures these commands, with ${results.with.join(", ")}. Long commands run once, and the others five
times. The time is the processor time, or the wall time if the target is a time. The ratio compares the processor time with that of
\`check\` on the same file, and for 10,000 hosts with that of 1,000.${seedNote}

| hosts | command | time | ratio | memory | lines of output | target (at most) | |
|---|---|---|---|---|---|---|---|
${results.rows.map((row) => rowOf(row, results)).join("\n")}

In an editor with 100 of these hosts, the findings of proofs appear ${Math.round(milliseconds)} ms after a keystroke. The target is ${atMost} ms: ${verdict}.`;
}

function rowOf(row: FleetRow, results: FleetResults): string {
  const { what, command, seconds, processor, megabytes, lines, target } = row;
  const ratio = fleetRatioOf(row, results);
  const limits = [
    ...(target.ratio ? [`ratio ${target.ratio.atMost}`] : []),
    ...(target.seconds === undefined ? [] : [`${target.seconds} s`]),
    ...(target.megabytes === undefined ? [] : [`${target.megabytes} MB`]),
    ...(target.lines === undefined ? [] : [`${target.lines} lines`]),
  ];
  const verdict = limits.length === 0 ? "" : isWithinTarget(row, results) ? "reached" : "not reached";
  const time = formatSeconds(target.seconds === undefined ? processor : seconds);
  const figures = [time, ratio?.toFixed(1) ?? "", formatMegabytes(megabytes), lines.toLocaleString("en")];
  return `| ${[what, `\`${command}\``, ...figures, limits.join(", "), verdict].join(" | ")} |`;
}
