import { assert, describe, it } from "@effect/vitest"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import * as CountersFileDescriptor from "../../src/counters/CountersFileDescriptor.ts"
import { type Counted, INTERVAL_MS, StoreCounters } from "../../src/counters/StoreCounters.ts"
import * as StoreCountersReader from "../../src/counters/StoreCountersReader.ts"
import { SyncTimes } from "../../src/internal/syncTimes.ts"

const NS_PER_MS = 1_000_000

const none: Counted = {
  putMessageCount: 0,
  putBytes: 0,
  getMessageCount: 0,
  getBytes: 0,
  refusalCount: 0,
  maxPosition: 0,
  committedPosition: 0,
  flushedPosition: 0,
  dispatchedPosition: 0,
  syncCount: 0,
  syncTimeNs: 0,
  waitingReaderCount: 0,
  isWriteable: true
}

const make = () => {
  const region = new HeapRegion("counters", CountersFileDescriptor.FILE_LENGTH)
  const syncTimes = new SyncTimes()
  const now = { counted: none, epochMs: 1_700_000_000_000 }
  const counters = new StoreCounters({
    region,
    pid: 4711,
    epochMs: () => now.epochMs,
    counted: () => now.counted,
    syncTimes
  })
  const values = () => StoreCountersReader.read(region)!
  return { region, syncTimes, now, counters, values }
}

describe("StoreCounters", () => {
  it("has all counters from the beginning", () => {
    const { now, values } = make()
    assert.strictEqual(values().size, CountersFileDescriptor.LABELS.length)
    assert.strictEqual(values().get(CountersFileDescriptor.PID), 4711)
    assert.strictEqual(values().get(CountersFileDescriptor.HEARTBEAT), now.epochMs)
    assert.strictEqual(values().get(CountersFileDescriptor.WRITEABLE), 1)
  })

  it("writes once a second what was counted, beyond 2^32 and down again", () => {
    const { counters, now, values } = make()
    const put = () => values().get(CountersFileDescriptor.PUT_BYTES)
    now.counted = { ...none, putBytes: 2 ** 40 + 5 }
    counters.doWork(INTERVAL_MS * NS_PER_MS)
    assert.strictEqual(put(), 2 ** 40 + 5)
    now.counted = { ...none, putBytes: 3, isWriteable: false }
    counters.doWork((2 * INTERVAL_MS - 1) * NS_PER_MS)
    assert.strictEqual(put(), 2 ** 40 + 5)
    counters.doWork(2 * INTERVAL_MS * NS_PER_MS)
    assert.strictEqual(put(), 3)
    assert.strictEqual(values().get(CountersFileDescriptor.WRITEABLE), 0)
  })

  it("tells the syncs of the last second that had any", () => {
    const { counters, now, syncTimes, values } = make()
    assert.strictEqual(values().get(CountersFileDescriptor.LAST_SYNCS), 0)
    syncTimes.add(2 * NS_PER_MS)
    syncTimes.add(9 * NS_PER_MS)
    counters.update()
    const ended = now.epochMs
    now.epochMs += 5000
    counters.update()
    assert.strictEqual(values().get(CountersFileDescriptor.SYNC_MAX_NS), 9 * NS_PER_MS)
    assert.strictEqual(values().get(CountersFileDescriptor.LAST_SYNCS), ended)
    assert.strictEqual(values().get(CountersFileDescriptor.HEARTBEAT), ended + 5000)
    syncTimes.add(NS_PER_MS)
    counters.update()
    assert.strictEqual(values().get(CountersFileDescriptor.SYNC_MAX_NS), NS_PER_MS)
  })
})

describe("StoreCountersReader", () => {
  it("finds nothing in bytes that are no counters of a store", () => {
    const zeros = new HeapRegion("zeros", CountersFileDescriptor.FILE_LENGTH)
    assert.isUndefined(StoreCountersReader.read(zeros))
    assert.isUndefined(StoreCountersReader.read(new HeapRegion("odd", CountersFileDescriptor.FILE_LENGTH - 8)))
    const noise = new HeapRegion("noise", CountersFileDescriptor.FILE_LENGTH)
    noise.buffer().bytes.fill(0x81)
    assert.isUndefined(StoreCountersReader.read(noise))
  })

  it("finds nothing where a value cannot be one", () => {
    const { region } = make()
    const buffer = region.buffer()
    buffer.bytes.fill(0xff, CountersFileDescriptor.FILE_LENGTH - 128, CountersFileDescriptor.FILE_LENGTH)
    assert.isUndefined(StoreCountersReader.read(region))
  })
})
