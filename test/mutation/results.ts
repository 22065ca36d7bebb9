import { z } from "zod";

const file = z.object({
  file: z.string(),
  /** Killed by a test, or by an endless loop. */
  killed: z.number(),
  /** Not killed by a test, and rejected by the compiler. */
  rejected: z.number(),
  /** Not killed by the tests that reach it. */
  survived: z.number(),
  /** In code that no test reaches. */
  notReached: z.number(),
  /** Evaluated at module load: not run, because each would need all tests. */
  static: z.number(),
  /** Wording of messages for people: not mutated. */
  messages: z.number(),
});

const survivor = z.object({
  /** `src/server/access/access-state.ts:12` */
  at: z.string(),
  mutator: z.string(),
  code: z.string(),
  becomes: z.string(),
  /** Reviewer's explanation; kept from run to run. */
  why: z.string().optional(),
});

/** The results of mutants in the mutated folders. */
export const mutationResults = z.object({
  with: z.array(z.string()),
  /** Share of the mutants that were tried, by folder if it differs. */
  share: z.string(),
  files: z.array(file),
  /** Files that no run has measured, or none since they were split off others or rewritten. */
  pending: z.array(z.string()),
  survivors: z.array(survivor),
});

export type MutationResults = z.infer<typeof mutationResults>;
export type MutatedFile = z.infer<typeof file>;
export type Survivor = z.infer<typeof survivor>;

/** Target score in percent of mutants killed. */
export const TARGET_SCORE = 85;

/**
 * Returns the percentage of killed mutants among those that compile and were tried, including those in unreached code.
 * Killed mutants are not checked for compile errors.
 */
export function computeScore(files: readonly MutatedFile[]): number {
  const { killed, survived, notReached } = sumResults(files);
  return (100 * killed) / (killed + survived + notReached);
}

export function sumResults(files: readonly MutatedFile[]): Omit<MutatedFile, "file"> {
  const total = { killed: 0, rejected: 0, survived: 0, notReached: 0, static: 0, messages: 0 };
  for (const each of files) {
    total.killed += each.killed;
    total.rejected += each.rejected;
    total.survived += each.survived;
    total.notReached += each.notReached;
    total.static += each.static;
    total.messages += each.messages;
  }
  return total;
}
