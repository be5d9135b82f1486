/**
 * How long a store keeps the event loop of its process from others: while it appends under the flush, while a reader
 * catches up on a log that is not in memory, and while it recovers. A timer of one millisecond is what waits.
 */
import * as Effect from "effect/Effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { group, type Bench, type Measurement } from "#harness/Group"
import * as load from "./load.shared.ts"
import { OpenedStore } from "./opened.shared.ts"

const LENGTH = 1024
const LOG_FILE_LENGTH = 64 * 1024 * 1024
const COUNT = 400_000
const BATCH = 32
const NS_PER_MS = 1e6

/** Runs `run` and says how long it took and how late timers were meanwhile. */
const delayed = async (operations: number, run: () => Promise<unknown>): Promise<Measurement> => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const start = process.hrtime.bigint()
  await run()
  const elapsedNs = Number(process.hrtime.bigint() - start)
  // The last turn counts as well.
  await new Promise((resolve) => setTimeout(resolve, 2))
  delay.disable()
  return {
    operations,
    elapsedNs,
    figures: {
      "p99 ms": delay.percentile(99) / NS_PER_MS,
      "p99.9 ms": delay.percentile(99.9) / NS_PER_MS,
      "max ms": delay.max / NS_PER_MS
    }
  }
}

const open = (run: (store: OpenedStore, count: number, isFirst: boolean) => Promise<Measurement>): Bench => {
  const store = new OpenedStore({ mappedFileSizeCommitLog: LOG_FILE_LENGTH })
  let isFirst = true
  return {
    run: (count) => {
      const wasFirst = isFirst
      isFirst = false
      return run(store, count, wasFirst)
    },
    close: () => store.end()
  }
}

const puts = (count: number) =>
  load.put({ length: LENGTH, first: 0, count, batch: BATCH, isDispatched: true, queues: 1 })

export default group("store/eventLoop", {
  cases: {
    append: {
      bytes: LENGTH,
      count: COUNT,
      open: () =>
        open(async (store, count) => {
          await store.end()
          return delayed(count, () => store.run(puts(count)))
        })
    },
    "catch-up-cold": {
      bytes: LENGTH,
      count: COUNT,
      open: () =>
        open(async (store, count, isFirst) => {
          if (isFirst) {
            await store.run(puts(count))
          }
          if (!(await store.chill())) {
            throw new Error("dd could not have the system forget the files: the reader would find them in memory")
          }
          await store.run(Effect.void)
          return delayed(count, () => store.run(load.read(count, 1)))
        })
    },
    recovery: {
      bytes: LENGTH,
      count: COUNT,
      open: () =>
        open(async (store, count, isFirst) => {
          if (isFirst) {
            await store.run(puts(count))
          }
          await store.crash()
          return delayed(count, () => store.run(Effect.void))
        })
    }
  }
})
