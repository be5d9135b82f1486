/**
 * Aeron's own system tests of driver and client, with `millrace-driver` where they start `aeronmd`. `AERON_SOURCE` gives
 * a checkout of Aeron's sources at the tag of `pom.xml`; without it nothing runs, and nothing of it is kept here.
 *
 * A test passes, leaves itself out, is refused as not supported (groups, destinations, spies, response channels), or is
 * listed in `Differences.ts` with the reason. Anything else is a failure.
 */
import { existsSync, globSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Context, Part } from "../Part.ts"
import * as Build from "./Build.ts"
import { classesLeftOut, differences } from "./Differences.ts"
import * as Results from "./Results.ts"

const TESTS = "aeron-system-tests/src/test/java"

/** The tests of driver and client; those of archive and cluster stand in other folders. */
const classesOf = (source: string): ReadonlyArray<string> =>
  globSync(["io/aeron/*Test.java", "io/aeron/driver/*Test.java"], { cwd: join(source, TESTS) })
    .map((file) => file.replace(/\.java$/, "").replaceAll("/", "."))
    .filter((name) => !(simpleName(name) in classesLeftOut))
    .toSorted()

const simpleName = (className: string): string => className.slice(className.lastIndexOf(".") + 1)

const OUTCOMES = ["passed", "refused", "skipped", "known", "failed"] as const

const runClass = async ({ report }: Context, className: string): Promise<void> => {
  const name = simpleName(className)
  const file = await Build.run(className)
  const known = differences[name] ?? {}
  const results = existsSync(file) ? Results.read(file) : []
  const outcomeOf = ({ name, outcome }: Results.Result) => (outcome === "failed" && name in known ? "known" : outcome)
  const having = (outcome: string) => results.filter((result) => outcomeOf(result) === outcome)
  const counts = OUTCOMES.filter((outcome) => having(outcome).length > 0).map(
    (outcome) => `${having(outcome).length} ${outcome}`
  )
  const details = having("failed").map((result) => `${result.name}: ${result.message}`)
  const isWhole = existsSync(file) && details.length === 0
  const detail = details.join("\n        ") || `there is no ${file}`
  report.holds(`${name}: ${counts.join(", ") || "no tests"}`, isWhole, detail)
}

const source = process.env["AERON_SOURCE"] ?? ""
const classes = source === "" ? [] : classesOf(resolve(source))

const run = async (context: Context): Promise<void> => {
  if (classes.length === 0) {
    const why = source === "" ? "no sources given; set AERON_SOURCE to a checkout of Aeron" : `no tests in ${source}`
    return context.report.notRun("Aeron's own system tests", why)
  }
  Build.build(resolve(source))
  const isChosen = (className: string): boolean =>
    context.sections.length === 0 || context.sections.includes(simpleName(className))
  for (const className of classes.filter(isChosen)) {
    await context.report.attempt(simpleName(className), () => runClass(context, className))
  }
}

const part: Part = { name: "systests", sections: classes.map(simpleName), run }

export default part
