/** What stores of this kind have got wrong before: each test is named after what must not happen, or must. */
import { assert, describe, it } from "vitest"
import { healthOf } from "../../src/internal/storeFigures.ts"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import { CorruptLog } from "../../src/StoreError.ts"
import { fromThrown } from "../../src/internal/storeErrors.ts"
import * as OffsetByTime from "../../src/reading/OffsetByTime.ts"
import * as QueryMessage from "../../src/reading/QueryMessage.ts"
import {
  filled,
  HOUR_MS,
  idsFrom,
  LOG,
  message,
  offsetsOf,
  overwrite,
  queueOf,
  range,
  TOPIC
} from "../fixtures/NumberedMessages.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

describe("recovery", () => {
  it("takes no record for its own that is whole, but was written for another position", () => {
    const store = filled(10)
    const { maxOffset } = store.engine.commitLog
    store.kill()
    const stale = store.disk.readBytes(LOG)!.slice(0, maxOffset / 10)
    overwrite(store, LOG, maxOffset, stale)
    store.open()
    assert.strictEqual(store.engine.commitLog.maxOffset, maxOffset)
    assert.deepStrictEqual(idsFrom(store, 0), range(10))
    store.put(message(10))
    store.run(100)
    store.kill()
    assert.deepStrictEqual(idsFrom(store.open(), 0), range(11))
  })

  it("keeps records whose CRC is 0", () => {
    // CRC-32 of these four bytes is 0, and that of no bytes is as well.
    for (const body of [new Uint8Array([0x9d, 0x0a, 0xd9, 0x6d]), new Uint8Array(0)]) {
      for (const enabledAppendPropCRC of [true, false]) {
        const store = filled(1, { enabledAppendPropCRC }, { body })
        store.put(message(1), message(2))
        store.run(100)
        assert.strictEqual(store.disk.readBytes(LOG)!.slice(8, 12).join(), "0,0,0,0")
        store.kill()
        store.open()
        assert.deepStrictEqual(idsFrom(store, 1), [1, 2])
        assert.strictEqual(store.recovery.tornBytes, 0)
      }
    }
  })

  it("cuts nothing of a log from before its CRCs when they are demanded", () => {
    for (const end of ["close", "kill"] as const) {
      const store = filled(20, { enabledAppendPropCRC: false })
      const before = store.disk.readBytes(LOG)!.slice()
      store[end]()
      const strict = new SimulatedStore(1, { forceVerifyPropCRC: true }, 0, false, store.disk)
      let refused: unknown = undefined
      try {
        strict.open()
      } catch (error) {
        refused = fromThrown(error)?.reason
      }
      assert.instanceOf(refused, CorruptLog)
      assert.deepStrictEqual(store.disk.readBytes(LOG)!.slice(0, 1000), before.slice(0, 1000))
      assert.deepStrictEqual(idsFrom(store.open(), 0), range(20))
    }
  })
})

describe("a queue whose last file is empty", () => {
  for (const length of [0, 400]) {
    it(`opens with its offsets and goes on (file of ${length} bytes)`, () => {
      for (const isCleaned of [false, true]) {
        const store = filled(120)
        if (isCleaned) {
          store.nowMs += 2 * HOUR_MS
          store.hour = 4
          store.run(1000)
        }
        const { maxOffset, minOffset } = queueOf(store)
        assert.strictEqual(minOffset > 0, isCleaned)
        store.kill()
        const path = `/store/consumequeue/${TOPIC}/0/${String(maxOffset * 20).padStart(20, "0")}`
        if (!store.disk.exists(path)) {
          store.disk.create(path, length, "queue").close()
        }
        store.open()
        assert.deepStrictEqual(offsetsOf(store), { maxOffset, minOffset })
        store.put(message(120))
        store.run(100)
        assert.deepStrictEqual(idsFrom(store, minOffset), range(121 - minOffset, minOffset))
      }
    })
  }
})

describe("the length of a queue's files", () => {
  it("is rounded up to whole entries, so that none lies in two files", () => {
    const store = filled(50, { mappedFileSizeConsumeQueue: 390 })
    const lengths = store.disk.paths
      .filter((path) => path.includes("/consumequeue/"))
      .map((path) => store.disk.readBytes(path)!.length)
    assert.deepStrictEqual(lengths, [400, 400, 400])
    assert.deepStrictEqual(idsFrom(store, 0), range(50))
  })
})

describe("a put", () => {
  it("is stored while a sync runs, however long that takes", () => {
    const store = new SimulatedStore(1, { flushDiskType: "SYNC_FLUSH" }).open()
    const [first] = store.put(message(0))
    let isFlushed = false
    store.engine.flush.whenFlushed(first!.position + first!.length, () => {
      isFlushed = true
    })
    // The sync begins, and nobody ends it.
    store.engine.doWork(store.nowMs * 1e6)
    assert.isTrue(store.engine.isSyncing)
    range(100, 1).forEach((id) => store.put(message(id)))
    assert.isFalse(isFlushed)
    store.run(100)
    assert.isTrue(isFlushed)
    assert.deepStrictEqual(idsFrom(store, 0), range(101))
  })
})

