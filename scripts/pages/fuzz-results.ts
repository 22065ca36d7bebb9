import { existsSync, readFileSync } from "node:fs";
import { withMarked } from "./marked-section.js";

/** The results of a run of all targets. */
export interface FuzzResults {
  /** Total duration. */
  readonly seconds: number;
  readonly seed: number;
  /** Node version. */
  readonly node: string;
  readonly targets: readonly {
    readonly target: string;
    /** Number of inputs run. */
    readonly runs: number;
    /** Number of code locations reached. */
    readonly reached: number;
    /** Number of failures: a target stops at the first. */
    readonly found: number;
  }[];
}

/** Limits on CPU time per input and on memory per thread. */
export const HANGS_MS = 60_000;
export const MAX_MEGABYTES = 1024;

/** File with the results of the last run of all targets. */
export const fuzzResultsFile = "test/fuzz/results.json";

const number = (value: number) => value.toLocaleString("en");

/** Inserts the limits per input and the results of the last run of all targets into the page. */
export function withFuzzResults(written: string): string {
  const limits = `An input may take ${number(HANGS_MS / 1000)} seconds of CPU time and ${number(MAX_MEGABYTES)} MB of memory.\n`;
  const page = withMarked(written, "fuzz-limits", limits);
  if (!existsSync(fuzzResultsFile)) return page;
  const { seconds, seed, node, targets }: FuzzResults = JSON.parse(readFileSync(fuzzResultsFile, "utf8"));
  const rows = targets.map(
    ({ target, runs, reached, found }) => `| \`${target}\` | ${number(runs)} | ${number(reached)} | ${found} |\n`,
  );
  const table = `| target | inputs run | code places reached | failures |\n|---|---|---|---|\n${rows.join("")}`;
  const words = `\`npm run fuzz -- all ${seconds} ${seed}\`, Node ${node.slice(1)}:\n\n`;
  return withMarked(page, "fuzzed", words + table);
}
