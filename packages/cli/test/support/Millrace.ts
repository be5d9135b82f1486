/**
 * Runs the command line as a user does: `node src/bin.ts …` in a process of its own, in directories of its own, so that
 * a test can look at what the run left behind.
 */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const BIN = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly process: ChildProcess
  readonly pid: number
  readonly ended: Effect.Effect<Ended>
  /** Waits until the output so far contains `text`; fails the test if the process ends before that. */
  readonly says: (text: string | RegExp) => Effect.Effect<string>
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
}

/** One for all runs, outside of what tests look through afterwards. */
const COMPILE_CACHE = path.join(os.tmpdir(), "millrace-compile-cache")

/** A directory for one test, removed after it. Runs take it as their `TMPDIR`. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "millrace-test-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

export interface RunOptions {
  readonly temporary: string
  /** All of standard input; `null` leaves it open. */
  readonly stdin?: string | Uint8Array | null
  readonly env?: Record<string, string>
}

/** Starts `millrace …args`. It is killed when the scope closes, if it still runs then. */
export const start = (args: ReadonlyArray<string>, options: RunOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => launch(args, options)),
    (running) =>
      Effect.suspend(() => {
        running.process.kill("SIGKILL")
        return Effect.asVoid(running.ended)
      })
  )

/** Runs `millrace …args` to its end. */
export const run = (args: ReadonlyArray<string>, options: RunOptions) =>
  Effect.scoped(Effect.flatMap(start(args, options), (running) => running.ended))

const launch = (args: ReadonlyArray<string>, options: RunOptions): Running => {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: {
      ...process.env,
      NO_COLOR: "1",
      TMPDIR: options.temporary,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...options.env
    },
    stdio: ["pipe", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  let ended: Ended | undefined
  const waiting = new Set<() => void>()
  const notify = () => waiting.forEach((wake) => wake())
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    notify()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
    notify()
  })
  child.on("close", (code, signal) => {
    ended = { code, signal, stdout, stderr }
    notify()
  })
  child.stdin.on("error", () => {
    // A run that ends before it has read its input closes the pipe: its exit code is what the test looks at.
  })
  if (options.stdin !== null) {
    child.stdin.end(options.stdin ?? "")
  }

  const until = <A>(probe: () => A | undefined): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      const wake = () => {
        const found = probe()
        if (found !== undefined) {
          waiting.delete(wake)
          resume(Effect.succeed(found))
        } else if (ended !== undefined) {
          waiting.delete(wake)
          resume(Effect.die(new Error(`millrace ${args.join(" ")} ended: ${JSON.stringify(ended)}`)))
        }
      }
      waiting.add(wake)
      wake()
      return Effect.sync(() => waiting.delete(wake))
    })

  return {
    process: child,
    pid: child.pid!,
    ended: until(() => ended),
    says: (text) =>
      until(() => {
        const output = stdout + stderr
        const isFound = typeof text === "string" ? output.includes(text) : text.test(output)
        return isFound ? output : undefined
      }),
    kill: (signal) => Effect.sync(() => void child.kill(signal))
  }
}

/** The words of a printed command, with its quoting undone as a POSIX shell does it. */
export const wordsOf = (command: string): ReadonlyArray<string> =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
