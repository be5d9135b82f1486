import { assert, describe, it } from "vitest"
import type { FaultyOperation } from "../../src/mapped/SimulatedDisk.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const COUNT = 60

const message = (id: number) => ({
  topic: "topic",
  queueId: id % 2,
  body: Buffer.from(String(id).padEnd(200)),
  keys: `key${id}`
})

/** A store that lost power with some messages on the device and some not; `durable` are those that were acknowledged. */
const failed = (seed: number): { readonly store: SimulatedStore; readonly durable: number } => {
  const store = new SimulatedStore(seed, { flushDiskType: "ASYNC_FLUSH", flushCommitLogThoroughInterval: 50 }).open()
  for (let id = 0; id < COUNT; id++) {
    store.put(message(id))
    store.run(seed % 7)
  }
  const { flushedWhere } = store.engine.commitLog.files
  store.crash()
  return { store, durable: flushedWhere }
}

const idsOf = ({ engine }: SimulatedStore): ReadonlyArray<number> => {
  const ids: Array<number> = []
  for (const { queue, queueId } of engine.queues.all()) {
    for (let offset = queue.minOffset; offset < queue.maxOffset;) {
      const limits = { countMax: 100, bytesMax: 1 << 20 }
      offset = GetMessage.get(engine.commitLog, queue, offset, limits, undefined, ({ bodyAt, bytes, queueOffset }) => {
        const id = Number(Buffer.from(bytes.subarray(bodyAt, bodyAt + 200)).toString())
        assert.strictEqual(id, queueOffset * 2 + queueId)
        ids.push(id)
      }).nextOffset
    }
  }
  return ids.toSorted((a, b) => a - b)
}

/** Opens the store, and ends it at its `nth` operation on the disk. False where it has opened before that. */
const dieAt = (store: SimulatedStore, nth: number, isPowerLoss: boolean): boolean => {
  let count = 0
  store.disk.fault = (_operation: FaultyOperation) => (count++ === nth ? "EIO" : undefined)
  try {
    store.open()
    store.kill()
    return false
  } catch {
    return true
  } finally {
    store.disk.fault = () => undefined
    if (isPowerLoss) {
      store.disk.crash()
    }
  }
}

describe("Recovery that is ended in the middle", () => {
  for (const isPowerLoss of [false, true]) {
    const how = isPowerLoss ? "by a power failure" : "by a kill"
    it(`leaves a store that the next one makes whole, wherever it is ended ${how}`, () => {
      let deaths = 0
      for (let seed = 1; seed <= 4; seed++) {
        for (let nth = 0; ; nth++) {
          const { durable, store } = failed(seed)
          const hasDied = dieAt(store, nth, isPowerLoss)
          deaths += hasDied ? 1 : 0
          store.open()
          const ids = idsOf(store)
          assert.isAtLeast(store.engine.commitLog.maxOffset, durable)
          assert.deepStrictEqual(
            ids,
            ids.map((_, index) => index),
            `seed ${seed}, operation ${nth}`
          )
          store.kill()
          store.open()
          assert.deepStrictEqual(idsOf(store), ids, `seed ${seed}, operation ${nth}, opened again`)
          if (!hasDied) {
            break
          }
        }
      }
      assert.isAbove(deaths, 20)
    })
  }
})
