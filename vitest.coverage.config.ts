import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { quickTests } from "./test/support/quick-tests.js";

/**
 * Measures the coverage of the quick tests, which start no program, and fails below the floors. Coverage says little about
 * the quality of tests; `npm run mutation` measures that.
 */
export default defineConfig({
  test: {
    ...quickTests,
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
