import { z } from "zod";
import { formatMegabytes, formatSeconds } from "./figures.js";

const ordinaryMeasure = z.object({
  /** The number of the server. */
  number: z.number(),
  release: z.enum(["2.2", "2.4"]),
  /** Lines of the server. */
  lines: z.number(),
  command: z.string(),
  /** Processor time in seconds. */
  processor: z.number(),
  megabytes: z.number(),
});

/** The cost of commands on servers of ordinary size. */
export const ordinaryResults = z.object({
  with: z.array(z.string()),
  seed: z.number(),
  servers: z.number(),
  measures: z.array(ordinaryMeasure),
});

export type OrdinaryMeasure = z.infer<typeof ordinaryMeasure>;
export type OrdinaryResults = z.infer<typeof ordinaryResults>;

/** The largest median and the largest time of one run, in seconds of processor time. */
interface OrdinaryTarget {
  readonly median: number;
  readonly worst: number;
}

const atOnce: OrdinaryTarget = { median: 0.3, worst: 0.3 };
const others: OrdinaryTarget = { median: 1, worst: 5 };
const MEGABYTES = 500;

const targetOf = (command: string) => (command === "check" || command === "explain" ? atOnce : others);

/** Returns the section of docs/performance.md about servers of ordinary size. */
export function ordinarySection({ with: programs, seed, servers, measures }: OrdinaryResults): string {
  const commands = [...new Set(measures.map(({ command }) => command))];
  const sizes = measures.map(({ lines }) => lines);
  return `## Ordinary servers

\`npm run bench -- --ordinary\` writes this section, with ${programs.join(", ")}. A seed draws ${servers} servers of ${Math.min(...sizes).toLocaleString("en")} to ${Math.max(...sizes).toLocaleString("en")} lines:
the stock lines of distributions, some features, and hosts of a few kinds. Each command runs once on each server. The time is the
processor time. Each run draws other servers; \`--seed ${seed}\` draws these again, and \`--servers\` sets their number.

| command | servers | median | worst | memory, worst | target (at most) | |
|---|---|---|---|---|---|---|
${commands.map((command) => rowOf(command, measures)).join("\n")}`;
}

function rowOf(command: string, measures: readonly OrdinaryMeasure[]): string {
  const own = measures.filter((each) => each.command === command);
  const times = own.map(({ processor }) => processor).sort((a, b) => a - b);
  const middle = times.slice(Math.floor((times.length - 1) / 2), Math.floor(times.length / 2) + 1);
  const median = middle.reduce((sum, time) => sum + time, 0) / middle.length;
  const worst = times.at(-1) ?? Number.NaN;
  const megabytes = Math.max(...own.map((each) => each.megabytes));
  const target = targetOf(command);
  const isReached = median <= target.median && worst <= target.worst && megabytes <= MEGABYTES;
  const limits = `median ${target.median} s, worst ${target.worst} s, ${MEGABYTES} MB`;
  const figures = [formatSeconds(median), formatSeconds(worst), formatMegabytes(megabytes)];
  return `| ${[`\`${command}\``, String(own.length), ...figures, limits, isReached ? "reached" : "not reached"].join(" | ")} |`;
}
