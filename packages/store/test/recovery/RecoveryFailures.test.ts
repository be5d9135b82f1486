/** What recoveries of stores of this kind have got wrong before: each test is named after what must not happen, or must. */
import { assert, describe, it } from "vitest"
import type { QueueEntry } from "../../src/consumequeue/ConsumeQueue.ts"
import { TopicConfigs } from "../../src/config/TopicConfig.ts"
import * as StorePaths from "../../src/engine/StorePaths.ts"
import * as FileNaming from "../../src/mapped/FileNaming.ts"
import { SimulatedDisk } from "../../src/mapped/SimulatedDisk.ts"
import { DamagedLog } from "../../src/recovery/Recovery.ts"
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
import { randomOf, SimulatedStore } from "../fixtures/SimulatedStore.ts"

const FILE_LENGTH = 8192

const entriesOf = (store: SimulatedStore): ReadonlyArray<QueueEntry> => {
  const queue = queueOf(store)
  return range(queue.maxOffset - queue.minOffset, queue.minOffset).map((offset) => {
    const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
    assert.isTrue(queue.read(offset, entry))
    return entry
  })
}

/** Loses the bytes of a record, from `from` of it on, on the device too. */
const lose = (store: SimulatedStore, { position, size }: QueueEntry, from = 0): void => {
  const start = Math.floor(position / FILE_LENGTH) * FILE_LENGTH
  const path = `${StorePaths.commitLog("/store")}/${FileNaming.format(start)}`
  overwrite(store, path, position - start + from, new Uint8Array(size - from))
}

const positionsOf = ({ engine }: SimulatedStore, key: string) =>
  engine.index.lookup({ topic: TOPIC, key, countMax: 64, begin: 0, end: Number.MAX_SAFE_INTEGER })

describe("entries of a queue that were cut with the log", () => {
  it("do not come back with the next crash, nor have others moved into their places", () => {
    for (const next of ["kill", "crash"] as const) {
      const store = filled(60)
      const lost = entriesOf(store).slice(-3)
      store.kill()
      lost.forEach((entry) => lose(store, entry))
      // The page cache is gone: nothing of the log's end can be relied on.
      store.disk.crashCount++
      store.open()
      assert.deepStrictEqual(offsetsOf(store), { maxOffset: 57, minOffset: 0 })
      store.put(message(57))
      store.run(200)
      store[next]()
      store.open()
      assert.deepStrictEqual(offsetsOf(store), { maxOffset: 58, minOffset: 0 })
      assert.deepStrictEqual(idsFrom(store, 0), range(58))
      const path = `/store/consumequeue/${TOPIC}/0/${FileNaming.format(Math.floor(58 / 20) * 400)}`
      assert.isTrue(
        store.disk
          .readBytes(path)!
          .subarray((58 % 20) * 20)
          .every((byte) => byte === 0)
      )
    }
  })

  it("leave a queue that begins no later than it ends, though all of its messages that were kept are gone", () => {
    const store = new SimulatedStore(1).open()
    store.put(message(0), message(1))
    range(300).forEach((id) => store.put(message(id, { topic: "other" })))
    store.run(100)
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.run(1000)
    store.hour = 12
    assert.deepStrictEqual(offsetsOf(store), { maxOffset: 2, minOffset: 2 })
    store.put(message(2))
    store.run(100)
    const [last] = entriesOf(store)
    store.kill()
    lose(store, last!)
    store.disk.crashCount++
    store.open()
    assert.deepStrictEqual(offsetsOf(store), { maxOffset: 2, minOffset: 2 })
    store.put(message(2))
    store.run(100)
    assert.deepStrictEqual(idsFrom(store, 2), [2])
  })
})

describe("a record that is torn within its properties", () => {
  it("is cut, though its body is whole", () => {
    const store = filled(20, {}, { properties: { long: "x".repeat(600) } })
    const last = entriesOf(store).at(-1)!
    store.kill()
    lose(store, last, last.size - 300)
    store.disk.crashCount++
    store.open()
    assert.strictEqual(store.recovery.tornBytes, last.size)
    assert.deepStrictEqual(idsFrom(store, 0), range(19))
  })
})

