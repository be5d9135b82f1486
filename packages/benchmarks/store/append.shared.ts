/** A long append, what it costs the collector and the memory of the process, and the same bytes written plainly. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks"
import { runInNewContext } from "node:vm"
import { setFlagsFromString } from "node:v8"
import type { Bench } from "#harness/Group"
import * as load from "./load.shared.ts"
import { OpenedStore, type Options } from "./opened.shared.ts"

export const BODY_LENGTH = 1024
/** About what a record of such a body takes with its key, its tag and its CRC. */
export const RECORD_LENGTH = 1168
/** Messages of one put. */
export const BATCH = 32
const BLOCK_LENGTH = 1024 * 1024

const MEBIBYTE = 1024 * 1024
export const GIBIBYTE = 1024 * MEBIBYTE

/** Appends `count` messages and waits until they are dispatched and on the device. Returns the bytes of the log. */
const append = (first: number, count: number): Effect.Effect<number, unknown, MessageStore.MessageStore> =>
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
class Collections {
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
const memory = (): { readonly anonymousBytes: number | undefined; readonly heapBytes: number } => {
  collect()
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(
    fs.existsSync("/proc/self/status") ? fs.readFileSync("/proc/self/status", "utf8") : ""
  )?.[1]
  return {
    anonymousBytes: kibibytes === undefined ? undefined : Number(kibibytes) * 1024,
    heapBytes: process.memoryUsage().heapUsed
  }
}

const NS_PER_MS = 1e6

/** A store that is appended to, and begun anew when it has more than `storedMax` messages. */
export const openAppend = (options: Options, storedMax: number): Bench => {
  const store = new OpenedStore(options)
  let stored = 0
  return {
    run: async (count) => {
      if (stored > storedMax) {
        await store.end()
        stored = 0
      }
      const delay = monitorEventLoopDelay({ resolution: 1 })
      const collections = new Collections()
      delay.enable()
      const start = process.hrtime.bigint()
      const bytes = await store.run(append(stored, count))
      const elapsedNs = Number(process.hrtime.bigint() - start)
      delay.disable()
      await collections.end()
      stored += count
      const { anonymousBytes, heapBytes } = memory()
      return {
        operations: count,
        elapsedNs,
        figures: {
          "collections/GiB": (collections.count * GIBIBYTE) / bytes,
          "collecting ms/GiB": (collections.elapsedMs * GIBIBYTE) / bytes,
          ...(anonymousBytes === undefined ? {} : { "anonymous MiB": anonymousBytes / MEBIBYTE }),
          "heap MiB": heapBytes / MEBIBYTE,
          "timers late p99 ms": delay.percentile(99) / NS_PER_MS,
          "timers late max ms": delay.max / NS_PER_MS
        }
      }
    },
    close: () => store.end()
  }
}
