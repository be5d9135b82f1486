/**
 * Part of `pnpm docs:check`: a measured figure stands in a document where `pnpm bench --write` has written it and nowhere
 * else, and every benchmark that a document names is there.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { findBenchFiles, loadGroups, matches, mayMatch } from "../../packages/benchmarks/src/BenchFiles.ts"
import { findBenchNames, findStrays } from "./Measured.ts"

const ROOT = dirname(dirname(import.meta.dirname))
const files = findBenchFiles(join(ROOT, "packages/benchmarks"))

/** Whether it is the name of a folder, a file, a group or a case. Only what lies within a file has to be loaded. */
const isBench = async (name: string): Promise<boolean> => {
  if (files.some((file) => matches(file.name, [name]))) {
    return true
  }
  const file = files.find((candidate) => mayMatch(candidate, [name]))
  const groups = file === undefined ? [] : await loadGroups(file)
  return groups.some((group) => {
    const cases = Object.keys(group.cases).map((caseName) => `${group.name}/${caseName}`)
    return [group.name, ...cases].some((full) => matches(full, [name]))
  })
}

/** What programs have written is theirs: the pages made from the code, and that of `pnpm bench peers`. */
const WRITTEN = /^<!-- Written by /

const problems: Array<string> = []
for (const path of globSync(["*.md", "docs/**/*.md", "packages/*/*.md", "interop/*.md"], { cwd: ROOT })) {
  const text = readFileSync(join(ROOT, path), "utf8")
  if (path.includes("node_modules") || path.startsWith(join("docs", "api")) || WRITTEN.test(text)) {
    continue
  }
  for (const { line, text: figure } of findStrays(text)) {
    problems.push(`${path}:${line}  says ${figure}, which no run of \`pnpm bench --write\` has put there`)
  }
  for (const name of findBenchNames(text)) {
    if (!(await isBench(name))) {
      problems.push(`${path}  names the benchmark ${name}, which is not there`)
    }
  }
}
for (const problem of problems.toSorted()) {
  console.error(problem)
}
console.log(`figures: ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