describe("a record of a queue that no directory can stand for", () => {
  for (const [what, field, bytes] of [
    ["a topic that leads out of the store", "topic", "../../evil"],
    ["a topic with a zero in it", "topic", "aaaa\0aaaaa"],
    ["a queue id below 0", "queueId", "\u00ff\u00ff\u00ff\u00ff"]
  ] as const) {
    it(`is damage, and makes none (${what})`, () => {
      const store = new SimulatedStore(1, { enabledAppendPropCRC: false }).open()
      const topic = "a".repeat(10)
      store.put(message(0, { topic }), message(1), message(2))
      store.run(100)
      store.kill()
      const at = field === "topic" ? Buffer.from(store.disk.readBytes(LOG)!).indexOf(topic) : 12
      overwrite(store, LOG, at, Buffer.from(bytes, "latin1"))
      store.disk.paths.filter((path) => path.includes("/consumequeue/")).forEach((path) => store.disk.remove(path))
      const before = store.disk.paths.toSorted()
      assert.throws(() => store.open(), /no directory can have/)
      assert.deepStrictEqual(store.disk.paths.toSorted(), before)
    })
  }

  it("is cut like any unfinished record where nothing stands behind it", () => {
    const store = new SimulatedStore(1, { enabledAppendPropCRC: false }).open()
    const topic = "a".repeat(10)
    store.put(message(0), message(1), message(0, { topic }))
    store.run(100)
    store.kill()
    overwrite(store, LOG, Buffer.from(store.disk.readBytes(LOG)!).lastIndexOf(topic), Buffer.from("../../evil"))
    store.open()
    assert.deepStrictEqual(idsFrom(store, 0), [0, 1])
    assert.isFalse(store.disk.paths.some((path) => path.includes("evil")))
  })
})

describe("what was stored and not dispatched", () => {
  it("is found by its queue and its key after the process has ended in between", () => {
    const store = filled(10)
    range(5, 10).forEach((id) => store.put(message(id)))
    store.kill()
    store.open()
    assert.deepStrictEqual(idsFrom(store, 0), range(15))
    assert.strictEqual(store.recovery.queueEntriesRebuilt, 5)
    assert.lengthOf(positionsOf(store, "key14"), 1)
  })
})

describe("the index after a crash", () => {
  it("answers for the oldest keys and the newest, however many of its files were full", () => {
    for (const end of ["close", "kill", "crash"] as const) {
      for (const count of [10, 150]) {
        const store = filled(count)
        store.run(400)
        const entries = entriesOf(store)
        store[end]()
        store.open()
        for (const id of range(count)) {
          assert.deepStrictEqual(positionsOf(store, `key${id}`), [entries[id]!.position], `key${id} after a ${end}`)
        }
      }
    }
  })
})

describe("files of config", () => {
  it("have their old content or their new one after a loss of power, never none or a part", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const disk = new SimulatedDisk({ random: randomOf(seed), later: (run) => run(), capacityBytes: 1 << 20 })
      const configs = new TopicConfigs(disk, "/store")
      configs.set("kept", 3, 1)
      let calls = 0
      // The power goes in the middle of the second write: at its first, second, … step.
      disk.fault = () => (++calls === 1 + (seed % 3) ? "EIO" : undefined)
      try {
        configs.set("kept", 4, 2)
      } catch {
        // What was refused may be there all the same.
      }
      disk.fault = () => undefined
      disk.crash()
      assert.include([3, 4], new TopicConfigs(disk, "/store").get("kept")?.writeQueueNums)
    }
  })
})

describe("the start of a store with many files", () => {
  it("reads of the log what its end needs, however long it is", () => {
    const reads = [100, 800].map((count) => {
      const store = filled(count)
      store.run(400)
      store.close()
      store.open()
      assert.deepStrictEqual(offsetsOf(store), { maxOffset: count, minOffset: 0 })
      return store.recovery.recordsRead
    })
    assert.isTrue(reads.every((count) => count <= FILE_LENGTH / 100))
  })
})

describe("a record that is damaged in a store with a transient pool that was never at rest", () => {
  for (const end of ["kill", "crash"] as const) {
    it(`is no end of the log after a ${end}, with what was on the device behind it`, () => {
      const store = new SimulatedStore(1, { transientStorePoolEnable: true }).open()
      const durable: Array<number> = []
      for (let id = 0; id < 60; id++) {
        const [put] = store.put(message(id))
        store.engine.flush.whenFlushed(put!.position + put!.length, () => durable.push(put!.position))
        store.engine.doWork(store.nowMs * 1_000_000)
        store.put(message(id))
        store.run(0)
      }
      assert.isAbove(durable.length, 50)
      store[end]()
      store.disk.flipBit(LOG, (durable[3]! + 30) * 8)
      assert.throws(() => store.open(), DamagedLog)
    })
  }
})
