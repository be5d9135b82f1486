import { assert, describe, it } from "vitest"
import * as MessageCheck from "../../src/commitlog/MessageCheck.ts"
import type { MessageInput } from "../../src/commitlog/MessageInput.ts"
import * as SysFlag from "../../src/commitlog/SysFlag.ts"
import * as BatchEntryDescriptor from "../../src/consumequeue/BatchEntryDescriptor.ts"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"
import { ForeignFile } from "../../src/mapped/MappedFileQueue.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import * as OffsetByTime from "../../src/reading/OffsetByTime.ts"
import * as TagFilter from "../../src/reading/TagFilter.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const DIRECTORY = "/store/batchconsumequeue/batches/0"
const FIRST_FILE = `${DIRECTORY}/00000000000000000000`
const PER_FILE = 8
const HOUR_MS = 3_600_000

const batch = (count: number, more?: Partial<MessageInput>): MessageInput => ({
  topic: "batches",
  queueId: 0,
  body: Buffer.from(`a batch of ${count}`),
  tags: "tag",
  sysFlag: SysFlag.INNER_BATCH,
  properties: { INNER_NUM: String(count) },
  ...more
})

const plain: MessageInput = { topic: "topic", queueId: 0, body: new Uint8Array(300), keys: "key" }

const openBatches = (store: SimulatedStore): SimulatedStore => {
  store.open()
  store.engine.queues.topic("batches").isBatch = true
  return store
}

const stateOf = ({ engine }: SimulatedStore) => engine.queues.find("batches", 0)!

/** Puts batches of these sizes, each five milliseconds after the one before. */
const fill = (store: SimulatedStore, counts: ReadonlyArray<number>) => {
  for (const count of counts) {
    store.put(batch(count), plain)
    store.run(0)
  }
  store.run(100)
}

const read = (store: SimulatedStore, offset: number, countMax = 1000, filter?: TagFilter.TagFilter) => {
  const offsets: Array<number> = []
  const limits = { countMax, bytesMax: 1 << 20 }
  const { queue } = stateOf(store)
  const outcome = GetMessage.get(store.engine.commitLog, queue, offset, limits, filter, (record, queueOffset) => {
    assert.strictEqual(record.queueOffset, queueOffset)
    offsets.push(queueOffset)
  })
  return { ...outcome, offsets }
}

/** Offsets of all batches, read as a consumer does. */
const readAll = (store: SimulatedStore): ReadonlyArray<number> => {
  const found: Array<number> = []
  const { queue } = stateOf(store)
  for (let offset = queue.minOffset; offset < queue.maxOffset;) {
    const { nextOffset, offsets } = read(store, offset)
    found.push(...offsets)
    assert.isAbove(nextOffset, offset)
    offset = nextOffset
  }
  return found
}

const basesOf = (counts: ReadonlyArray<number>, from = 0): ReadonlyArray<number> =>
  counts.map((_, index) => from + counts.slice(0, index).reduce((sum, count) => sum + count, 0))

const COUNTS = [3, 1, 5, 2, 7, 1, 1, 4, 32, 10, 2]
const TOTAL = 68

