/**
 * `pnpm examples`: what a reader copies is what ran. Runs every file of `examples/` to its end, holds each block of each
 * page against what runs (`Fences` says how), and checks the examples of docstrings and of the commands' help.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Docstrings from "./Docstrings.ts"
import { checkCommandLine } from "./checkCommandLine.ts"
import { checkDocstrings } from "./checkDocstrings.ts"
import { checkPages } from "./checkPages.ts"
import { runProgram } from "./runProgram.ts"

const ROOT = dirname(dirname(import.meta.dirname))
const failures: Array<string> = []

const readAll = (pattern: string): ReadonlyArray<{ readonly path: string; readonly text: string }> =>
  globSync(pattern, { cwd: ROOT })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))

const sources = readAll("examples/*.ts")
// A second dot in a name marks a part of an example, such as the program it forks.
const programs = sources.filter(({ path }) => /\/[^.]+\.ts$/.test(path))
if (programs.length === 0) {
  failures.push("examples/ holds no example")
}
for (const { path } of programs) {
  const start = performance.now()
  const failure = await runProgram(join(ROOT, path))
  console.log(`${path}  ${failure === undefined ? "ok" : "FAILED"}, ${Math.round(performance.now() - start)} ms`)
  if (failure !== undefined) {
    failures.push(`${path}  ${failure}`)
  }
}

const modules = readAll("packages/{core,transport,store}/src/*.ts")
const examples = modules.flatMap(({ path, text }) => {
  try {
    return Docstrings.find(path.replaceAll("\\", "/"), text)
  } catch (cause) {
    failures.push(String(cause))
    return []
  }
})
const pages = readAll("{*.md,docs/{*.md,{tutorials,guides,how}/*.md},packages/*/README.md,interop/README.md}")
const benches = readAll("packages/benchmarks/{core,test/fixtures}/**/*.ts")
const shown = [...sources, ...benches].map(({ text }) => text)

failures.push(...(await checkPages(ROOT, pages, [...shown, ...examples.map(({ code }) => code)])))
failures.push(...(await checkDocstrings(ROOT, examples)), ...(await checkCommandLine()))

for (const failure of failures) {
  console.error(failure)
}
console.log(
  `examples: ${programs.length} programs, ${examples.length} of docstrings (${examples.filter(Docstrings.isRun).length} run), ${failures.length} failures`
)
process.exitCode = failures.length === 0 ? 0 : 1
