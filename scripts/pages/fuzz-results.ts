import { existsSync, readFileSync } from "node:fs";
import { withMarked } from "./marked-section.js";

/** What a run of all targets came to. */
export interface FuzzResults {
  /** How long all of them took together. */
  readonly seconds: number;
  readonly seed: number;
  /** The release of Node. */
  readonly node: string;
  readonly targets: readonly {
    readonly target: string;
    /** How many inputs were run. */
    readonly runs: number;
    /** How many places of our sources they reached. */
    readonly reached: number;
    /** How many of them broke a promise: a target ends at the first. */
    readonly found: number;
  }[];
}

/** An input may take no more of the processor's time, nor the thread more memory. */
export const HANGS_MS = 60_000;
export const MOST_MEGABYTES = 1024;

/** Where the last run of all targets is kept. */
export const fuzzResultsFile = "test/fuzz/results.json";

const number = (value: number) => value.toLocaleString("en");

/** The page with what an input may cost, and what the last run of all targets came to. */
export function withFuzzResults(written: string): string {
  const limits = `An input may take ${number(HANGS_MS / 1000)} seconds of the processor's time and ${number(MOST_MEGABYTES)} MB of memory.\n`;
  const page = withMarked(written, "fuzz-limits", limits);
  if (!existsSync(fuzzResultsFile)) return page;
  const { seconds, seed, node, targets }: FuzzResults = JSON.parse(readFileSync(fuzzResultsFile, "utf8"));
  const rows = targets.map(
    ({ target, runs, reached, found }) => `| \`${target}\` | ${number(runs)} | ${number(reached)} | ${found} |\n`,
  );
  const table = `| target | inputs run | places reached | found |\n|---|---|---|---|\n${rows.join("")}`;
  const words = `\`npm run fuzz -- all ${seconds} ${seed}\`, Node ${node.slice(1)}:\n\n`;
  return withMarked(page, "fuzzed", words + table);
}
