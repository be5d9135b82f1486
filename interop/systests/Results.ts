/** What a class of tests came to, as JUnit's console launcher reports it. */
import { readFileSync } from "node:fs"

export type Outcome = "passed" | "skipped" | "refused" | "failed"

export interface Result {
  /** `shouldDoThis(String)[2]`: the method, and which of its parameters. */
  readonly name: string
  readonly outcome: Outcome
  /** What a failed test says. */
  readonly message: string
}

/** NOT_SUPPORTED, in the words of Aeron's client, of a test that expected another code, and of our driver's error log. */
const REFUSAL = /errorCodeValue=8\b|NOT_SUPPORTED|supported by this driver/

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", quot: '"', "#10": " " }
const text = (escaped: string): string =>
  escaped.replaceAll(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

const attribute = (element: string, name: string): string =>
  text(new RegExp(`\\s${name}="([^"]*)"`).exec(element)?.[1] ?? "")

const resultOf = (element: string): Result => {
  const failure = /<(?:failure|error)\b[^>]*>/.exec(element)?.[0]
  const message = failure === undefined ? "" : attribute(failure, "message") || attribute(failure, "type")
  const name = attribute(element, "name").replace(/\(\)$/, "")
  if (failure === undefined) {
    return { name, message, outcome: element.includes("<skipped") ? "skipped" : "passed" }
  }
  // It may stand in the stack trace alone, where the test has words of its own.
  return { name, message, outcome: REFUSAL.test(element) ? "refused" : "failed" }
}

export const read = (file: string): ReadonlyArray<Result> =>
  (readFileSync(file, "utf8").match(/<testcase\b[^]*?(?:<\/testcase>|\/>)/g) ?? []).map(resultOf)