describe("a topic with batch consume queues", () => {
  it("gives each message of a batch an offset, and its record says which is the first", () => {
    const store = openBatches(new SimulatedStore(1))
    const results = store.put(batch(3), batch(2), batch(1, { queueId: 1 }), batch(4))
    assert.deepStrictEqual(
      results.map(({ queueId, queueOffset }) => [queueId, queueOffset]),
      [
        [0, 0],
        [0, 3],
        [1, 0],
        [0, 5]
      ]
    )
    store.run(50)
    assert.strictEqual(stateOf(store).nextOffset, 9)
    const bases: Array<string | undefined> = []
    const { queue } = stateOf(store)
    const limits = { countMax: 100, bytesMax: 1 << 20 }
    GetMessage.get(store.engine.commitLog, queue, 0, limits, undefined, (record) => {
      bases.push(record.decodeProperties()["INNER_BASE"])
    })
    assert.deepStrictEqual(bases, ["0", "3", "5"])
  })

  it("writes RocketMQ's entries of 46 bytes", () => {
    const store = openBatches(new SimulatedStore(1))
    const storeTimestamp = store.nowMs
    const [first, second] = store.put(batch(3), batch(2))
    store.run(50)
    const { base, view } = stateOf(store).queue.files.files[0]!.read(0, 2 * BatchEntryDescriptor.LENGTH)
    const entryAt = (at: number) => [
      view.getBigInt64(at),
      view.getInt32(at + 8),
      view.getBigInt64(at + 12),
      view.getBigInt64(at + 20),
      view.getBigInt64(at + 28),
      view.getInt16(at + 36),
      view.getInt32(at + 38),
      view.getInt32(at + 42)
    ]
    // Java's hash of "tag".
    const tagsCode = 114586n
    const at = -base
    assert.deepStrictEqual(entryAt(at), [0n, first!.length, tagsCode, BigInt(storeTimestamp), 0n, 3, -1, 0])
    const position = BigInt(second!.position)
    assert.deepStrictEqual(entryAt(at + 46), [position, second!.length, tagsCode, BigInt(storeTimestamp), 3n, 2, -1, 0])
  })

  it("takes a batch whose properties are bytes", () => {
    const store = openBatches(new SimulatedStore(1))
    store.put(
      batch(5),
      batch(2, { tags: undefined, rawProperties: Utf8.encode("INNER_NUM\u00012\u0002INNER_BASE\u00019") })
    )
    store.run(50)
    assert.deepStrictEqual(read(store, 5).offsets, [5])
    assert.strictEqual(stateOf(store).queue.maxOffset, 7)
  })

  it("takes other messages as well, and batches that do not say how many they have, as one message each", () => {
    const store = openBatches(new SimulatedStore(1))
    const other = { ...plain, topic: "batches" }
    store.put(batch(3), other, batch(1, { properties: {} }))
    assert.isNotTrue(store.engine.putBatch([other, other], store.nowMs) instanceof PutRefusal)
    store.put(batch(2))
    store.run(50)
    assert.deepStrictEqual(readAll(store), [0, 3, 4, 5, 6, 7])
    store.kill()
    store.open()
    assert.deepStrictEqual(readAll(store), [0, 3, 4, 5, 6, 7])
    assert.strictEqual(stateOf(store).nextOffset, 9)
  })

  it("is read by any offset of a batch, as whole batches, across files", () => {
    const store = openBatches(new SimulatedStore(1))
    fill(store, COUNTS)
    const bases = basesOf(COUNTS)
    assert.strictEqual(stateOf(store).queue.files.files.length, 2)
    assert.deepStrictEqual(readAll(store), bases)
    for (let offset = TOTAL - 1; offset >= 0; offset--) {
      const base = bases.findLast((one) => one <= offset)!
      assert.strictEqual(read(store, offset).offsets[0], base)
      assert.strictEqual(stateOf(store).queue.offsetOf(stateOf(store).queue.slotOf(offset)), base)
    }
    assert.strictEqual(read(store, TOTAL).status, "OFFSET_OVERFLOW_ONE")
    assert.strictEqual(read(store, TOTAL + 1).status, "OFFSET_OVERFLOW_BADLY")
  })

  it("gives no more messages than asked for, but for a first batch that has more", () => {
    const store = openBatches(new SimulatedStore(1))
    fill(store, COUNTS)
    assert.deepStrictEqual(read(store, 0, 9).offsets, [0, 3, 4])
    assert.deepStrictEqual(read(store, 0, 10).offsets, [0, 3, 4])
    assert.strictEqual(read(store, 0, 10).count, 9)
    assert.strictEqual(read(store, 0, 10).nextOffset, 9)
    assert.deepStrictEqual(read(store, 5, 1).offsets, [4])
    assert.strictEqual(read(store, 5, 1).nextOffset, 9)
  })

  it("is filtered by the tags of the batches", () => {
    const store = openBatches(new SimulatedStore(1))
    store.put(batch(3), batch(2, { tags: "other" }), batch(4))
    store.run(50)
    assert.deepStrictEqual(read(store, 0, 100, TagFilter.parse("other", true)).offsets, [3])
    assert.strictEqual(read(store, 5, 100, TagFilter.parse("other", true)).status, "NO_MATCHED_MESSAGE")
    assert.strictEqual(read(store, 5, 100, TagFilter.parse("other", true)).nextOffset, 9)
  })

  it("finds the first offset of the batch of every time", () => {
    const store = openBatches(new SimulatedStore(1))
    const begin = store.nowMs
    fill(store, COUNTS)
    const bases = basesOf(COUNTS)
    const find = (timeMs: number, boundary: OffsetByTime.Boundary) =>
      OffsetByTime.find(store.engine.commitLog, stateOf(store).queue, timeMs, boundary)
    bases.forEach((base, index) => {
      assert.strictEqual(find(begin + 5 * index, "lower"), base)
      assert.strictEqual(find(begin + 5 * index, "upper"), base)
      assert.strictEqual(find(begin + 5 * index + 1, "lower"), bases[index + 1] ?? TOTAL)
      assert.strictEqual(find(begin + 5 * index - 1, "upper"), bases[Math.max(0, index - 1)])
    })
  })

  it("refuses what its queues cannot hold, and batches elsewhere", () => {
    const store = openBatches(new SimulatedStore(1, { enableLmq: true, enableMultiDispatch: true }))
    const codeOf = (...messages: ReadonlyArray<MessageInput>) => {
      const refused = store.tryPut(...messages)
      assert.instanceOf(refused, PutRefusal)
      assert.strictEqual(refused.reason._tag, "Illegal")
      return refused.reason._tag === "Illegal" ? [refused.reason.index, refused.reason.code] : []
    }
    assert.deepStrictEqual(codeOf(plain, batch(2, { topic: "topic" })), [1, MessageCheck.INNER_BATCH])
    for (const num of ["", "0", "-1", "1.5", "32768", "x"]) {
      assert.deepStrictEqual(codeOf(batch(1, { properties: { INNER_NUM: num } })), [0, MessageCheck.INNER_NUM_ILLEGAL])
    }
    assert.deepStrictEqual(codeOf({ ...plain, properties: { INNER_NUM: "1" } }), [0, MessageCheck.INNER_NUM_ILLEGAL])
    const prepared = SysFlag.INNER_BATCH | SysFlag.TRANSACTION_PREPARED
    assert.deepStrictEqual(codeOf(batch(1, { sysFlag: prepared })), [0, MessageCheck.BATCH_TRANSACTION])
    const outcome = store.engine.putBatch([batch(1)], store.nowMs)
    assert.instanceOf(outcome, PutRefusal)
    assert.deepInclude(outcome.reason, { index: 0, code: MessageCheck.INNER_BATCH })
    assert.strictEqual(store.put(batch(32767), batch(1))[1]!.queueOffset, 32767)
  })

  it("gives back the offsets of batches that the device has no room for", () => {
    const store = openBatches(new SimulatedStore(1, { mappedFileSizeCommitLog: 4096 }, 40_000))
    let refusal: PutRefusal | undefined = undefined
    let expected = 0
    for (let round = 0; round < 100 && refusal === undefined; round++) {
      const outcome = store.tryPut(batch(3, { body: new Uint8Array(1500) }), batch(2, { body: new Uint8Array(1500) }))
      if (outcome instanceof PutRefusal) {
        refusal = outcome
        expected += outcome.stored.length === 0 ? 0 : 3
      } else {
        expected += 5
      }
    }
    assert.isDefined(refusal)
    assert.strictEqual(stateOf(store).nextOffset, expected)
  })
})

