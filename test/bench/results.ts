import { z } from "zod";

const measure = z.object({ seconds: z.number(), megabytes: z.number().optional() });

/** The results of a benchmark run: ratios with their limits, and other tools on the same file. */
export const benchResults = z.object({
  /** Name and version of each program. */
  with: z.array(z.string()),
  /** Number of runs, of which the best counts. */
  runs: z.number(),
  targets: z.array(
    z.object({
      what: z.string(),
      ours: measure,
      beside: z.string(),
      theirs: measure,
      /** The figure whose ratio is limited. */
      of: z.enum(["seconds", "megabytes"]),
      atMost: z.number(),
    }),
  ),
  tools: z.array(z.object({ name: z.string(), does: z.string(), lines: z.number(), took: measure.optional() })),
});

export type BenchResults = z.infer<typeof benchResults>;
export type Target = BenchResults["targets"][number];

export function ratioOf({ ours, theirs, of }: Target): number {
  return (ours[of] ?? Number.NaN) / (theirs[of] ?? Number.NaN);
}
