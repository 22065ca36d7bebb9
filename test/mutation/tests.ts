import { globSync } from "tinyglobby";

/** The folders whose code is mutated. */
export const mutatedFolders = ["src/access", "src/httpd", "src/logic"] as const;

/** Returns the tests that run on each mutant: those that reach the folders and start no program. */
export function testsOfMutants(root: string): string[] {
  const patterns = [
    "test/{access,httpd,logic,simulate,compare,witness,validate}/**/*.test.ts",
    "test/conformance/conformance.test.ts",
    "test/mutation/*.mutants.ts",
    "rules/*/*.test.ts",
  ];
  const without = [
    // They run another program, an httpd or the built command.
    "test/validate/misplaced.test.ts",
    "test/witness/sample-text.test.ts",
    // These take minutes, for random configurations or for all records: too slow to repeat for each mutant.
    "test/compare/{truth,compare.property,path-partition.property}.test.ts",
    "test/simulate/{counterfactuals,unknown-files,logs}.test.ts",
    "test/conformance/conformance.test.ts",
  ];
  return globSync(patterns, { cwd: root, ignore: without }).sort();
}

/** Tests in those files that take seconds each: many configurations in one, or an exhausted budget. */
export const leftOutTests = [
  "any text is read, and an error has its place in it",
  "a long list",
  "a rule that takes text of the path into the query alone",
  "beyond the budget it is too large",
  "a trace names the lines of rewriting that have a part in the answer",
  "configurations that 2.2.34 and 2.4.71 answered for",
  "what could not be proved > more than the budget has room for is never equivalent",
  "configurations > the verdicts are those that are listed",
  // The server stops after 32,000 rounds.
  "rules of servers and in sections, a virtual host each > 49: ",
  // It counts the results of hundreds of tries.
  "possessive quantifiers > are taken only where they change nothing",
];

/** Maximum number of runs of a property per mutant. */
export const mostRuns = 20;

/** Time limit in seconds: slower tests are not run on mutants. */
export const slowest = 1.5;

/** Time limit in seconds per mutant, the fastest tests first; the remaining ones are skipped. */
export const mostSeconds = 8;
