import { assert, describe, it } from "vitest"
import * as MessageCheck from "../../src/commitlog/MessageCheck.ts"
import type { QueueEntry } from "../../src/consumequeue/ConsumeQueue.ts"
import * as MultiDispatch from "../../src/consumequeue/MultiDispatch.ts"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import type { StoreOptions } from "../../src/engine/StoreOptions.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const ENABLED = { enableLmq: true, enableMultiDispatch: true }

const open = (more: Partial<StoreOptions> = {}) => new SimulatedStore(1, { ...ENABLED, ...more }).open()

const message = (id: number, names: string, more: object = {}) => ({
  topic: "topic",
  queueId: id % 2,
  body: Buffer.from(String(id).padEnd(100)),
  properties: { INNER_MULTI_DISPATCH: names },
  ...more
})

/** Numbers of the messages in a queue, by its entries. */
const idsOf = ({ engine }: SimulatedStore, topic: string, queueId = 0): ReadonlyArray<number> => {
  engine.catchUp()
  const ids: Array<number> = []
  const queue = engine.queues.find(topic, queueId)?.queue
  for (let offset = queue?.minOffset ?? 0; offset < (queue?.maxOffset ?? 0);) {
    const limits = { countMax: 1000, bytesMax: 1 << 20 }
    offset = GetMessage.get(engine.commitLog, queue, offset, limits, undefined, ({ bodyAt, bytes }) => {
      ids.push(Number.parseInt(Buffer.from(bytes.subarray(bodyAt, bodyAt + 9)).toString(), 10))
    }).nextOffset
  }
  return ids
}

const offsetsOf = ({ engine }: SimulatedStore, topic: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const queue = engine.queues.find(topic, 0)!.queue
  const limits = { countMax: 1000, bytesMax: 1 << 20 }
  GetMessage.get(engine.commitLog, queue, 0, limits, undefined, (record) => {
    found.push(record.decodeProperties()["INNER_MULTI_QUEUE_OFFSET"]!)
  })
  return found
}

describe("messages that name light queues", () => {
  it("stand in each of them, in order, and say at which offset", () => {
    const store = open()
    store.put(message(0, "%LMQ%a,%LMQ%b"), message(2, "%LMQ%b"))
    store.put(message(4, "%LMQ%b,other,%LMQ%a"))
    store.run(50)
    assert.deepStrictEqual(idsOf(store, "topic"), [0, 2, 4])
    assert.deepStrictEqual(idsOf(store, "%LMQ%a"), [0, 4])
    assert.deepStrictEqual(idsOf(store, "%LMQ%b"), [0, 2, 4])
    assert.deepStrictEqual(offsetsOf(store, "%LMQ%b"), ["0,0", "1", "2,,1"])
    assert.isUndefined(store.engine.queues.find("other", 0))
  })

  it("keep their places through a kill and a failure of power", () => {
    for (const end of ["kill", "crash", "close"] as const) {
      const store = open()
      for (let id = 0; id < 60; id++) {
        store.put(message(id, id % 3 === 0 ? "%LMQ%a" : "%LMQ%a,%LMQ%b"))
        store.run(end === "crash" ? 40 : 0)
      }
      store[end]()
      store.open()
      store.put(message(60, "%LMQ%a,%LMQ%b"))
      store.run(50)
      const all = Array.from({ length: 61 }, (_, id) => id)
      assert.deepStrictEqual(idsOf(store, "%LMQ%a"), all, end)
      assert.deepStrictEqual(
        idsOf(store, "%LMQ%b"),
        all.filter((id) => id % 3 !== 0 || id === 60),
        end
      )
      store.close()
    }
  })

  it("get entries that a store without light queues leaves alone when it opens", () => {
    const store = open()
    store.put(message(0, "%LMQ%a"), message(2, "%LMQ%a"))
    store.run(50)
    store.kill()
    const plain = new SimulatedStore(1, {}, 0, false, store.disk).open()
    assert.strictEqual(plain.recovery.queueEntriesCut, 0)
    assert.deepStrictEqual(idsOf(plain, "%LMQ%a"), [0, 2])
  })

  it("lose an entry that points at a record which does not name the queue", () => {
    const store = open()
    const [, second] = store.put(message(0, "%LMQ%a"), message(2, "%LMQ%b"))
    store.run(50)
    store.engine.queues.find("%LMQ%a", 0)!.queue.append(1, second!.position, second!.length, 0)
    store.kill()
    assert.strictEqual(store.open().recovery.queueEntriesCut, 1)
    const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
    assert.isFalse(store.engine.queues.find("%LMQ%a", 0)!.queue.read(1, entry))
  })

  it("stand only in their own queue where nothing is enabled, in excluded topics and in transactions", () => {
    const plain = new SimulatedStore(1).open()
    plain.put(message(0, "%LMQ%a"))
    plain.run(50)
    assert.isUndefined(plain.engine.queues.find("%LMQ%a", 0))
    const store = open()
    store.put(message(0, "%LMQ%a", { topic: "%RETRY%group" }), message(2, "%LMQ%a", { sysFlag: 4 }))
    store.run(50)
    assert.isUndefined(store.engine.queues.find("%LMQ%a", 0))
    assert.isFalse(MultiDispatch.isDispatched("rmq_sys_wheel_timer"))
  })

  it("are refused beyond the number of light queues, and with names that no queue can have", () => {
    const store = open({ maxLmqConsumeQueueNum: 2 })
    store.put(message(0, "%LMQ%a,%LMQ%b"))
    for (const [names, code] of [
      ["%LMQ%c", MessageCheck.LMQ_TOO_MANY],
      ["%LMQ%a/b", MessageCheck.LMQ_ILLEGAL]
    ] as const) {
      const refused = store.tryPut(message(2, names))
      assert.instanceOf(refused, PutRefusal)
      assert.strictEqual(refused.reason._tag === "Illegal" && refused.reason.code, code)
    }
    store.put(message(2, "%LMQ%b"))
    store.run(50)
    assert.deepStrictEqual(idsOf(store, "%LMQ%b"), [0, 2])
  })

  it("give their offsets back when they cannot be stored", () => {
    const store = open()
    store.put(message(0, "%LMQ%a"))
    store.disk.fault = (operation, path) => (operation === "write" && path.includes("commitlog") ? "EIO" : undefined)
    assert.instanceOf(store.tryPut(message(2, "%LMQ%a,%LMQ%b"), message(4, "%LMQ%a")), PutRefusal)
    store.disk.fault = () => undefined
    store.put(message(6, "%LMQ%a,%LMQ%b"))
    store.run(50)
    assert.deepStrictEqual(idsOf(store, "%LMQ%a"), [0, 6])
    assert.deepStrictEqual(offsetsOf(store, "%LMQ%b"), ["1,0"])
  })
})
