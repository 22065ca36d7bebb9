import { z } from "zod";

/** The results of commands with proofs on servers with many virtual hosts. */
export const fleetResults = z.object({
  /** Name and version of each program. */
  with: z.array(z.string()),
  rows: z.array(
    z.object({
      what: z.string(),
      command: z.string(),
      /** Processor time in seconds. */
      processor: z.number(),
      megabytes: z.number(),
    }),
  ),
});

export type FleetResults = z.infer<typeof fleetResults>;
