import { z } from "zod";

/** The results of the most expensive comparisons. */
export const boundResults = z.object({
  /** Name and version of each program. */
  with: z.array(z.string()),
  rows: z.array(
    z.object({
      what: z.string(),
      verdict: z.string(),
      /** Number of unproved results. */
      unknown: z.number(),
      servers: z.number(),
      /** Number of path classes. */
      paths: z.number(),
      seconds: z.number(),
      processor: z.number(),
      megabytes: z.number(),
    }),
  ),
});

export type BoundResults = z.infer<typeof boundResults>;
