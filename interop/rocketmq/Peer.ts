/**
 * A process that drives message stores, ours or the real one: one request a line, one answer a line. Both kinds of
 * process understand the same requests, so a test can hand a directory from one to the other without knowing which is which.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"

export interface PeerOptions {
  /** How reports call it: `ours`, `5.3.3`. */
  readonly name: string
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  /** Where its standard error goes. */
  readonly errorFile: string
}

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** What a peer answered in the place of a result. */
export class PeerError extends Error {}

/** A store that is closed sleeps for some seconds, and the machine may be busy. */
const ANSWER_MS = 60_000
const STOP_MS = 10_000

export class Peer {
  readonly name: string
  readonly #options: PeerOptions
  readonly #process: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #pending = new Map<number, Pending>()
  #nextId = 0

  constructor(options: PeerOptions) {
    this.name = options.name
    this.#options = options
    const errors = openSync(options.errorFile, "a")
    this.#process = spawn(options.command, options.arguments, { stdio: ["pipe", "pipe", errors] })
    closeSync(errors)
    this.#exited = once(this.#process, "exit")
    this.#process.on("error", (error) => this.#rejectAll(error))
    this.#process.on("exit", (code, signal) => this.#rejectAll(new Error(`ended with ${code ?? signal}`)))
    this.#process.stdin!.on("error", () => undefined)
    createInterface({ input: this.#process.stdout! }).on("line", (line) => this.#onAnswer(line))
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  async request<A>(op: string, fields: Readonly<Record<string, unknown>>): Promise<A> {
    if (this.#hasEnded) {
      throw new Error(`${this.name} has ended, and was asked to ${op}\n${this.#lastErrors()}`)
    }
    const id = this.#nextId++
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#process.stdin!.write(`${JSON.stringify({ id, op, ...fields })}\n`)
    })
    const timer = setTimeout(() => this.#pending.get(id)?.reject(new Error(`${this.name} does not ${op}`)), ANSWER_MS)
    try {
      return (await answer) as A
    } finally {
      clearTimeout(timer)
      this.#pending.delete(id)
    }
  }

  get #hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  #onAnswer(line: string): void {
    const answer = JSON.parse(line) as { readonly id: number; readonly result?: unknown; readonly error?: string }
    const pending = this.#pending.get(answer.id)
    if (answer.error === undefined) {
      pending?.resolve(answer.result)
    } else {
      pending?.reject(new PeerError(`${this.name}: ${answer.error}`))
    }
  }

  #rejectAll(cause: Error): void {
    for (const { reject } of this.#pending.values()) {
      reject(new Error(`${this.name} ${cause.message}\n${this.#lastErrors()}`))
    }
    this.#pending.clear()
  }

  #lastErrors(): string {
    return readFileSync(this.#options.errorFile, "utf8").split("\n").slice(-20).join("\n")
  }

  /** Ends the process as a crash would: nothing of its own runs any more. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL")
    await this.#exited
  }

  /** Ends the process, which has closed its stores. */
  async stop(): Promise<void> {
    this.#process.stdin!.end()
    const timer = setTimeout(() => this.#process.kill("SIGTERM"), STOP_MS)
    const lastTimer = setTimeout(() => this.#process.kill("SIGKILL"), 2 * STOP_MS)
    if (!this.#hasEnded) {
      await this.#exited
    }
    clearTimeout(timer)
    clearTimeout(lastTimer)
  }
}
