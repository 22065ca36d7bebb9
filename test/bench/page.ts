import { type BenchResults, ratioOf, type Target } from "./results.js";

/** docs/performance.md: the figures of a run of the bench, in words. */
export function performancePage(results: BenchResults): string {
  const { runs, targets, tools } = results;
  return `# Performance

Made by \`npm run bench\` from what it measured, with ${results.with.join(", ")}. Only the ratios mean anything: they are of
runs that took turns on one machine, the best of ${runs}. Time is wall time of the whole command, with all default rules, unless
said otherwise; memory is the peak that the kernel tells.

## What is aimed at

| measured | here | beside it | ratio | at most | |
|---|---|---|---|---|---|
${targets.map(targetRow).join("\n")}

## Beside other tools

The same files for all: virtual hosts of 34 lines each, with old and new access control, continuations and expressions. What
the tools do is not the same: only \`httpd -t\` and httpd-lint know what a directive means.

| tool | what it does | lines | time | memory |
|---|---|---|---|---|
${tools.map(toolRow).join("\n")}
`;
}

function targetRow(target: Target): string {
  const { what, ours, beside, theirs, of, atMost } = target;
  const ratio = ratioOf(target);
  const figure = (value: number | undefined) => (of === "seconds" ? seconds(value) : megabytes(value));
  const verdict = ratio <= atMost ? "reached" : "not reached";
  return `| ${what} | ${figure(ours[of])} | ${beside}: ${figure(theirs[of])} | ${ratio.toFixed(2)} | ${atMost} | ${verdict} |`;
}

function toolRow({ name, does, lines, took }: BenchResults["tools"][number]): string {
  const figures = took ? [seconds(took.seconds), megabytes(took.megabytes)] : ["not installed", ""];
  return `| ${[name, does, lines.toLocaleString("en"), ...figures].join(" | ")} |`;
}

function seconds(value: number | undefined): string {
  return value === undefined ? "" : `${value.toFixed(value < 1 ? 3 : 2)} s`;
}

function megabytes(value: number | undefined): string {
  return value === undefined ? "" : `${Math.round(value)} MB`;
}
