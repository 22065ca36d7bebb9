import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SlowestFiles } from "./test/support/slowest-files.js";

/** Tests that need a process in which no other test ran before: they count work, which caches reduce. */
const apart = ["test/bench/counted-work.test.ts"];

/** Other tests that start programs or threads. */
const programs = ["test/{e2e,fuzz,hooks,language,live,mutation}/*.test.ts", "test/apps/{cli,file-changes}/*.test.ts"];

export default defineConfig({
  test: {
    // Tests wait for servers and commands much of the time, so more workers than cores are faster.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    reporters: ["default", ...(process.env["GITHUB_ACTIONS"] ? ["github-actions"] : []), new SlowestFiles()],
    // Machines in CI may be slow.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts", "rules/**/*.test.ts"],
          exclude: [...apart, ...programs],
          // Modules are loaded once, because loading takes most of the time of quick tests.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "programs",
          include: programs,
          exclude: apart,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: "apart", include: apart, sequence: { groupOrder: 2 } } },
    ],
  },
});
