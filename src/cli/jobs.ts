import { availableParallelism } from "node:os";

/** So many threads are taken at most where nobody says how many: each holds the main files of a server for itself. */
const MOST_UNASKED = 8;
const MOST = 256;

/** How many threads share the work. @param asked what `--jobs` says; absent: one for each processor */
export function jobsFor(asked: string | undefined): number | { readonly failed: string } {
  if (asked === undefined) return Math.min(availableParallelism(), MOST_UNASKED);
  const jobs = /^\d+$/.test(asked) ? Number(asked) : 0;
  if (jobs >= 1 && jobs <= MOST) return jobs;
  return { failed: `\`${asked}\` of --jobs is no number of threads; write one from 1 to ${MOST}` };
}
