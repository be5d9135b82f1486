/**
 * What pages tell their reader to type with npm, typed: the lines of a page one after the other in an empty folder, with the
 * tarballs in the place of a registry. `node NAME.ts` is the example of that name, as a reader copies it.
 */
import { copyFileSync, globSync, mkdtempSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as ConsoleLines from "../examples/ConsoleLines.ts"
import type { Finding } from "../tidy/Finding.ts"
import { node, outputOf, run } from "./Run.ts"
import type { Tarball } from "./Tarball.ts"

const PAGES = ["*.md", "docs/*.md", "docs/{tutorials,guides}/*.md", "packages/*/README.md"]
const NPM_INSTALL = { command: "npm", args: ["install", "--no-audit", "--no-fund"] }

export interface Page {
  readonly path: string
  readonly lines: ReadonlyArray<string>
}

export const find = (root: string): ReadonlyArray<Page> =>
  globSync(PAGES, { cwd: root })
    .toSorted()
    .map((path) => {
      const lines = ConsoleLines.find(readFileSync(join(root, path), "utf8")).map(({ text }) => text)
      return { path, lines: lines.filter(ConsoleLines.isInstallation) }
    })
    .filter(({ lines }) => lines.length > 0)

/** Packages by name; those of this repository are their tarballs, with those of it that these depend on. */
export const packagesOf = (names: ReadonlyArray<string>, tarballs: ReadonlyArray<Tarball>): ReadonlyArray<string> => [
  ...new Set(names.flatMap((name) => withDependencies(name, tarballs)))
]

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

export const check = (root: string, folder: string, tarballs: ReadonlyArray<Tarball>): ReadonlyArray<Finding> => {
  const install = (names: ReadonlyArray<string>, cwd: string) => run(NPM_INSTALL, packagesOf(names, tarballs), { cwd })
  const type = (line: string, cwd: string) => {
    const [command = "", ...args] = line.split(" ")
    if (line.startsWith("npm install ")) {
      const names = args.slice(1)
      const installed = install(names, cwd)
      const program = names.map((name) => `await import("${name}")`).join("\n")
      return installed.status === 0 ? run(node, ["--input-type=module", "-e", program], { cwd }) : installed
    }
    if (command === "node") {
      copyFileSync(join(root, "examples", args[0]!), join(cwd, args[0]!))
      return run(node, args, { cwd })
    }
    if (command === "npx") {
      // What npx would bring from the registry.
      const installed = install(args.slice(0, 1), cwd)
      return installed.status === 0 ? run({ command, args }, [], { cwd }) : installed
    }
    return run({ command, args }, [], { cwd })
  }
  const typed = new Set<string>()
  return find(root).flatMap(({ lines, path }) => {
    const cwd = mkdtempSync(join(folder, "page-"))
    for (const line of lines) {
      if (line.startsWith("npx ") && typed.has(line)) {
        continue
      }
      typed.add(line)
      const done = type(line, line.startsWith("npx ") ? mkdtempSync(join(folder, "npx-")) : cwd)
      console.log(`${path}: ${line}  ${done.status === 0 ? "ok" : "FAILED"}`)
      if (done.status !== 0) {
        return [{ path, message: `${line}\n${outputOf(done)}` }]
      }
    }
    return []
  })
}
