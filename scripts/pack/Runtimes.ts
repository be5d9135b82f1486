/** The versions of Node that the packages promise to run on, each from the npm package that brings its binary. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Command, node, pnpm, run, runOrThrow } from "./Run.ts"

/** The oldest that `engines` names, and the long-term line after it; the scripts themselves run on the newest. */
const OLDER = ["22.19.0", "24"] as const

export interface Runtime {
  /** What it says of itself, `v24.1.0`. */
  readonly version: string
  readonly command: Command
}

/** Installs the older ones in folders of their own, so that none is found by another's programs. */
export const install = (folder: string): ReadonlyArray<Runtime> => [...OLDER.map((range) => older(folder, range)), here]

const here: Runtime = { version: process.version, command: node }

const older = (folder: string, range: string): Runtime => {
  const home = join(folder, `node-${range}`)
  mkdirSync(home, { recursive: true })
  const manifest = { name: `node-${range}`, private: true, dependencies: { node: range } }
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest))
  writeFileSync(join(home, "pnpm-workspace.yaml"), JSON.stringify({ allowBuilds: { node: true } }))
  runOrThrow(pnpm(), ["install", "--no-frozen-lockfile"], { cwd: home })
  const command = { command: join(home, "node_modules/node/bin/node"), args: [] }
  const version = run(command, ["--version"], { cwd: home }).stdout.trim()
  return { version, command }
}
