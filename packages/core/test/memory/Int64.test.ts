import { Worker } from "node:worker_threads"
import { assert, describe, it } from "vitest"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import * as Int64 from "../../src/memory/Int64.ts"
import { beforeNext } from "./Meanwhile.ts"

const VALUES = [
  0,
  1,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 32 + 1,
  2 ** 53 - 1,
  2 ** 58 - 32,
  -1,
  -(2 ** 32),
  -5
]

describe("Int64", () => {
  it("reads and stores every value that a number holds exactly", () => {
    const buffer = new HeapRegion("test", 64).buffer()
    for (const before of VALUES) {
      for (const value of VALUES) {
        buffer.int64[2] = BigInt(before)
        Int64.storeExclusiveRelease(buffer, 16, value)
        assert.strictEqual(buffer.int64[2], BigInt(value))
        assert.strictEqual(Int64.loadMonotonic(buffer, 16), value)
      }
    }
    assert.deepStrictEqual([buffer.int64[1], buffer.int64[3]], [0n, 0n])
  })

  it("reads again what another thread carries from half to half meanwhile", () => {
    const buffer = new HeapRegion("test", 16).buffer()
    buffer.int64[1] = 0xffff_ffe0n
    beforeNext("load", () => (buffer.int64[1] = 0x1_0000_0020n))
    assert.strictEqual(Int64.loadMonotonic(buffer, 8), 0x1_0000_0020)
  })

  it("never reads a value that was not there while another thread carries from half to half", async () => {
    const region = new HeapRegion("test", 16)
    const buffer = region.buffer()
    // Each step carries into the high half: a torn read would be off by 2^32.
    const worker = new Worker(new URL("fixtures/carryingWorker.ts", import.meta.url), { workerData: region.memory })
    let last = 0
    let reads = 0
    const isDone = (): boolean => Atomics.load(buffer.int64, 1) === 1n
    do {
      await new Promise((resolve) => setImmediate(resolve))
      for (let count = 0; count < 10_000; count++, reads++) {
        const value = Int64.loadMonotonic(buffer, 0)
        assert(value >= last)
        assert.strictEqual(value % 0xffff_ffff, 0)
        last = value
      }
    } while (!isDone())
    assert(last > 0)
    await worker.terminate()
  })
})
