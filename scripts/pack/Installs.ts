/** What pages tell their reader to install, installed by npm in an empty folder each, from the tarballs instead of a registry. */
import { globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ConsoleLines from "../examples/ConsoleLines.ts"
import type { Finding } from "../tidy/Finding.ts"
import { node, outputOf, run } from "./Run.ts"
import type { Tarball } from "./Tarball.ts"

const PAGES = ["*.md", "docs/*.md", "docs/{tutorials,guides}/*.md", "packages/*/README.md"]

/** Lines that are printed on pages, each once. */
export const find = (root: string): ReadonlyArray<string> => {
  const lines = globSync(PAGES, { cwd: root }).flatMap((path) =>
    ConsoleLines.find(readFileSync(join(root, path), "utf8")).map(({ text }) => text)
  )
  return [...new Set(lines.filter(ConsoleLines.isInstallation))].toSorted()
}

/** The packages of a line, in the place of those of this repository their tarballs, with those that these depend on. */
export const packagesOf = (line: string, tarballs: ReadonlyArray<Tarball>): ReadonlyArray<string> => {
  const words = line.split(" ").slice(line.startsWith("npx") ? 1 : 2)
  const named = line.startsWith("npx") ? words.slice(0, 1) : words.filter((word) => !word.startsWith("-"))
  return [...new Set(named.flatMap((name) => withDependencies(name, tarballs)))]
}

const withDependencies = (name: string, tarballs: ReadonlyArray<Tarball>): ReadonlyArray<string> => {
  const tarball = tarballs.find(({ manifest }) => manifest.name === name)
  if (tarball === undefined) {
    return [name]
  }
  const ours = Object.keys(tarball.manifest.dependencies ?? {}).filter((dependency) =>
    tarballs.some(({ manifest }) => manifest.name === dependency)
  )
  return [tarball.path, ...ours.flatMap((dependency) => withDependencies(dependency, tarballs))]
}

const problemOf = (line: string, folder: string, tarballs: ReadonlyArray<Tarball>): string | undefined => {
  const cwd = mkdtempSync(join(folder, "install-"))
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }))
  const npm = { command: "npm", args: ["install", "--no-audit", "--no-fund"] }
  const installed = run(npm, packagesOf(line, tarballs), { cwd })
  if (installed.status !== 0) {
    return outputOf(installed)
  }
  const [command = "", ...args] = line.split(" ")
  const names = line.startsWith("npx") ? [] : args.slice(1).filter((arg) => !arg.startsWith("-"))
  const used = line.startsWith("npx")
    ? run({ command, args }, [], { cwd })
    : run(node, ["--input-type=module", "-e", names.map((name) => `await import("${name}")`).join("\n")], { cwd })
  return used.status === 0 ? undefined : outputOf(used)
}

export const check = (root: string, folder: string, tarballs: ReadonlyArray<Tarball>): ReadonlyArray<Finding> =>
  find(root).flatMap((line) => {
    const problem = problemOf(line, folder, tarballs)
    console.log(`${line}  ${problem === undefined ? "ok" : "FAILED"}`)
    return problem === undefined ? [] : [{ path: line, message: problem }]
  })
