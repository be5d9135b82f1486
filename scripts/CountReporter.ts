/**
 * The end of a test run: what failed, in a line each with its error below, and how many tests passed and failed, in
 * plain words that a script can read. A file that cannot be loaded and an error outside of every test count as one
 * failure each, so that "0 failed" is true.
 */
import type { Reporter, SerializedError, TestModule } from "vitest/node"

interface Failure {
  readonly title: string
  readonly errors: ReadonlyArray<SerializedError>
}

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Lines of an error that are printed: its message and where it was thrown. */
const ERROR_LINES_MAX = 10

const formatFailure = ({ errors, title }: Failure): string =>
  [`FAIL  ${title}`, ...errors.flatMap(linesOf).map((line) => `        ${line}`)].join("\n")

const linesOf = ({ message, stack }: SerializedError): ReadonlyArray<string> =>
  (stack?.includes(message) ? stack : `${message}\n${stack ?? ""}`).trimEnd().split("\n").slice(0, ERROR_LINES_MAX)

const formatCounts = ({ failed, passed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<SerializedError>): void {
    const failures: Array<Failure> = unhandledErrors.map((error) => ({
      title: "outside of every test",
      errors: [error]
    }))
    let [passed, skipped] = [0, 0]
    for (const module of modules) {
      const file = module.relativeModuleId
      failures.push(...module.errors().map((error) => ({ title: file, errors: [error] })))
      for (const suite of module.children.allSuites()) {
        failures.push(...suite.errors().map((error) => ({ title: `${file} > ${suite.fullName}`, errors: [error] })))
      }
      for (const test of module.children.allTests()) {
        const { errors, state } = test.result()
        switch (state) {
          case "passed":
            passed += 1
            break
          case "skipped":
            skipped += 1
            break
          default:
            failures.push({ title: `${file} > ${test.fullName}`, errors: errors ?? [] })
        }
      }
    }
    const lines = [...failures.map(formatFailure), formatCounts({ passed, failed: failures.length, skipped })]
    process.stdout.write(`${lines.join("\n")}\n`)
  }
}
