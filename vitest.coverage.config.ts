import { defineConfig } from "vitest/config";

/**
 * How much of the code the quick tests reach, held to floors: those that start no program and take seconds. What is reached
 * says little of how well it is tested; `npm run mutation` tells that.
 */
export default defineConfig({
  test: {
    include: [
      "test/{access,httpd,logic}/**/*.test.ts",
      "test/simulate/*.test.ts",
      "test/compare/{compare,proofs}.test.ts",
      "test/conformance/*.test.ts",
      "rules/*/*.test.ts",
    ],
    exclude: ["test/access/{shadowed.property,require-form}.test.ts", "test/simulate/counterfactuals.test.ts"],
    // Modules are loaded once: that is most of the time that so many quick tests take.
    isolate: false,
    testTimeout: 120_000,
    coverage: {
      enabled: true,
      provider: "v8",
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "build/coverage",
      include: ["src/{access,httpd,logic,simulate,validate,engine,directives,text}/**/*.ts"],
      // What was reached, less a point or so.
      thresholds: {
        ...{ statements: 92, branches: 86, functions: 93, lines: 94 },
        "src/access/**": { statements: 97, branches: 93, functions: 98, lines: 98 },
        "src/httpd/**": { statements: 94, branches: 88, functions: 96, lines: 96 },
        "src/logic/**": { statements: 96, branches: 90, functions: 96, lines: 97 },
      },
    },
  },
});
