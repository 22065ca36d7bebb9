import { z } from "zod";

const file = z.object({
  file: z.string(),
  /** Found by a test, or by a loop that would not have ended. */
  killed: z.number(),
  /** Found by no test, and refused by the compiler. */
  refused: z.number(),
  /** Found by none of the tests that reach it. */
  survived: z.number(),
  /** In code that none of the tests reaches. */
  notReached: z.number(),
  /** Evaluated when the module is loaded: a run of all tests each, not made. */
  static: z.number(),
  /** The wording of what is said to people: not tried. */
  words: z.number(),
});

const survivor = z.object({
  /** `src/access/model/access-state.ts:12` */
  at: z.string(),
  mutator: z.string(),
  code: z.string(),
  becomes: z.string(),
  /** Said by whoever looked at it; kept from run to run. */
  why: z.string().optional(),
});

/** What came of mutants of the three folders. */
export const mutationResults = z.object({
  with: z.array(z.string()),
  /** How many of the mutants were tried. */
  share: z.string(),
  files: z.array(file),
  survivors: z.array(survivor),
});

export type MutationResults = z.infer<typeof mutationResults>;
export type MutatedFile = z.infer<typeof file>;
export type Survivor = z.infer<typeof survivor>;

/** The share of mutants that tests are to find, in per cent: what is aimed at. */
export const AIM = 85;

/**
 * What part of the mutants that can be compiled and were tried the tests found, in per cent; those in code that no test
 * reaches count. Of those that tests found, too, some cannot be compiled: which ones was not asked.
 */
export function killedOf(files: readonly MutatedFile[]): number {
  const { killed, survived, notReached } = totalOf(files);
  return (100 * killed) / (killed + survived + notReached);
}

export function totalOf(files: readonly MutatedFile[]): Omit<MutatedFile, "file"> {
  const total = { killed: 0, refused: 0, survived: 0, notReached: 0, static: 0, words: 0 };
  for (const each of files) {
    total.killed += each.killed;
    total.refused += each.refused;
    total.survived += each.survived;
    total.notReached += each.notReached;
    total.static += each.static;
    total.words += each.words;
  }
  return total;
}
