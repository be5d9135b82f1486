/**
 * The last line of a test run: how many tests passed and how many failed, in plain words that a script can read. A
 * file that cannot be loaded and an error outside of every test count as one failure each, so that "0 failed" is true.
 */
import type { Reporter, TestModule } from "vitest/node"

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const formatCounts = ({ failed, passed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    let [passed, failed, skipped] = [0, unhandledErrors.length, 0]
    for (const module of modules) {
      failed += module.errors().length
      for (const suite of module.children.allSuites()) {
        failed += suite.errors().length
      }
      for (const test of module.children.allTests()) {
        switch (test.result().state) {
          case "passed":
            passed += 1
            break
          case "skipped":
            skipped += 1
            break
          default:
            failed += 1
        }
      }
    }
    process.stdout.write(`${formatCounts({ passed, failed, skipped })}\n`)
  }
}
