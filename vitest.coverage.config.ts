import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * Measures the coverage of the quick tests, which start no program, and fails below the floors. Coverage says little about
 * the quality of tests; `npm run mutation` measures that.
 */
export default defineConfig({
  test: {
    include: [
      "test/{regex,server}/**/*.test.ts",
      "test/proof/{clients,requests,audit}/**/*.test.ts",
      "test/proof/migrate/{migrate,virtual-pages,ineffective-lines}.test.ts",
      "test/lint/*.test.ts",
      "test/report/comparisons/*.test.ts",
      "test/proof/compare/{compare,proofs}.test.ts",
      "test/conformance/*.test.ts",
      "rules/*/*.test.ts",
    ],
    exclude: [
      "test/server/access/{shadow-finder.property,require-conversion}.test.ts",
      "test/server/counterfactuals.test.ts",
    ],
    // Modules are loaded once, because loading takes most of the time.
    isolate: false,
    maxWorkers: availableParallelism(),
    testTimeout: 120_000,
    coverage: {
      enabled: true,
      provider: "v8",
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "build/coverage",
      include: [
        "src/{text,regex,facts,server,startup}/**/*.ts",
        "src/proof/{clients,requests}/**/*.ts",
        "src/lint/*.ts",
      ],
      // About one point below the measured values.
      thresholds: {
        ...{ statements: 92, branches: 86, functions: 93, lines: 94 },
        "src/server/access/**": { statements: 97, branches: 93, functions: 98, lines: 98 },
        "src/server/**": { statements: 94, branches: 88, functions: 94, lines: 95 },
        "src/regex/**": { statements: 96, branches: 90, functions: 96, lines: 97 },
      },
    },
  },
});
