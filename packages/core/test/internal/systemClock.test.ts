import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "vitest"
import { systemClock } from "../../src/internal/systemClock.ts"

const NS_PER_MS = 1_000_000

describe("systemClock", () => {
  it("never goes back and counts whole nanoseconds", () => {
    let last = systemClock.nanoTime()
    for (let count = 0; count < 100_000; count++) {
      const now = systemClock.nanoTime()
      assert(Number.isSafeInteger(now) && now >= last)
      last = now
    }
  })

  it("is the machine's monotonic clock", () => {
    const before = Number(process.hrtime.bigint())
    const now = systemClock.nanoTime()
    assert(now >= before - NS_PER_MS && now <= Number(process.hrtime.bigint()) + NS_PER_MS)
  })

  it("is the same in every thread", async () => {
    const worker = new Worker(new URL("fixtures/clockWorker.ts", import.meta.url))
    const before = systemClock.nanoTime()
    const [inWorker] = (await once(worker, "message")) as [number]
    const after = systemClock.nanoTime()
    assert(inWorker >= before - NS_PER_MS && inWorker <= after + NS_PER_MS)
    await worker.terminate()
  })

  it("tells the time of day", () => {
    const before = Date.now()
    const now = systemClock.epochMs()
    assert(now >= before && now <= Date.now())
  })
})
