import { assert, describe, it } from "vitest"
import type { QueueEntry } from "../../src/consumequeue/ConsumeQueue.ts"
import { decode, makeUnit } from "../../src/consumequeue/ConsumeQueueExt.ts"
import * as EntryDescriptor from "../../src/consumequeue/EntryDescriptor.ts"
import type { StoreOptions } from "../../src/engine/StoreOptions.ts"
import { verify } from "../../src/inspect/StoreVerify.ts"
import type { Finding } from "../../src/inspect/Finding.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import * as TagFilter from "../../src/reading/TagFilter.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const TAGS = ["TagA", "Aa", "BB", undefined]
/** 16 units, and the four bytes that stay free. */
const FILE_LENGTH = 20 * 16 + 4

const open = (more: Partial<StoreOptions> = {}, seed = 1) =>
  new SimulatedStore(seed, { enableConsumeQueueExt: true, ...more }).open()

const filled = (store: SimulatedStore, count: number, from = 0) => {
  for (let id = from; id < from + count; id++) {
    store.put({ topic: "topic", queueId: 0, body: Buffer.from(String(id).padEnd(200)), tags: TAGS[id % 4] })
    store.run(0)
  }
  store.run(100)
  return store
}

const queueOf = ({ engine }: SimulatedStore) => engine.queues.find("topic", 0)!.queue

/** Numbers of the messages that a filter lets through. */
const read = (store: SimulatedStore, tags: string, matchText = true): ReadonlyArray<number> => {
  const found: Array<number> = []
  const queue = queueOf(store)
  for (let offset = queue.minOffset; offset < queue.maxOffset;) {
    const limits = { countMax: 100, bytesMax: 1 << 20 }
    const filter = TagFilter.parse(tags, matchText)
    offset = GetMessage.get(store.engine.commitLog, queue, offset, limits, filter, ({ bodyAt, bytes }) => {
      found.push(Number.parseInt(Buffer.from(bytes.subarray(bodyAt, bodyAt + 9)).toString(), 10))
    }).nextOffset
  }
  return found
}

const unitPositions = (store: SimulatedStore): ReadonlyArray<number> => {
  const queue = queueOf(store)
  return Array.from({ length: queue.endSlot - queue.firstSlot }, (_, at) => queue.unitPositionOf(queue.firstSlot + at))
}

const findingsOf = ({ disk, engine }: SimulatedStore): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const { checkpoint, commitLog, queues } = engine
  const onFinding = (finding: Finding) => void findings.push(finding)
  const survival = { isWrittenDurable: true, isWrittenInOrder: true, isCacheKept: true }
  const files = { fileSystem: disk, root: "/store", checkpoint, commitLog, queues, indexFiles: [] }
  const steps = verify({ ...files, isOpen: true, survival, onFinding })
  while (steps.next().done !== true) {
    // Each step reads a part.
  }
  return findings
}

const everyFourth = (count: number, first: number, from = 0) =>
  Array.from({ length: count }, (_, id) => id + from).filter((id) => id % 4 === first)

