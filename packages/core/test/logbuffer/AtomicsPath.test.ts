import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import * as Fence from "../../src/memory/Fence.ts"
import { loadAcquire, storeRelease } from "../../src/memory/Ordering.ts"
import * as LogModelSuite from "./LogModelSuite.ts"
import * as MessageAppenderContract from "./MessageAppenderContract.ts"

// Before any import: the kernels take the path of a processor that keeps no order by itself.
vi.hoisted(() => Object.defineProperty(process, "arch", { value: "arm64" }))

describe("ordered access where plain accesses are not ordered", () => {
  it("goes through Atomics", () => {
    // Only Atomics refuses an array of doubles.
    const doubles = new Float64Array(1) as unknown as Int32Array
    assert.throws(() => loadAcquire(doubles, 0), TypeError)
    assert.throws(() => storeRelease(doubles, 0, 1), TypeError)
  })

  it("fences by a store and a load that no access passes", () => {
    const stores = vi.spyOn(Atomics, "store")
    const loads = vi.spyOn(Atomics, "load")
    for (const fence of [Fence.stores, Fence.loads]) {
      fence()
    }
    assert.deepStrictEqual([stores.mock.calls.length, loads.mock.calls.length], [2, 2])
    vi.restoreAllMocks()
  })
})

MessageAppenderContract.suite("TermAppender with Atomics", (log) => new TermAppender(log))
MessageAppenderContract.suite("ExclusiveTermAppender with Atomics", (log) => new ExclusiveTermAppender(log))
LogModelSuite.suite("Atomics")