describe("batch consume queues that are opened again", () => {
  it("go on where they ended, after a clean exit, a kill and a crash", () => {
    for (const end of ["close", "kill", "crash"] as const) {
      const store = openBatches(new SimulatedStore(1))
      fill(store, COUNTS)
      store[end]()
      store.open()
      assert.isTrue(store.engine.queues.isBatch("batches"))
      assert.strictEqual(stateOf(store).nextOffset, TOTAL, end)
      assert.deepStrictEqual(readAll(store), basesOf(COUNTS))
      fill(store, [6, 2])
      assert.deepStrictEqual(readAll(store), [...basesOf(COUNTS), TOTAL, TOTAL + 6])
    }
  })

  it("read nothing again after a clean exit", () => {
    const store = openBatches(new SimulatedStore(1))
    fill(store, COUNTS)
    store.close()
    const { recovery } = store.open()
    assert.strictEqual(recovery.queueEntriesCut, 0)
    assert.strictEqual(recovery.queueEntriesRebuilt, 0)
  })

  it("are made anew from the log, though nobody says what type the topic has", () => {
    for (const end of ["close", "kill"] as const) {
      const store = openBatches(new SimulatedStore(1))
      fill(store, COUNTS)
      store[end]()
      for (const name of ["00000000000000000000", "00000000000000000368"]) {
        store.disk.remove(`${DIRECTORY}/${name}`)
      }
      store.disk.removeDirectory(DIRECTORY)
      store.open()
      assert.strictEqual(store.recovery.queueEntriesRebuilt, COUNTS.length)
      assert.deepStrictEqual(readAll(store), basesOf(COUNTS))
    }
  })

  it("are cut with the log, and what was cut does not come back", () => {
    const store = openBatches(new SimulatedStore(1))
    fill(store, [3, 4])
    const [last] = store.put(batch(5))
    store.run(100)
    store.kill()
    const file = store.disk.open("/store/commitlog/00000000000000000000", 8192)
    file.clear(last!.position, last!.length)
    file.close()
    store.open()
    assert.strictEqual(store.recovery.queueEntriesCut, 1)
    assert.strictEqual(stateOf(store).nextOffset, 7)
    assert.deepStrictEqual(readAll(store), [0, 3])
    fill(store, [1])
    assert.deepStrictEqual(readAll(store), [0, 3, 7])
  })

  it("survive any crash of the machine with what was on the device", () => {
    for (let seed = 1; seed <= 12; seed++) {
      const store = openBatches(new SimulatedStore(seed))
      fill(store, COUNTS)
      store.put(batch(9), batch(8), batch(7))
      store.run(seed % 3 === 0 ? 5 : 0)
      store.crash()
      store.open()
      const found = readAll(store)
      const all = basesOf([...COUNTS, 9, 8, 7])
      assert.deepStrictEqual(found, all.slice(0, found.length))
      assert.isAtLeast(found.length, COUNTS.length)
      assert.strictEqual(stateOf(store).nextOffset, stateOf(store).queue.maxOffset)
      store.kill()
    }
  })

  it("lose their first files with the log's", () => {
    const store = openBatches(new SimulatedStore(1))
    const counts = Array.from({ length: 40 }, (_, index) => 1 + (index % 3))
    fill(store, counts)
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.run(2000)
    const { queue } = stateOf(store)
    const bases = basesOf(counts)
    assert.isAbove(queue.files.minOffset, 0)
    assert.isAtLeast(bases.indexOf(queue.minOffset), PER_FILE)
    assert.deepStrictEqual(readAll(store), bases.slice(bases.indexOf(queue.minOffset)))
    const { nextOffset, status } = read(store, 0)
    assert.deepStrictEqual({ nextOffset, status }, { nextOffset: queue.minOffset, status: "OFFSET_TOO_SMALL" })
    const { minOffset } = queue
    store.close()
    store.open()
    assert.strictEqual(stateOf(store).queue.minOffset, minOffset)
    assert.deepStrictEqual(readAll(store), bases.slice(bases.indexOf(minOffset)))
  })

  it("are followed by a reader beside their writer", () => {
    const writer = openBatches(new SimulatedStore(1))
    fill(writer, [3])
    const reader = writer.reader().open()
    reader.run(700)
    assert.deepStrictEqual(readAll(reader), [0])
    fill(writer, COUNTS)
    reader.run(700)
    assert.deepStrictEqual(readAll(reader), [0, ...basesOf(COUNTS, 3)])
    assert.strictEqual(stateOf(reader).queue.maxOffset, 3 + TOTAL)
    fill(writer, [2, 2])
    reader.run(700)
    assert.strictEqual(stateOf(reader).queue.maxOffset, 7 + TOTAL)
  })

  it("are refused beside plain queues of the same topic", () => {
    const store = openBatches(new SimulatedStore(1))
    fill(store, [1])
    store.close()
    store.disk.makeDirectory("/store/consumequeue/batches/0")
    store.open()
    assert.deepStrictEqual(readAll(store), [0])
    store.close()
    store.disk.create("/store/consumequeue/batches/0/00000000000000000000", 400, "queue").close()
    assert.throws(() => store.open(), ForeignFile)
    assert.isTrue(store.disk.exists(FIRST_FILE))
  })
})
