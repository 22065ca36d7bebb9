import { z } from "zod";

/** What comparisons came to of which much is to be gone through. */
export const boundResults = z.object({
  /** What ran, by name and version. */
  with: z.array(z.string()),
  rows: z.array(
    z.object({
      what: z.string(),
      verdict: z.string(),
      /** How many things were told of as not proved. */
      unknown: z.number(),
      servers: z.number(),
      /** Kinds of paths. */
      paths: z.number(),
      seconds: z.number(),
      processor: z.number(),
      megabytes: z.number(),
    }),
  ),
});

export type BoundResults = z.infer<typeof boundResults>;
