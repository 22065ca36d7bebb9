import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "rules/**/*.test.ts"],
    // Live and end-to-end tests start servers and commands; machines in CI are slow now and then.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
