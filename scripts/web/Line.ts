/** A driver with traffic, a store that is written, and `millrace web` over both: as processes, as a user starts them. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const BIN = join(import.meta.dirname, "../../packages/cli/src/bin.ts")
const START_MS_MAX = 60_000
/** A channel that would be markup, if it were taken for it. */
export const HOSTILE = "<img src=x onerror=alert(1)>"

export class Line {
  readonly #directory = mkdtempSync(join(tmpdir(), "millrace-web-"))
  readonly #children: Array<ChildProcess> = []

  get driver(): string {
    return join(this.#directory, "driver")
  }

  get store(): string {
    return join(this.#directory, "store")
  }

  /** Starts a command; gives what it says first that matches. */
  start(args: ReadonlyArray<string>, ready: RegExp, input?: (child: ChildProcess) => void): Promise<RegExpExecArray> {
    const child = spawn(process.execPath, [BIN, ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      cwd: this.#directory,
      env: { ...process.env, NO_COLOR: "1" }
    })
    this.#children.push(child)
    child.stdin.on("error", () => {})
    input?.(child)
    return new Promise((resolve, reject) => {
      let output = ""
      const timer = setTimeout(() => reject(new Error(`millrace ${args.join(" ")}: ${output}`)), START_MS_MAX)
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          output = (output + text).slice(-4096)
          const found = ready.exec(output)
          if (found !== null) {
            clearTimeout(timer)
            resolve(found)
          }
        })
      }
      child.once("exit", (code) => reject(new Error(`millrace ${args.join(" ")} ended with ${code}: ${output}`)))
    })
  }

  /** Streams that move, one of them with a name that nobody should have, and a store that grows. */
  async traffic(): Promise<void> {
    const { driver, store } = this
    await this.start(["driver", "--dir", driver], /is ready/)
    for (const [channel, stream, lines] of [
      ["aeron:ipc", "1001", 2000],
      [`aeron:ipc?alias=${HOSTILE}`, "1002", 500]
    ] as const) {
      const place = ["--dir", driver, "--channel", channel, "--stream", stream]
      const text = Array.from({ length: lines }, (_, n) => `line ${n} of a text that is told again and again\n`).join(
        ""
      )
      const reading = this.start(["subscribe", ...place, "--stats"], /messages\/s/)
      void this.start(["publish", ...place], /published/, (child) => {
        const timer = setInterval(() => child.stdin?.write(text), 150)
        child.once("exit", () => clearInterval(timer))
      }).catch(() => {})
      await reading
    }
    const puts = (from: number) =>
      Array.from(
        { length: 400 },
        (_, n) => `{"id":${from + n},"topic":"${n % 4 === 0 ? "quotes" : "trades"}","text":"${n}"}\n`
      )
    let written = 0
    await this.start(["store", "import", store], /"id":/, (child) => {
      const timer = setInterval(() => {
        child.stdin?.write(puts(written).join(""))
        written += 400
      }, 200)
      child.once("exit", () => clearInterval(timer))
    })
  }

  /** Serves the page; gives its address. */
  async web(port = 0): Promise<string> {
    const { driver, store } = this
    const args = ["web", "--dir", driver, "--store", store, "--interval", "0.25", "--port", String(port), "--json"]
    const [json] = await this.start(args, /^\{.*\}$/m)
    return (JSON.parse(json) as { readonly url: string }).url
  }

  /** Ends the command that was started last, at once. */
  async killLast(): Promise<void> {
    const child = this.#children.pop()!
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await ended
  }

  async close(): Promise<void> {
    while (this.#children.length > 0) {
      const isRunning = this.#children.at(-1)!.exitCode === null && this.#children.at(-1)!.signalCode === null
      if (isRunning) {
        await this.killLast()
      } else {
        this.#children.pop()
      }
    }
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
