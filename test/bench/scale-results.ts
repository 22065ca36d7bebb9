import { z } from "zod";

const measure = z.object({ seconds: z.number(), processor: z.number(), megabytes: z.number() });

/** What checks of servers with many `.htaccess` files took. */
export const scaleResults = z.object({
  /** What ran, by name and version. */
  with: z.array(z.string()),
  rows: z.array(
    z.object({
      files: z.number(),
      /** Virtual hosts that share the files; none where the main server has all; absent where there is no server. */
      hosts: z.number().optional(),
      /** How many of the files were named; absent where all were asked for. */
      named: z.number().optional(),
      findings: z.number(),
      jobs: z.number(),
      ours: measure,
      /** Finding and reading the same files. */
      beside: measure,
    }),
  ),
});

export type ScaleResults = z.infer<typeof scaleResults>;
