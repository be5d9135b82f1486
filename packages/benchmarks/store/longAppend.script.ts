/**
 * Whether memory stays flat over a long append: collections, anonymous memory and V8's heap, sixteenth by sixteenth, and
 * how late timers were. A plain write of a sixteenth of the bytes says what the disk can do.
 *
 *     node packages/benchmarks/store/longAppend.script.ts [--gib 20]
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { parseArgs } from "node:util"
import { append, Collections, GIBIBYTE, memory, MEBIBYTE, RECORD_LENGTH, writePlainly } from "./append.shared.ts"
import { OpenedStore } from "./opened.shared.ts"

const STEPS = 16
const BATCH = 32

const { values } = parseArgs({ options: { gib: { type: "string", default: "1" } } })
const total = Number(values.gib) * GIBIBYTE
const count = Math.ceil(total / STEPS / RECORD_LENGTH / BATCH) * BATCH

const mib = (bytes: number | undefined): string =>
  (bytes === undefined ? "?" : (bytes / MEBIBYTE).toFixed(1)).padStart(9)
const seconds = (start: bigint): number => Number(process.hrtime.bigint() - start) / 1e9

const store = new OpenedStore({})
try {
  const plainStart = process.hrtime.bigint()
  writePlainly(total / STEPS)
  console.log(`plain write: ${(total / STEPS / MEBIBYTE / seconds(plainStart)).toFixed(0)} MiB/s`)
  console.log("   GiB     MiB/s  collections  anonymous MiB  heap MiB")
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const all = new Collections()
  let stored = 0
  for (let step = 0; step < STEPS; step++) {
    const collections = new Collections()
    const start = process.hrtime.bigint()
    delay.enable()
    const bytes = await store.run(append(step * count, count))
    delay.disable()
    const rate = bytes / MEBIBYTE / seconds(start)
    await collections.end()
    stored += bytes
    const { anonymousBytes, heapBytes } = memory()
    const line = [
      (stored / GIBIBYTE).toFixed(2).padStart(6),
      rate.toFixed(0).padStart(9),
      String(collections.count).padStart(12)
    ]
    console.log([...line, mib(anonymousBytes).padStart(14), mib(heapBytes)].join(" "))
  }
  await all.end()
  const perGib = ((all.count - STEPS) * GIBIBYTE) / stored
  console.log(`collections: ${perGib.toFixed(0)} a GiB, ${((all.elapsedMs * GIBIBYTE) / stored).toFixed(0)} ms a GiB`)
  const [p99, p999, max] = [delay.percentile(99), delay.percentile(99.9), delay.max].map((ns) => (ns / 1e6).toFixed(1))
  console.log(`event loop: p99 ${p99} ms, p99.9 ${p999} ms, max ${max} ms`)
} finally {
  await store.end()
}