describe("readers", () => {
  it("see nothing with synchronous flush that is not on the device", () => {
    const store = new SimulatedStore(1, { flushDiskType: "SYNC_FLUSH" }).open()
    store.put(message(0))
    store.engine.catchUp()
    assert.isUndefined(store.engine.queues.find(TOPIC, 0)?.queue.maxOffset || undefined)
    const cancel = store.engine.flush.whenFlushed(store.engine.commitLog.maxOffset, () => undefined)
    store.run(20)
    cancel()
    store.engine.catchUp()
    assert.deepStrictEqual(idsFrom(store, 0), [0])
  })

  it("find a rare tag behind any number of other messages, and where to go on when they stop before it", () => {
    const store = filled(2000, { mappedFileSizeCommitLog: 1 << 20, mappedFileSizeConsumeQueue: 20 * 5000 })
    store.put(message(2000, { tags: "rare" }))
    store.run(100)
    assert.deepStrictEqual(idsFrom(store, 0, TOPIC, "rare"), [2000])
  })

  it("are told where a queue begins when all of its messages are gone, and that it has none", () => {
    const store = new SimulatedStore(1).open()
    store.put(message(0, { topic: "early" }), message(1, { topic: "early" }))
    for (let id = 0; id < 200; id++) {
      store.put(message(id))
    }
    store.run(100)
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.run(1000)
    assert.deepStrictEqual(offsetsOf(store, "early"), { maxOffset: 2, minOffset: 2 })
    store.put(message(2, { topic: "early" }))
    store.run(100)
    assert.deepStrictEqual(idsFrom(store, 2, "early"), [2])
    store.kill()
    assert.deepStrictEqual(idsFrom(store.open(), 2, "early"), [2])
  })
})

describe("a query by key", () => {
  it("finds no message of another key or topic that has the same hash, and each message once", () => {
    const store = new SimulatedStore(1).open()
    store.put(
      message(0, { keys: "Aa" }),
      message(1, { keys: "BB" }),
      message(2, { keys: "Aa BB Aa", properties: { UNIQ_KEY: "Aa" } }),
      message(3, { topic: "Aa", keys: "x#Aa" })
    )
    store.run(100)
    const find = (topic: string, key: string) => {
      const found: Array<number> = []
      const request = { topic, key, countMax: 64, begin: 0, end: Number.MAX_SAFE_INTEGER }
      QueryMessage.query(store.engine.index, store.engine.commitLog, request, "any", (record) => {
        found.push(record.queueOffset)
      })
      return found.toReversed()
    }
    assert.deepStrictEqual(find(TOPIC, "Aa"), [0, 2])
    assert.deepStrictEqual(find(TOPIC, "BB"), [1, 2])
    assert.deepStrictEqual(find("Aa#x", "Aa"), [])
  })
})

describe("a search by time", () => {
  it("gives the first message of a time and the last one, and stays in the queue beyond both of its ends", () => {
    const store = new SimulatedStore(1).open()
    const times = [0, 0, 10, 10, 10, 20].map((later, id) => {
      store.nowMs = 1_700_000_000_000 + later
      return store.put(message(id))[0]!.storeTimestamp
    })
    store.run(100)
    const find = (timeMs: number, boundary: OffsetByTime.Boundary) =>
      OffsetByTime.find(store.engine.commitLog, queueOf(store), timeMs, boundary)
    const [first, , middle, , , last] = times as [number, number, number, number, number, number]
    const answers = [first - 1, first, middle - 1, middle, middle + 1, last, last + 1].map((timeMs) => [
      find(timeMs, "lower"),
      find(timeMs, "upper")
    ])
    assert.deepStrictEqual(answers, [
      [0, 0],
      [0, 1],
      [2, 1],
      [2, 4],
      [5, 4],
      [5, 5],
      [6, 5]
    ])
  })
})

describe("a device that fills up", () => {
  it("is full at the ratio that was set, however high", () => {
    for (const [ratio, isTaken] of [
      [90, false],
      [97, true]
    ] as const) {
      const store = filled(200, { cleanFileForciblyEnable: false, diskSpaceWarningLevelRatio: ratio })
      const { freeBytes, totalBytes } = store.disk.space()
      // Small files leave room for more than four of them.
      store.disk.capacityBytes = Math.round((totalBytes - freeBytes) / 0.93)
      store.run(200)
      assert.strictEqual(store.tryPut(message(200)) instanceof PutRefusal, !isTaken, `${ratio} %`)
    }
  })
})

