import { z } from "zod";

/** The limits of a command on a fleet. */
const fleetTarget = z.object({
  /** The largest ratio of its processor time to that of another row: of `check` on the same hosts, or of fewer hosts. */
  ratio: z.object({ what: z.string(), command: z.string(), atMost: z.number() }).optional(),
  /** Wall time. */
  seconds: z.number().optional(),
  megabytes: z.number().optional(),
  /** Lines of output. */
  lines: z.number().optional(),
});

const fleetRow = z.object({
  what: z.string(),
  command: z.string(),
  /** Wall time. */
  seconds: z.number(),
  /** Processor time in seconds. */
  processor: z.number(),
  megabytes: z.number(),
  lines: z.number(),
  target: fleetTarget,
});

/** The results of commands with proofs on servers with many virtual hosts. */
export const fleetResults = z.object({
  /** Name and version of each program. */
  with: z.array(z.string()),
  /** That of the optional lines of templates; absent in results without them. */
  seed: z.number().optional(),
  rows: z.array(fleetRow),
  /** The time from a key press to the findings of proofs, in milliseconds. */
  editor: z.object({ milliseconds: z.number(), atMost: z.number() }),
});

export type FleetResults = z.infer<typeof fleetResults>;
export type FleetRow = z.infer<typeof fleetRow>;
export type FleetTarget = z.infer<typeof fleetTarget>;

/** Returns the ratio of the processor time of a row to that of the row of its target; undefined if it has none. */
export function fleetRatioOf(
  { processor, target }: FleetRow,
  { rows }: Pick<FleetResults, "rows">,
): number | undefined {
  const beside = rows.find(({ what, command }) => what === target.ratio?.what && command === target.ratio.command);
  return beside && processor / beside.processor;
}

/** Reports whether a row is within all limits. */
export function isWithinTarget(row: FleetRow, results: Pick<FleetResults, "rows">): boolean {
  const { ratio, seconds, megabytes, lines } = row.target;
  return (
    (ratio === undefined || (fleetRatioOf(row, results) ?? Number.NaN) <= ratio.atMost) &&
    (seconds === undefined || row.seconds <= seconds) &&
    (megabytes === undefined || row.megabytes <= megabytes) &&
    (lines === undefined || row.lines <= lines)
  );
}
