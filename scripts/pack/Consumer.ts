/** Installs tarballs the way a user would, in a folder that knows nothing of this workspace, and runs them there. */
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Finding } from "../tidy/Finding.ts"
import { node, outputOf, pnpm, run, runOrThrow, tool } from "./Run.ts"
import type { Runtime } from "./Runtimes.ts"
import { entries, type Tarball } from "./Tarball.ts"

const PROGRAMS = join(import.meta.dirname, "consumer")

/** Versions of this workspace's own development dependencies that the consumer needs too. */
const TOOLS = ["typescript", "@types/node"] as const

export interface InstallOptions {
  readonly tarballs: ReadonlyArray<Tarball>
  /** Further dependencies, such as the one peer `effect`. */
  readonly dependencies: Readonly<Record<string, string>>
}

export const install = (root: string, folder: string, { dependencies, tarballs }: InstallOptions): void => {
  mkdirSync(folder, { recursive: true })
  const local = Object.fromEntries(tarballs.map(({ manifest, path }) => [manifest.name, `file:${path}`]))
  const own: { readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8")
  )
  const tools = Object.fromEntries(TOOLS.map((name) => [name, own.devDependencies[name]]))
  const manifest = {
    name: "consumer",
    private: true,
    type: "module",
    dependencies: { ...local, ...dependencies },
    devDependencies: tools
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2))
  // A tarball depends on its siblings by version; here they are the tarballs beside it. koffi needs no install script.
  const settings = { overrides: local, allowBuilds: { koffi: false } }
  writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify(settings, null, 2))
  cpSync(PROGRAMS, folder, { recursive: true })
  mkdirSync(join(folder, "examples"))
  for (const path of globSync("examples/*.ts", { cwd: root })) {
    cpSync(join(root, path), join(folder, path))
  }
  runOrThrow(pnpm(), ["install", "--no-frozen-lockfile"], { cwd: folder })
}

/** Imports every entry of every tarball, each by its name. */
export const checkImports = (folder: string, tarballs: ReadonlyArray<Tarball>): ReadonlyArray<Finding> =>
  tarballs.flatMap((tarball) => {
    const { name } = tarball.manifest
    const specifiers = entries(tarball).map((entry) => `${name}${entry.slice(1)}`)
    const done = run(node, ["imports.ts", ...specifiers], { cwd: folder })
    return done.status === 0 ? [] : [{ path: name, message: outputOf(done) }]
  })

/** Checks the programs against the types that were installed, libraries' own declarations included. */
export const checkTypes = (folder: string): ReadonlyArray<Finding> => {
  const done = run(tool(folder, "tsc"), ["--noEmit", "-p", "."], { cwd: folder })
  return done.status === 0 ? [] : [{ path: "consumer", message: outputOf(done) }]
}

export interface Program {
  readonly title: string
  readonly args: ReadonlyArray<string>
  /** What its output must show. */
  readonly shows: RegExp
}

/** What the repository shows as examples. A second dot in a name marks a part of one, such as the program it forks. */
export const examples = (folder: string): ReadonlyArray<Program> =>
  globSync("examples/*.ts", { cwd: folder })
    .filter((path) => /^[^.]+\.ts$/.test(basename(path)))
    .toSorted()
    .map((path) => ({ title: path, args: [path], shows: /(?:)/ }))

/** Runs each program on one version of Node, in an empty folder of its own. */
export const checkPrograms = (
  folder: string,
  { command, version }: Runtime,
  programs: ReadonlyArray<Program>
): ReadonlyArray<Finding> =>
  programs.flatMap(({ args: [path = "", ...args], shows, title }) => {
    const cwd = mkdtempSync(join(folder, "run-"))
    const done = run(command, [join(folder, path), ...args], { cwd, limitMs: 120_000 })
    const output = outputOf(done)
    if (done.status === 0 && shows.test(output)) {
      return []
    }
    return [
      { path: `${title} on ${version}`, message: `ended with ${done.signal ?? `code ${done.status}`}\n${output}` }
    ]
  })
