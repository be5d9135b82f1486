/** A shell in which `millrace` is a command, as a user has one. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const BIN = join(import.meta.dirname, "../../packages/cli/src/bin.ts")
/** An example that has not ended by then hangs. */
const EXAMPLE_MS_MAX = 240_000

export interface Ended {
  readonly code: number | null
  readonly output: string
}

export class Typed {
  readonly #child: ChildProcess
  readonly #ended: Promise<Ended>
  #output = ""
  #isOver = false
  readonly #waiting = new Set<() => void>()

  constructor(child: ChildProcess) {
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text
        this.#waiting.forEach((wake) => wake())
      })
    }
    this.#ended = new Promise((resolve) => {
      child.once("close", (code) => {
        this.#isOver = true
        this.#waiting.forEach((wake) => wake())
        resolve({ code, output: this.#output })
      })
    })
  }

  /** The whole line, with everything that the shell has started for it. */
  stop(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#child.pid!, signal)
    } catch {
      // It has ended.
    }
  }

  ended(): Promise<Ended> {
    return this.#ended
  }

  /** The same, at the latest when an example has to be over. */
  async endedInTime(): Promise<Ended> {
    const timer = setTimeout(() => this.stop("SIGKILL"), EXAMPLE_MS_MAX)
    try {
      return await this.#ended
    } finally {
      clearTimeout(timer)
    }
  }

  /** Waits until it has said something that matches, or has ended. */
  says(pattern: RegExp): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        if (this.#isOver || pattern.test(this.#output)) {
          this.#waiting.delete(wake)
          resolve()
        }
      }
      this.#waiting.add(wake)
      wake()
    })
  }
}

export class Shell {
  readonly #bin: string
  readonly #typed = new Set<Typed>()

  constructor(directory: string) {
    // Groups of their own outlive this process, unless it ends them.
    process.once("exit", () => this.#typed.forEach((typed) => typed.stop("SIGKILL")))
    this.#bin = join(directory, "bin")
    mkdirSync(this.#bin)
    const shim = `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`
    writeFileSync(join(this.#bin, "millrace"), shim, { mode: 0o755 })
  }

  type(line: string, cwd: string, driver: string): Typed {
    const env = { ...process.env, NO_COLOR: "1", PATH: `${this.#bin}:${process.env["PATH"]}`, AERON_DIR: driver }
    // A group of its own, so that a signal reaches what stands before a pipe as well.
    // The shell itself goes on, to give the code of the command.
    const child = spawn("sh", ["-c", `trap : INT; ${line}`], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const typed = new Typed(child)
    this.#typed.add(typed)
    child.once("close", () => this.#typed.delete(typed))
    return typed
  }

  async run(line: string, cwd: string, driver: string): Promise<string> {
    const { code, output } = await this.type(line, cwd, driver).endedInTime()
    if (code !== 0) {
      throw new Error(`${line} ended with ${code}: ${output}`)
    }
    return output
  }
}
