import { defineConfig } from "vitest/config"

/** Tests whose processes mostly wait for each other. They run two files at a time, after the others. */
const IN_PAIRS = [
  "packages/transport/test/{MediaDriver,Udp}.test.ts",
  "packages/transport/test/Restart.stress.test.ts",
  "packages/cli/test/recording/Kills.stress.test.ts",
  "packages/store/test/Crash.stress.test.ts"
]

/**
 * Tests that start processes and workers and hold them to a deadline, or count what is allocated. They run one file at a
 * time, after all others, so that they have the machine to themselves.
 */
const ALONE = [
  "packages/cli/test/commands/demoFailure.test.ts",
  "packages/transport/test/Processes.test.ts",
  "packages/core/test/AgentRunner.test.ts",
  "packages/*/test/**/*Allocation*.test.ts",
  "packages/*/test/**/*.stress.test.ts"
]

/** For what hangs. A machine that others use too must not reach them. */
const limits = { testTimeout: 60_000, hookTimeout: 60_000 }

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
          exclude: [...IN_PAIRS, ...ALONE],
          // More files at once than cores only adds noise.
          maxWorkers: 2,
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          ...limits,
          name: "in pairs",
          include: IN_PAIRS,
          maxWorkers: 2,
          sequence: { groupOrder: 1 }
        }
      },
      {
        test: {
          ...limits,
          name: "alone",
          include: ALONE,
          exclude: IN_PAIRS,
          maxWorkers: 1,
          sequence: { groupOrder: 2 }
        }
      }
    ]
  }
})
