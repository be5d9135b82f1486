import { assert, describe, it } from "vitest"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const message = (id: number) => ({ topic: "topic", queueId: 0, body: Buffer.from(String(id).padEnd(300)) })

/** Offsets of the queue that give their message. */
const readable = ({ engine }: SimulatedStore): ReadonlyArray<number> => {
  const { queue } = engine.queues.find("topic", 0)!
  const offsets: Array<number> = []
  for (let offset = queue.minOffset; offset < queue.maxOffset; offset++) {
    const limits = { countMax: 1, bytesMax: 1 }
    const { status } = GetMessage.get(engine.commitLog, queue, offset, limits, undefined, () => undefined)
    if (status === "FOUND") {
      offsets.push(offset)
    }
  }
  return offsets
}

const putKeys = (store: SimulatedStore, from: number, to: number): void => {
  for (let id = from; id < to; id++) {
    store.put({ topic: "topic", queueId: 0, body: Buffer.alloc(8), keys: `key${id}` })
  }
}

/** Numbers of the messages that are not found by their keys. */
const keysLacking = ({ engine }: SimulatedStore, count: number): ReadonlyArray<number> => {
  const found = (id: number) =>
    engine.index.lookup({ topic: "topic", key: `key${id}`, countMax: 1, begin: 0, end: Number.MAX_SAFE_INTEGER })
  return Array.from({ length: count }, (_, id) => id).filter((id) => found(id).length === 0)
}

describe("what a store had not flushed", () => {
  it("is brought to the device by the next process after a sync that failed, before anything behind it counts", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const store = new SimulatedStore(seed).open()
      let isFailing = true
      store.disk.fault = (operation, path) =>
        isFailing && operation === "sync" && path.includes("commitlog") ? "EIO" : undefined
      for (let id = 0; id < 20; id++) {
        store.tryPut(message(id))
      }
      store.run(50)
      assert.instanceOf(store.tryPut(message(20)), PutRefusal)
      isFailing = false
      store.kill()
      store.open()
      const before = readable(store).length
      store.put(...Array.from({ length: 20 }, (_, id) => message(before + id)))
      store.run(500)
      store.crash()
      assert.strictEqual(readable(store.open()).length, before + 20)
    }
  })

  it("is made again of a queue, however many of its files were not on the device", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const never = { flushIntervalConsumeQueue: 1e9, flushConsumeQueueThoroughInterval: 1e9 }
      const store = new SimulatedStore(seed, { mappedFileSizeConsumeQueue: 20 * 8, ...never }).open()
      for (let id = 0; id < 80; id++) {
        store.put(message(id))
      }
      store.run(500)
      store.crash()
      assert.strictEqual(readable(store.open()).length, 80)
    }
  })

  it("is brought to the device by the next process of the index too, where its file was full", () => {
    for (let seed = 1; seed <= 5; seed++) {
      const store = new SimulatedStore(seed, { maxHashSlotNum: 2048, maxIndexNum: 1000 }).open()
      putKeys(store, 0, 500)
      store.run(2000)
      store.disk.fault = (operation, path) => (operation === "sync" && path.includes("/index/") ? "EIO" : undefined)
      putKeys(store, 500, 1100)
      store.run(500)
      assert.isDefined(store.engine.health.flushFailure)
      store.disk.fault = () => undefined
      store.kill()
      store.open()
      putKeys(store, 1100, 1200)
      store.run(500)
      store.crash()
      assert.deepStrictEqual(keysLacking(store.open(), 1200), [])
    }
  })

  for (const isKilled of [false, true]) {
    const before = isKilled ? ", by the process after one that was killed" : ""
    it(`is not taken for flushed where the index was made anew, whatever the checkpoint said of the old one${before}`, () => {
      for (let seed = 1; seed <= 5; seed++) {
        const store = new SimulatedStore(seed).open()
        putKeys(store, 0, 100)
        store.run(2000)
        putKeys(store, 100, 110)
        store.close()
        store.disk.paths.filter((path) => path.includes("/index/")).forEach((path) => store.disk.remove(path))
        store.open()
        if (isKilled) {
          store.kill()
          store.open()
          store.run(500)
        }
        store.crash()
        assert.deepStrictEqual(keysLacking(store.open(), 110), [])
      }
    })
  }

  for (const isExtended of [false, true]) {
    const where = isExtended ? "its address in an extended queue" : "its tags code"
    it(`is an entry across two sectors, of which the second one with ${where} is lost: it is made again`, () => {
      const store = new SimulatedStore(1, { mappedFileSizeConsumeQueue: 20 * 64, enableConsumeQueueExt: isExtended })
      store.open()
      // The 26th entry begins 12 bytes before the end of a sector.
      for (let id = 0; id < 26; id++) {
        store.put({ ...message(id), tags: "Tag" })
      }
      store.run(500)
      store.crash()
      const path = "/store/consumequeue/topic/0/00000000000000000000"
      const file = store.disk.open(path, 20 * 64)
      file.clear(512, 512)
      file.sync(0, file.length)
      store.open()
      const { queue } = store.engine.queues.find("topic", 0)!
      const entry = { position: 0, size: 0, tagsCode: 0 }
      assert.isTrue(queue.read(25, entry))
      assert.strictEqual(queue.tagsCodeOf(25, entry), 83834)
      assert.strictEqual(store.recovery.queueEntriesCut, 1)
    })
  }

  for (const end of ["kill", "crash"] as const) {
    const what = end === "kill" ? "are there after a kill" : "are not believed after a loss of power"
    it(`are units of an extended queue: they ${what}, since a filter must not miss a message`, () => {
      const store = new SimulatedStore(1, { enableConsumeQueueExt: true })
      store.filterBits = () => new Uint8Array(34).fill(7)
      store.open()
      for (let id = 0; id < 15; id++) {
        store.put({ ...message(id), tags: "Tag" })
      }
      store.run(500)
      store[end]()
      store.open()
      const { queue } = store.engine.queues.find("topic", 0)!
      const entry = { position: 0, size: 0, tagsCode: 0 }
      for (let offset = 0; offset < 15; offset++) {
        assert.isTrue(queue.read(offset, entry))
        assert.strictEqual(queue.tagsCodeOf(offset, entry), 83834)
        assert.strictEqual(queue.bitsOf(offset, entry).length, end === "kill" ? 34 : 0)
      }
    })
  }
})
