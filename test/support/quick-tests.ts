import { globSync } from "tinyglobby";

/** The patterns of the quick tests, which start no program. `npm run check` runs them, and measures their coverage. */
export const quickTests = {
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
};

/** Returns the tests that a run leaves out: the quick ones, if `HTTPD_LINT_TESTS=others`, as before `npm run check`. */
export function listLeftOutTests(): readonly string[] {
  if (process.env["HTTPD_LINT_TESTS"] !== "others") return [];
  return globSync(quickTests.include, { ignore: quickTests.exclude });
}
