/** A store in a directory of its own, opened and closed as a benchmark says. The directory goes with its end. */
import * as MessageStore from "@millrace/store/MessageStore"
import type { MessageStoreOptions } from "@millrace/store/MessageStoreConfig"
import type * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export type Options = Omit<MessageStoreOptions, "directory">
type Runtime = ManagedRuntime.ManagedRuntime<MessageStore.MessageStore, unknown>

export class OpenedStore {
  readonly #options: Options
  #directory = ""
  #runtime: Runtime | undefined = undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Also when the process ends before the benchmark does: a log may have gigabytes. */
  readonly #remove = (): void => fs.rmSync(this.#directory, { recursive: true, force: true })

  /** Opens the store where it is not open, and runs a program with it. */
  run<A>(program: Effect.Effect<A, unknown, MessageStore.MessageStore>): Promise<A> {
    if (this.#directory === "") {
      this.#directory = fs.mkdtempSync(join(tmpdir(), "millrace-bench-"))
      process.once("exit", this.#remove)
    }
    this.#runtime ??= ManagedRuntime.make(MessageStore.layer({ ...this.#options, directory: this.#directory }))
    return this.#runtime.runPromise(program)
  }

  async close(): Promise<void> {
    await this.#runtime?.dispose()
    this.#runtime = undefined
  }

  /** Closes the store and leaves it as a process that was killed does. */
  async crash(): Promise<void> {
    await this.close()
    fs.writeFileSync(join(this.#directory, "abort"), "")
  }

  /** Closes the store and has the system forget what it keeps of its files in memory. False where it cannot. */
  async chill(): Promise<boolean> {
    await this.close()
    return fs
      .readdirSync(this.#directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .every(({ name, parentPath }) => {
        const arguments_ = [`if=${join(parentPath, name)}`, "iflag=nocache", "count=0", "status=none"]
        return spawnSync("dd", arguments_).status === 0
      })
  }

  /** Closes the store and removes all of it: the next program gets a new one. */
  async end(): Promise<void> {
    await this.close()
    if (this.#directory !== "") {
      process.off("exit", this.#remove)
      this.#remove()
      this.#directory = ""
    }
  }
}
