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
})