describe("a clock that goes back", () => {
  it("takes no store time with it, so that times are found and files kept by them", () => {
    const store = filled(50)
    const { nowMs } = store
    store.nowMs -= HOUR_MS
    const [early] = store.put(message(50))
    assert.isAtLeast(early!.storeTimestamp, nowMs - 1000)
    store.run(100)
    assert.isAtMost(OffsetByTime.find(store.engine.commitLog, queueOf(store), early!.storeTimestamp, "lower"), 50)
    store.kill()
    store.open()
    const [later] = store.put(message(51))
    assert.isAtLeast(later!.storeTimestamp, early!.storeTimestamp)
  })
})

describe("records with IPv6 hosts", () => {
  it("have their store times where time searches, age and recovery look", () => {
    const hosts = { bornHost: "[2001:db8::17]:1", storeHost: "[fe80::abcd:1]:10911" }
    const store = filled(30, {}, hosts)
    const timeMs = store.nowMs
    store.nowMs += 1000
    store.put(message(30, hosts))
    store.run(100)
    const find = () => OffsetByTime.find(store.engine.commitLog, queueOf(store), timeMs + 500, "lower")
    assert.strictEqual(find(), 30)
    store.kill()
    store.open()
    assert.strictEqual(find(), 30)
    assert.deepStrictEqual(idsFrom(store, 0), range(31))
    for (let id = 31; id < 200; id++) {
      store.put(message(id, hosts))
    }
    store.run(100)
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.run(1000)
    assert.strictEqual(store.engine.commitLog.files.files.length, 1)
  })
})

describe("an index", () => {
  it("leaves no files behind while it cannot be made, however long that lasts", () => {
    const store = new SimulatedStore(1).open()
    store.disk.fault = (operation, path) => (operation === "reserve" && path.includes("/index/") ? "ENOSPC" : undefined)
    store.tryPut(message(0))
    store.run(2000)
    assert.isAtMost(store.disk.paths.filter((path) => path.includes("/index/")).length, 1)
    assert.strictEqual(healthOf(store.engine).status, "Degraded")
    store.disk.fault = () => undefined
    store.run(100)
    assert.deepStrictEqual(idsFrom(store, 0), [0])
    assert.isTrue(store.engine.health.isWriteable)
  })
})

describe("a sync that fails", () => {
  it("fails who waits, has the store take no more, and lets no later success count", () => {
    const store = new SimulatedStore(3).open()
    const onDevice: Array<number> = []
    const failures: Array<string> = []
    const put = (id: number) => {
      const outcome = store.tryPut(message(id))
      if (outcome instanceof PutRefusal) {
        return outcome.reason._tag
      }
      const [{ length, position } = { length: 0, position: 0 }] = outcome
      store.engine.flush.whenFlushed(position + length, (failure) => {
        if (failure === undefined) {
          onDevice.push(id)
        } else {
          failures.push(failure.code)
        }
      })
      return "stored"
    }
    range(10).forEach((id) => {
      assert.strictEqual(put(id), "stored")
      store.run(5)
    })
    store.disk.fault = (operation, path) => (operation === "sync" && path.includes("commitlog") ? "EIO" : undefined)
    assert.strictEqual(put(10), "stored")
    store.run(20)
    assert.deepStrictEqual(failures, ["EIO"])
    store.disk.fault = () => undefined
    store.run(500)
    assert.strictEqual(put(11), "NotWriteable")
    assert.deepStrictEqual(onDevice, range(10))
    assert.strictEqual(healthOf(store.engine).status, "Down")
    store.crash()
    assert.deepStrictEqual(idsFrom(store.open(), 0).slice(0, 10), range(10))
  })
})

describe("the time of the queues in the checkpoint", () => {
  it("does not pass entries that are not on the device, wherever their queue begins", () => {
    const store = filled(200, { mappedFileSizeConsumeQueue: 20 * 8 })
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.run(1000)
    const { maxOffset, minOffset } = queueOf(store)
    assert.isAbove(minOffset, 8)
    store.close()
    for (const path of store.disk.paths.filter((name) => name.includes("/consumequeue/"))) {
      store.disk.remove(path)
    }
    // The queue is made anew from what is left of the log, and so begins in the middle.
    store.open().run(200)
    const { logicsMsgTimestamp } = store.engine.checkpoint
    assert.isAtLeast(logicsMsgTimestamp, store.engine.commitLog.lastStoreTimestamp)
    assert.strictEqual(queueOf(store).files.flushedWhere, maxOffset * 20)
    store.crash()
    assert.deepStrictEqual(offsetsOf(store.open()), { maxOffset, minOffset })
    assert.deepStrictEqual(idsFrom(store, minOffset), range(200 - minOffset, minOffset))
  })
})
