import { assert, describe, it } from "vitest"
import * as StorePaths from "../../src/engine/StorePaths.ts"
import * as FileNaming from "../../src/mapped/FileNaming.ts"
import { DamagedLog } from "../../src/recovery/Recovery.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const ROOT = "/store"
const FILE_LENGTH = 8192
const BODY_LENGTH = 200

const message = (id: number, more: { readonly topic?: string; readonly queueId?: number } = {}) => ({
  topic: "topic",
  queueId: 0,
  body: Buffer.from(String(id).padEnd(BODY_LENGTH)),
  keys: `key${id}`,
  ...more
})

const logFile = (position: number) => `${StorePaths.commitLog(ROOT)}/${FileNaming.format(position)}`
const queueFile = (position: number, topic = "topic", queueId = 0) =>
  `${StorePaths.consumeQueues(ROOT)}/${topic}/${queueId}/${FileNaming.format(position)}`

/** A store with `count` messages, dispatched and flushed, in several files. */
const filled = (count: number) => {
  const store = new SimulatedStore(1).open()
  const results = Array.from({ length: count }, (_, id) => store.put(message(id))[0]!)
  store.run(300)
  return { store, results }
}

const idsOf = (store: SimulatedStore, topic = "topic", queueId = 0) => {
  const queue = store.engine.queues.find(topic, queueId)?.queue
  const ids: Array<number> = []
  for (let offset = queue?.minOffset ?? 0; queue !== undefined && offset < queue.maxOffset;) {
    const limits = { countMax: 100, bytesMax: 1 << 20 }
    offset = GetMessage.get(store.engine.commitLog, queue, offset, limits, undefined, (record) =>
      ids.push(Number(Buffer.from(record.bytes.subarray(record.bodyAt, record.bodyAt + record.bodyLength)).toString()))
    ).nextOffset
  }
  return ids
}

const range = (count: number) => Array.from({ length: count }, (_, id) => id)

const positionsOf = ({ engine }: SimulatedStore, key: string) =>
  engine.index.lookup({ topic: "topic", key, countMax: 10, begin: 0, end: Number.MAX_SAFE_INTEGER })

const zero = (store: SimulatedStore, path: string, from: number, to: number) => {
  const file = store.disk.open(path, store.disk.readBytes(path)!.length)
  file.reserve(0, file.length)
  file.claim(0, file.length).bytes.fill(0, from, to)
  file.sync(0, file.length)
  file.close()
}

const damaged = (store: SimulatedStore): DamagedLog => {
  try {
    store.open()
  } catch (error) {
    assert.instanceOf(error, DamagedLog)
    return error
  }
  throw new Error("the store opened")
}

