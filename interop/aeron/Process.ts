/** A program of an interop run: what it prints is waited for, and it never outlives the run. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

const directory = import.meta.dirname
const classpath = `${join(directory, "target", "classes")}:${join(directory, "target", "lib", "*")}`
const javaFlags = ["--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", classpath]
const STEP_TIMEOUT_MS = 120_000

export class Process {
  readonly name: string
  readonly child: ChildProcess
  /** Everything it has printed, on both streams. */
  output = ""
  readonly ended: Promise<number>
  #check: () => void = () => {}

  constructor(name: string, command: string, args: ReadonlyArray<string>) {
    this.name = name
    this.child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })
    // A program that is gone takes no line; whoever waits for its answer is told how it ended.
    this.child.stdin!.on("error", (error) => (this.output += `${String(error)}\n`))
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        this.output += chunk
        this.#check()
      })
    }
    this.ended = once(this.child, "close").then(([code]) => (code as number | null) ?? -1)
    running.add(this)
    void this.ended.then(() => running.delete(this))
  }

  /** Waits until it has printed this line. */
  line(text: string): Promise<void> {
    return this.#printed(() => this.output.includes(`${text}\n`), `to print "${text}"`)
  }

  /** Waits until it has printed this, be it a part of a line, behind `start` characters. */
  printed(text: string, start = 0): Promise<void> {
    return this.#printed(() => this.output.includes(text, start), `to print "${text}"`)
  }

  /** Gives it a line on its standard input. */
  say(text: string): void {
    this.child.stdin!.write(`${text}\n`)
  }

  /** Gives it a line, and waits for the line that it prints next. */
  async ask(text: string): Promise<string> {
    const start = this.output.length
    this.say(text)
    await this.#printed(() => this.output.includes("\n", start), `to answer "${text}"`)
    return this.output.slice(start, this.output.indexOf("\n", start))
  }

  /** Tells it that nothing more comes, and waits until it has ended in order. */
  async finish(): Promise<void> {
    this.child.stdin!.end()
    await this.end("")
  }

  /** Waits until it has ended in order, having printed this. */
  async end(expected: string): Promise<void> {
    const code = await this.#bounded(this.ended, "to end")
    if (code !== 0 || !this.output.includes(expected)) {
      throw new Error(`${this.name} ended with ${code}, expected "${expected}":\n${this.output}`)
    }
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal)
    await this.#bounded(this.ended, `to end after ${signal}`)
  }

  async #printed(isPrinted: () => boolean, what: string): Promise<void> {
    const printed = new Promise<void>((resolve) => {
      this.#check = () => {
        if (isPrinted()) {
          resolve()
        }
      }
      this.#check()
    })
    const early = this.ended.then((code) => {
      if (!isPrinted()) {
        throw new Error(`${this.name} ended with ${code} and did not come ${what}:\n${this.output}`)
      }
    })
    await this.#bounded(Promise.race([printed, early]), what)
  }

  async #bounded<A>(promise: Promise<A>, what: string): Promise<A> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      const message = (): string => `${this.name} took more than ${STEP_TIMEOUT_MS} ms ${what}:\n${this.output}`
      timer = setTimeout(() => reject(new Error(message())), STEP_TIMEOUT_MS)
    })
    try {
      return await Promise.race([promise, timeout])
    } finally {
      clearTimeout(timer)
    }
  }
}

const running = new Set<Process>()
process.once("exit", () => {
  for (const { child } of running) {
    child.kill("SIGKILL")
  }
})

/** Ends what a failed step left behind. */
export const killAll = (): void => {
  for (const { child } of running) {
    child.kill("SIGKILL")
  }
}

export const java = (
  name: string,
  main: string,
  args: ReadonlyArray<string>,
  properties: Readonly<Record<string, string>> = {}
): Process => {
  const settings = Object.entries(properties).map(([key, value]) => `-D${key}=${value}`)
  return new Process(`java ${name}`, "java", [...javaFlags, ...settings, main, ...args])
}

export const millrace = (name: string, args: ReadonlyArray<string>): Process =>
  new Process(`millrace ${name}`, process.execPath, [join(directory, `${name}.ts`), ...args])

const bin = join(directory, "..", "..", "packages", "cli", "src", "bin.ts")

/** The command line, as its users run it. */
export const cli = (args: ReadonlyArray<string>): Process =>
  new Process(`millrace ${args[0]}`, process.execPath, [bin, ...args])
