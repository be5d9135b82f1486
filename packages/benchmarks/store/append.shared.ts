/** A long append, what it costs the collector and the memory of the process, and the same bytes written plainly. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PerformanceObserver } from "node:perf_hooks"
import { runInNewContext } from "node:vm"
import { setFlagsFromString } from "node:v8"
import * as load from "./load.shared.ts"

export const BODY_LENGTH = 1024
/** About what a record of such a body takes with its key, its tag and its CRC. */
export const RECORD_LENGTH = 1168
const BATCH = 32
const BLOCK_LENGTH = 1024 * 1024

export const MEBIBYTE = 1024 * 1024
export const GIBIBYTE = 1024 * MEBIBYTE

/** Appends `count` messages and waits until they are dispatched and on the device. Returns the bytes of the log. */
export const append = (first: number, count: number): Effect.Effect<number, unknown, MessageStore.MessageStore> =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    const { maxPosition } = yield* store.status
    yield* load.put({ length: BODY_LENGTH, first, count, batch: BATCH, isDispatched: true, queues: 1 })
    yield* store.flush
    return (yield* store.status).maxPosition - maxPosition
  })

/** Writes as many bytes into a file, one block behind the other, and waits for the device. */
export const writePlainly = (bytes: number): void => {
  const path = join(fs.mkdtempSync(join(tmpdir(), "millrace-bench-")), "plain")
  const block = new Uint8Array(BLOCK_LENGTH).fill(65)
  const fd = fs.openSync(path, "wx")
  try {
    for (let at = 0; at < bytes; at += block.length) {
      fs.writeSync(fd, block)
    }
    fs.fdatasyncSync(fd)
  } finally {
    fs.closeSync(fd)
    fs.rmSync(join(path, ".."), { recursive: true })
  }
}

/** Counts collections from here on. */
export class Collections {
  count = 0
  elapsedMs = 0
  readonly #observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      this.count++
      this.elapsedMs += duration
    }
  })

  constructor() {
    this.#observer.observe({ entryTypes: ["gc"] })
  }

  /** Entries come on a later turn than the collections. */
  async end(): Promise<this> {
    await new Promise((resolve) => setTimeout(resolve, 10))
    this.#observer.disconnect()
    return this
  }
}

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

/** Bytes of the process that no file stands behind, and of V8's heap after a collection. */
export const memory = (): { readonly anonymousBytes: number | undefined; readonly heapBytes: number } => {
  collect()
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(
    fs.existsSync("/proc/self/status") ? fs.readFileSync("/proc/self/status", "utf8") : ""
  )?.[1]
  return {
    anonymousBytes: kibibytes === undefined ? undefined : Number(kibibytes) * 1024,
    heapBytes: process.memoryUsage().heapUsed
  }
}
