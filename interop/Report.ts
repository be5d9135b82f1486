/** Counts checks and prints a line for each; a difference is printed with the place and both values. */
import * as Difference from "./Difference.ts"

export class Report {
  passed = 0
  failed = 0
  readonly #print: (line: string) => void
  #settledMs: number = performance.now()

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  /** Checks that two values have the same structure; names say whose they are. */
  equal(title: string, actual: Named, expected: Named): void {
    const differences = Difference.find(actual.value, expected.value)
    const details = differences.map(
      ({ left, path, right }) => `${path}: ${actual.name} ${show(left)}, ${expected.name} ${show(right)}`
    )
    this.#settle(title, details)
  }

  /** Checks one fact; the detail is printed where it does not hold. */
  holds(title: string, fact: boolean, detail: string): void {
    this.#settle(title, fact ? [] : [detail])
  }

  /** Says what is not there to be checked, and why; it is neither passed nor failed. */
  notRun(title: string, why: string): void {
    this.#print(`NOT RUN  ${title}: ${why}`)
  }

  /** Runs checks that may throw; what is thrown is a failure of its own. */
  async attempt(title: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#settle(title, [error instanceof Error ? (error.stack ?? error.message) : String(error)])
    }
  }

  #settle(title: string, details: ReadonlyArray<string>): void {
    const nowMs = performance.now()
    const seconds = Math.round((nowMs - this.#settledMs) / 1000)
    this.#settledMs = nowMs
    if (details.length === 0) {
      this.passed++
      this.#print(`ok    ${title}${seconds >= SECONDS_WORTH_TELLING ? ` (${seconds} s)` : ""}`)
      return
    }
    this.failed++
    this.#print(`FAIL  ${title}`)
    for (const detail of details) {
      this.#print(`        ${detail}`)
    }
  }
}

export interface Named {
  readonly name: string
  readonly value: unknown
}

const SHOWN_LENGTH_MAX = 300

/** A check that takes so long may come near to what its steps are given. */
const SECONDS_WORTH_TELLING = 10

const show = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}… (${text.length} characters)` : text
}
