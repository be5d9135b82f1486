import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"],
    // The count comes last, so that the final line of a run is one that a script can read.
    reporters: ["default", "./scripts/CountReporter.ts"],
    // Tests start drivers, workers and child processes of their own: more files at once than cores only adds noise.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000
  }
})
