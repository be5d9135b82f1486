/** Starts other programs: pnpm as it is here, tools of this workspace, and programs with a time limit. */
import { spawnSync, type SpawnSyncReturns } from "node:child_process"
import { basename, join } from "node:path"

const OUTPUT_LENGTH_MAX = 64 * 1024 * 1024

export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/**
 * The pnpm that started this script, else one through npx. `npm_execpath` is a script or a binary, by the version.
 */
export const pnpm = (environment: NodeJS.ProcessEnv = process.env): Command => {
  const path = environment["npm_execpath"]
  if (path === undefined || !basename(path).startsWith("pnpm")) {
    return { command: "npx", args: ["-y", "pnpm@12"] }
  }
  return /\.[cm]?js$/.test(path) ? { command: process.execPath, args: [path] } : { command: path, args: [] }
}

export const tool = (root: string, name: string): Command => ({
  command: join(root, "node_modules/.bin", name),
  args: []
})

export const node: Command = { command: process.execPath, args: [] }

export interface RunOptions {
  readonly cwd: string
  readonly limitMs?: number
}

export const run = (
  { args: first, command }: Command,
  args: ReadonlyArray<string>,
  { cwd, limitMs = 300_000 }: RunOptions
): SpawnSyncReturns<string> =>
  spawnSync(command, [...first, ...args], {
    cwd,
    encoding: "utf8",
    // What it prints is kept for a report, which need not be a terminal.
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
    killSignal: "SIGKILL",
    maxBuffer: OUTPUT_LENGTH_MAX,
    shell: process.platform === "win32"
  })

/** Everything it printed, for the report of a failure. */
export const outputOf = (done: SpawnSyncReturns<string>): string =>
  [done.stdout, done.stderr, done.error?.message].filter((text) => text !== undefined && text !== "").join("\n")

/** Runs and throws with the whole output when it does not end with 0. */
export const runOrThrow = (command: Command, args: ReadonlyArray<string>, options: RunOptions): string => {
  const done = run(command, args, options)
  if (done.status !== 0) {
    const end = done.signal ?? `code ${done.status}`
    throw new Error(`${command.command} ${args.join(" ")} ended with ${end}\n${outputOf(done)}`)
  }
  return done.stdout
}
