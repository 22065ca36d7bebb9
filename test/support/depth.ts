/**
 * How deep the tests go. `npm test` runs a sample of the random and recorded cases; `npm run test:deep`
 * (`HTTPD_LINT_DEPTH=deep`) runs all of them.
 */
export const isDeep = process.env["HTTPD_LINT_DEPTH"] === "deep";

/** Whether live tests record the answers of the server again (`HTTPD_LINT_RECORD=1`), which takes all cases. */
export const isRecording = process.env["HTTPD_LINT_RECORD"] === "1";

const chosenSeed = process.env["HTTPD_LINT_SEED"];

/** Returns the seed of random cases: `fixed`, unless `HTTPD_LINT_SEED` sets another, as CI does for a share that rotates. */
export function seedOr(fixed: number): number {
  return Number(chosenSeed ?? fixed);
}

/** Returns the number of random cases: `sample` in `npm test`, `all` in deep runs, or that of `HTTPD_LINT_RUNS`. */
export function runCount(sample: number, all: number): number {
  const chosen = process.env["HTTPD_LINT_RUNS"];
  if (chosen !== undefined) return Number(chosen);
  return isDeep ? all : sample;
}

/** Returns one in `step` recorded cases, and all in deep runs or while recording. The seed chooses where the sample starts. */
export function sampleOf<T>(cases: readonly T[], step: number): readonly T[] {
  if (isDeep || isRecording) return cases;
  const start = seedOr(0) % Math.min(step, Math.max(cases.length, 1));
  return cases.filter((_, index) => index % step === start);
}
