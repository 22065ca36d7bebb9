import { z } from "zod";

const measure = z.object({ seconds: z.number(), processor: z.number(), megabytes: z.number() });

/** The results of checks of servers with many `.htaccess` files. */
export const scaleResults = z.object({
  /** Name and version of each program. */
  with: z.array(z.string()),
  rows: z.array(
    z.object({
      files: z.number(),
      /** Number of virtual hosts that share the files; 0 if the main server has all; absent without a server. */
      hosts: z.number().optional(),
      /** Number of files named on the command line; absent if all were checked. */
      named: z.number().optional(),
      findings: z.number(),
      jobs: z.number(),
      ours: measure,
      /** The cost of finding and reading the same files. */
      beside: measure,
    }),
  ),
});

export type ScaleResults = z.infer<typeof scaleResults>;
