import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "rules/**/*.test.ts"],
    // Live and end-to-end tests start servers and commands; machines in CI are slow now and then.
    // Tests wait for commands and servers much of the time: no core is left idle for the main process.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