describe("ConsumeQueueExt", () => {
  it("has a unit for each message, and the entry its address, to the byte as RocketMQ writes them", () => {
    const store = filled(open(), 2)
    const { ext, files } = queueOf(store)
    const { bytes, view } = ext!.files.files[0]!.read(0, FILE_LENGTH)
    const time = store.engine.commitLog.lastStoreTimestamp
    assert.deepStrictEqual([view.getInt16(20), view.getBigInt64(22), view.getBigInt64(30), view.getInt16(38)], [
      20,
      // Java's hash of "Aa".
      2112n,
      BigInt(time),
      0
    ] as Array<number | bigint>)
    assert.isTrue(bytes.subarray(40).every((byte) => byte === 0))
    const entries = files.files[0]!.read(0, 40).view
    const addresses = [0, 20].map((at) => entries.getBigInt64(at + EntryDescriptor.TAGS_CODE_OFFSET))
    assert.deepStrictEqual(addresses, [-(2n ** 63n), -(2n ** 63n) + 20n])
  })

  it("goes on in a new file when four bytes would not stay free, and says so where the old one ends", () => {
    const store = filled(open({ mappedFileSizeConsumeQueueExt: 20 * 3 + 7 }), 8)
    assert.deepStrictEqual(unitPositions(store), [0, 20, 40, 67, 87, 107, 134, 154])
    const [first] = queueOf(store).ext!.files.files
    assert.strictEqual(first!.read(60, 2).view.getInt16(0), -1)
    assert.deepStrictEqual(read(store, "Aa"), [1, 5])
  })

  it("finds its end by its units where no entry says where it is", () => {
    const ext = (count: number) => queueOf(filled(open({ mappedFileSizeConsumeQueueExt: FILE_LENGTH }), count)).ext!
    assert.strictEqual(ext(3).findEnd(), 3 * 20)
    // The next unit goes into the next file, and the first one says so.
    const full = ext(17)
    assert.strictEqual(full.files.files.length, 2)
    full.files.truncate(FILE_LENGTH)
    assert.strictEqual(full.findEnd(), FILE_LENGTH)
  })

  it("takes nothing for a unit that says another length of its bits than it has", () => {
    const bytes = new Uint8Array(20)
    const window = { bytes, view: new DataView(bytes.buffer), base: 0 }
    assert.isTrue(decode(window, 0, 20, makeUnit()))
    window.view.setInt16(18, 8)
    assert.isFalse(decode(window, 0, 20, makeUnit()))
  })

  it("is what tags are looked for in", () => {
    const store = filled(open(), 40)
    assert.deepStrictEqual(read(store, "TagA"), everyFourth(40, 0))
    assert.deepStrictEqual(
      read(store, "BB", false),
      [...everyFourth(40, 1), ...everyFourth(40, 2)].toSorted((a, b) => a - b)
    )
    const { ext } = queueOf(store)
    ext!.files.files[0]!.claim(22, 8).view.setBigInt64(0, 2598919n)
    // The hash in the unit decides first, then the text of the record.
    assert.deepStrictEqual(read(store, "Aa"), everyFourth(40, 1).slice(1))
  })

  it("gives entries their tags codes themselves where no unit has room", () => {
    const store = filled(open({ mappedFileSizeConsumeQueueExt: 23 }), 4)
    assert.deepStrictEqual(unitPositions(store), [-1, -1, -1, -1])
    assert.deepStrictEqual(read(store, "Aa"), [1])
  })

  it("goes on behind the last unit, however the store has ended", () => {
    for (const end of ["close", "kill", "crash"] as const) {
      for (let seed = 1; seed <= 6; seed++) {
        const store = filled(open({}, seed), 30)
        store[end]()
        filled(store.open(), 20, 30)
        assert.deepStrictEqual(read(store, "TagA"), everyFourth(50, 0))
        assert.deepStrictEqual(findingsOf(store), [])
        const taken = unitPositions(store).filter((position) => position >= 0)
        assert.strictEqual(new Set(taken).size, taken.length)
        store.kill()
      }
    }
  })

  it("leaves an entry its tags code where its unit did not reach the device", () => {
    const store = filled(open({ flushDiskType: "ASYNC_FLUSH" }), 10)
    const { ext } = queueOf(store)
    ext!.files.files[0]!.file.clear(60, 40)
    store.kill()
    store.open()
    assert.deepStrictEqual(unitPositions(store), [0, 20, 40, -1, -1, 100, 120, 140, 160, 180])
    const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
    assert.isTrue(queueOf(store).readSlot(4, entry))
    assert.strictEqual(entry.tagsCode, 2598919)
    assert.deepStrictEqual(findingsOf(store), [])
  })

  it("gives no address twice when its files are lost", () => {
    const store = filled(open(), 20)
    store.close()
    for (const { name } of store.disk.entries("/store/consumequeue_ext/topic/0")!) {
      store.disk.remove(`/store/consumequeue_ext/topic/0/${name}`)
    }
    filled(store.open(), 2, 20)
    assert.deepStrictEqual(unitPositions(store).slice(-2), [2 * FILE_LENGTH, 2 * FILE_LENGTH + 20])
    assert.deepStrictEqual(read(store, "TagA"), everyFourth(22, 0))
    assert.deepStrictEqual(findingsOf(store), [])
  })

  it("begins anew with its queue", () => {
    const store = filled(open(), 20)
    store.close()
    for (const { name } of store.disk.entries("/store/consumequeue/topic/0")!) {
      store.disk.remove(`/store/consumequeue/topic/0/${name}`)
    }
    store.open()
    assert.deepStrictEqual(unitPositions(store).slice(0, 3), [0, 20, 40])
    assert.deepStrictEqual(read(store, "Aa"), everyFourth(20, 1))
  })

  it("stays as it is in a store that is opened without it, and is read all the same beside a writer", () => {
    const store = filled(open(), 6)
    const reader = store.reader().open()
    const unit = makeUnit()
    assert.isTrue(queueOf(reader).ext!.read(queueOf(reader).unitPositionOf(1), unit))
    assert.strictEqual(unit.tagsCode, 2112)
    reader.kill()
    store.close()
    const plain = new SimulatedStore(1, {}, 0, false, store.disk).open()
    filled(plain, 2, 6)
    assert.deepStrictEqual(read(plain, "Aa"), [1, 5])
    plain.close()
    filled(store.open(), 2, 8)
    assert.deepStrictEqual(unitPositions(store), [0, 20, 40, 60, 80, 100, -1, -1, 120, 140])
    assert.deepStrictEqual(findingsOf(store), [])
  })

  it("lets go of files whose messages are gone", () => {
    const store = filled(open(), 200)
    store.nowMs += 2 * 3_600_000
    store.hour = 4
    store.run(1000)
    const { ext, minOffset } = queueOf(store)
    const [first] = unitPositions(store).slice(minOffset - queueOf(store).firstSlot)
    assert.isAbove(minOffset, 0)
    assert.isAbove(ext!.files.minOffset, 0)
    assert.isAtMost(ext!.files.minOffset, first!)
    assert.isAbove(ext!.files.minOffset + 2 * FILE_LENGTH, first!)
  })
})
