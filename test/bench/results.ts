import { z } from "zod";

const measure = z.object({ seconds: z.number(), megabytes: z.number().optional() });

/** What a run of the bench came to: ratios with what they are to stay below, and other tools on the same file. */
export const benchResults = z.object({
  /** What ran, by name and version. */
  with: z.array(z.string()),
  /** How many runs the best was taken of. */
  runs: z.number(),
  targets: z.array(
    z.object({
      what: z.string(),
      ours: measure,
      beside: z.string(),
      theirs: measure,
      /** The ratio that is held against the most that is aimed at. */
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