describe("Recovery", () => {
  it("cuts a torn last record, and its queue entry, and goes on behind what is whole", () => {
    const { results, store } = filled(100)
    const last = results.at(-1)!
    const file = Math.floor(last.position / FILE_LENGTH) * FILE_LENGTH
    store.kill()
    zero(store, logFile(file), last.position - file + 60, last.position - file + last.length)
    store.open()
    assert.strictEqual(store.recovery.exit, "crash")
    assert.strictEqual(store.recovery.tornBytes, last.length)
    assert.strictEqual(store.recovery.queueEntriesCut, 1)
    assert.deepStrictEqual(idsOf(store), range(99))
    const [again] = store.put(message(99))
    assert.strictEqual(again!.queueOffset, 99)
    store.run(50)
    assert.deepStrictEqual(idsOf(store), range(100))
    assert.deepStrictEqual(positionsOf(store, "key99"), [again!.position])
  })

  it("makes what it cuts invalid, so that no later crash brings it back", () => {
    const { results, store } = filled(40)
    const [torn, behind] = results.slice(-2)
    const file = Math.floor(torn!.position / FILE_LENGTH) * FILE_LENGTH
    assert.isAtMost(behind!.position + behind!.length, file + FILE_LENGTH)
    store.kill()
    // A power failure that kept the last record and lost the one before it.
    zero(store, logFile(file), torn!.position - file, torn!.position - file + torn!.length)
    store.disk.crashCount++
    zero(store, StorePaths.checkpoint(ROOT), 0, 40)
    store.open()
    assert.deepStrictEqual(idsOf(store), range(38))
    // As long as the lost record: what stood behind it would fit right behind the new one.
    store.put(message(38))
    store.run(50)
    store.kill()
    store.open()
    assert.deepStrictEqual(idsOf(store), range(39))
    assert.strictEqual(store.recovery.maxPosition, behind!.position)
  })

  it("refuses a log with a bad record before good ones, and changes nothing", () => {
    const { results, store } = filled(100)
    const bad = results[50]!
    const file = Math.floor(bad.position / FILE_LENGTH) * FILE_LENGTH
    store.kill()
    store.disk.flipBit(logFile(file), (bad.position - file + 100) * 8)
    const before = store.disk.paths.map((path) => [path, Buffer.from(store.disk.readBytes(path)!).toString("hex")])
    const error = damaged(store)
    assert.strictEqual(error.position, bad.position)
    assert.strictEqual(error.file, logFile(file))
    assert.isAbove(error.validBehind, bad.position)
    assert.deepStrictEqual(
      store.disk.paths.map((path) => [path, Buffer.from(store.disk.readBytes(path)!).toString("hex")]),
      before
    )
  })

  it("refuses a record with a queue offset that its log is too short for, where no CRC covers it", () => {
    const store = new SimulatedStore(1, { enabledAppendPropCRC: false }).open()
    const results = range(100).map((id) => store.put(message(id))[0]!)
    store.run(300)
    store.kill()
    const bad = results[90]!
    const file = Math.floor(bad.position / FILE_LENGTH) * FILE_LENGTH
    // A bit of the queue offset's upper half: believed, it would have the queue filled with a billion entries.
    store.disk.flipBit(logFile(file), (bad.position - file + 23) * 8 + 6)
    const { position, reason } = damaged(store)
    assert.strictEqual(position, bad.position)
    assert.strictEqual(reason, "a queue offset that no log of this length can have")
  })

  it("refuses damage after a clean end as well, in the part that it reads", () => {
    const { results, store } = filled(100)
    const bad = results.at(-2)!
    const file = Math.floor(bad.position / FILE_LENGTH) * FILE_LENGTH
    store.close()
    store.disk.flipBit(logFile(file), (bad.position - file + 100) * 8)
    assert.strictEqual(damaged(store).validBehind, results.at(-1)!.position)
  })

  for (const end of ["close", "kill"] as const) {
    it(`makes queues and index anew that are gone after a ${end}`, () => {
      const { store } = filled(100)
      store.put(message(1000, { topic: "other", queueId: 3 }))
      store.run(100)
      store[end]()
      for (const path of store.disk.paths) {
        if (path.startsWith(StorePaths.consumeQueues(ROOT)) || path.startsWith(StorePaths.index(ROOT))) {
          store.disk.remove(path)
        }
      }
      store.open()
      assert.deepStrictEqual(idsOf(store), range(100))
      assert.deepStrictEqual(idsOf(store, "other", 3), [1000])
      assert.lengthOf(positionsOf(store, "key0"), 1)
      assert.lengthOf(positionsOf(store, "key99"), 1)
    })

    it(`makes one queue anew that is gone after a ${end}, though the end of the log does not speak of it`, () => {
      const store = new SimulatedStore(1).open()
      store.put(message(1, { topic: "rare" }))
      range(100).forEach((id) => store.put(message(id)))
      store.run(300)
      store[end]()
      store.disk.remove(queueFile(0, "rare"))
      store.disk.removeDirectory(`${StorePaths.consumeQueues(ROOT)}/rare/0`)
      store.disk.removeDirectory(`${StorePaths.consumeQueues(ROOT)}/rare`)
      store.open()
      assert.deepStrictEqual(idsOf(store, "rare"), [1])
      assert.deepStrictEqual(idsOf(store), range(100))
    })
  }

  for (const list of ["known", "unknown"] as const) {
    it(`refuses damage before the part of the log that it reads when queues are ${list} to be gone`, () => {
      const { results, store } = filled(100)
      store.put(message(1000, { topic: "rare" }))
      for (let id = 100; id < 200; id++) {
        store.put(message(id))
      }
      store.run(300)
      store.close()
      const bad = results[5]!
      assert.isBelow(bad.position, FILE_LENGTH)
      store.disk.flipBit(logFile(0), (bad.position + 5) * 8)
      store.disk.remove(queueFile(0, "rare"))
      store.disk.removeDirectory(`${StorePaths.consumeQueues(ROOT)}/rare/0`)
      store.disk.removeDirectory(`${StorePaths.consumeQueues(ROOT)}/rare`)
      if (list === "unknown") {
        store.disk.remove(`${StorePaths.config(ROOT)}/queues.json`)
      }
      const error = damaged(store)
      assert.strictEqual(error.position, bad.position)
      assert.strictEqual(error.file, logFile(0))
      assert.isAbove(error.validBehind, bad.position)
    })
  }

  it("refuses damage in the part of the log that it reads again for an index that is gone", () => {
    const { results, store } = filled(200)
    store.close()
    const bad = results[5]!
    store.disk.flipBit(logFile(0), (bad.position + 5) * 8)
    for (const path of store.disk.paths) {
      if (path.startsWith(StorePaths.index(ROOT))) {
        store.disk.remove(path)
      }
    }
    assert.strictEqual(damaged(store).position, bad.position)
  })

  it("makes the index anew when it ends where no record of the log begins", () => {
    const { store } = filled(100)
    store.close()
    const path = store.disk.paths.findLast((name) => name.startsWith(StorePaths.index(ROOT)))!
    const bytes = Buffer.from(store.disk.readBytes(path)!)
    bytes.writeBigInt64BE(bytes.readBigInt64BE(24) - 1n, 24)
    store.disk.writeBytes(path, bytes)
    store.open()
    for (const key of ["key0", "key98", "key99"]) {
      assert.lengthOf(positionsOf(store, key), 1)
    }
  })

  it("dispatches what was written and not dispatched when the process ended", () => {
    const store = new SimulatedStore(1).open()
    range(60).forEach((id) => store.put(message(id)))
    store.kill()
    store.open()
    assert.deepStrictEqual(idsOf(store), range(60))
    assert.strictEqual(store.recovery.queueEntriesRebuilt, 60)
  })

  it("dispatches again from the first record on that its queue lacks", () => {
    const store = new SimulatedStore(1, { messageIndexEnable: false }).open()
    range(60).forEach((id) => store.put(message(id)))
    store.run(300)
    const [lacking] = store.put(message(60, { queueId: 1 }))
    store.put(message(61))
    store.kill()
    store.open()
    assert.isBelow(store.recovery.readFrom, lacking!.position)
    assert.strictEqual(store.recovery.dispatchedFrom, lacking!.position)
    assert.deepStrictEqual(idsOf(store), [...range(60), 61])
    assert.deepStrictEqual(idsOf(store, "topic", 1), [60])
    store.kill()
    store.open()
    assert.strictEqual(store.recovery.dispatchedFrom, store.recovery.maxPosition)
  })

  it("dispatches all again that it reads where records may stand in light queues as well", () => {
    const store = new SimulatedStore(1, { enableLmq: true, enableMultiDispatch: true }).open()
    range(10).forEach((id) => store.put(message(id)))
    store.run(300)
    store.kill()
    store.open()
    assert.strictEqual(store.recovery.dispatchedFrom, store.recovery.readFrom)
  })

  it("leaves everything as it is when it is run again", () => {
    const { store } = filled(100)
    store.kill()
    store.open()
    const first = store.recovery
    store.kill()
    store.open()
    const { queueEntriesRebuilt, recordsRead, ...second } = store.recovery
    assert.strictEqual(queueEntriesRebuilt, 0)
    assert.isAtMost(recordsRead, 100)
    assert.deepStrictEqual(
      { min: second.minPosition, max: second.maxPosition },
      { min: first.minPosition, max: first.maxPosition }
    )
    assert.deepStrictEqual(idsOf(store), range(100))
  })

  it("drops files that were made and never written", () => {
    const { store } = filled(100)
    const next = FILE_LENGTH * (store.engine.commitLog.files.files.length + 1)
    const { maxOffset } = store.engine.commitLog
    store.kill()
    for (let position = Math.ceil(maxOffset / FILE_LENGTH) * FILE_LENGTH; position <= next; position += FILE_LENGTH) {
      if (store.disk.readBytes(logFile(position)) === undefined) {
        store.disk.create(logFile(position), FILE_LENGTH, "log")
      }
    }
    store.open()
    assert.strictEqual(store.engine.commitLog.maxOffset, maxOffset)
    assert.deepStrictEqual(idsOf(store), range(100))
  })

  it("keeps the offsets of a queue whose older messages were removed with their log files", () => {
    const { store } = filled(100)
    store.close()
    store.disk.remove(logFile(0))
    store.open()
    const { queue } = store.engine.queues.find("topic", 0)!
    assert.isAbove(queue.minOffset, 0)
    assert.strictEqual(queue.maxOffset, 100)
    assert.deepStrictEqual(idsOf(store), range(100).slice(queue.minOffset))
  })
})
