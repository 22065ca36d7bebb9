import { globSync } from "tinyglobby";

/** The folders whose code is mutated. */
export const mutatedFolders = [
  "src/regex",
  "src/server/access",
  "src/server/expression",
  "src/server/mapping",
  "src/server/model",
  "src/server/request",
  "src/server/rewrite",
  "src/server/sections",
  "src/server/walk",
  "src/startup",
  "src/proof",
] as const;

/** Returns the tests that run on each mutant: those that reach the folders and start no program. */
export function testsOfMutants(root: string): string[] {
  const patterns = [
    "test/{regex,server,startup,proof}/**/*.test.ts",
    "test/lint/probes/**/*.test.ts",
    "test/conformance/conformance.test.ts",
    "test/mutation/*.mutants.ts",
    "rules/*/*.test.ts",
  ];
  const excluded = [
    // It runs another program, the built command.
    "test/lint/probes/sample-text.test.ts",
    // These take minutes, for random configurations or for all records: too slow to repeat for each mutant.
    "test/proof/compare/{truth,compare.property,templates.property}.test.ts",
    "test/proof/migrate/truth.test.ts",
    // It compares with files, which needs vitest.
    "test/proof/migrate/servers.test.ts",
    "test/server/{counterfactuals,unknown-files,logs}.test.ts",
    "test/conformance/conformance.test.ts",
  ];
  return globSync(patterns, { cwd: root, ignore: excluded }).sort();
}

/** Maximum number of runs of a property per mutant. */
export const maxRuns = 20;

/** Time limit in seconds: slower tests are not run on mutants. */
export const maxTestSeconds = 1.5;

/** Time limit in seconds per mutant, the fastest tests first; the remaining ones are skipped. */
export const maxMutantSeconds = 8;
