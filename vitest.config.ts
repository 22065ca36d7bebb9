import { defineConfig } from "vitest/config";

/** Tests that change what others in their process see: the environment, the clock, counters, memory. */
const apart = [
  "test/bench/*.test.ts",
  "test/cli/{result-cache,terminal,worker-pool}.test.ts",
  "test/e2e/{confine,pages}.test.ts",
  "test/project/config-reader.test.ts",
  "test/transaction/{file-system,killed-process}.test.ts",
];

/** Other tests that start programs or threads. */
const programs = ["test/{cli,e2e,fuzz,hooks,language,live,mutation,transaction}/*.test.ts"];

export default defineConfig({
  test: {
    // Live and end-to-end tests start servers and commands; machines in CI are slow now and then.
    // Tests wait for commands and servers much of the time: no core is left idle for the main process.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts", "rules/**/*.test.ts"],
          exclude: [...apart, ...programs],
          // Modules are loaded once: that is most of the time that so many quick tests take.
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
