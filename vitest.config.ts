import { defineConfig } from "vitest/config"

/**
 * Tests that start processes and workers and hold them to a deadline, or count what is allocated. They run one file at a
 * time, after all others, so that they have the machine to themselves.
 */
const ALONE = [
  "packages/cli/test/commands/demoFailure.test.ts",
  "packages/transport/test/{MediaDriver,Processes,Udp}.test.ts",
  "packages/core/test/AgentRunner.test.ts",
  "packages/*/test/**/*Allocation*.test.ts",
  "packages/*/test/**/*.stress.test.ts"
]

const limits = { testTimeout: 30_000, hookTimeout: 30_000 }

export default defineConfig({
  test: {
    // The count comes last, so that the final line of a run is one that a script can read.
    reporters: ["default", "./scripts/CountReporter.ts"],
    projects: [
      {
        test: {
          ...limits,
          name: "together",
          include: ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"],
          exclude: ALONE,
          // More files at once than cores only adds noise.
          maxWorkers: 2,
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          ...limits,
          name: "alone",
          include: ALONE,
          maxWorkers: 1,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
