import { defineConfig } from "vitest/config";

/** Tests that start programs or threads, or change what others in their process see: the environment, the clock. */
const apart = [
  "test/{bench,cli,e2e,fuzz,hooks,language,live,mutation,transaction}/*.test.ts",
  "test/project/reading.test.ts",
];

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
          exclude: apart,
          // Modules are loaded once: that is most of the time that so many quick tests take.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: "apart", include: apart, sequence: { groupOrder: 1 } } },
    ],
  },
});
