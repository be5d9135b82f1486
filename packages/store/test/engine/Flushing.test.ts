import { assert, describe, it } from "vitest"
import type { MessageInput } from "../../src/commitlog/MessageInput.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const QUEUES = 30
const NS_PER_MS = 1_000_000

const message = (id: number): MessageInput => ({
  topic: "topic",
  queueId: id % QUEUES,
  body: Buffer.from(`${id}`),
  keys: `key${id}`
})

/** A step of a store whose log is dirty at the end of every sync. */
const step = (store: SimulatedStore, id: number): void => {
  const [result] = store.put(message(id))
  store.engine.flush.whenFlushed(result!.position + result!.length, (failure) => assert.isUndefined(failure))
  store.run(0)
}

describe("StoreEngine while the log is never clean", () => {
  for (const flushDiskType of ["SYNC_FLUSH", "ASYNC_FLUSH"] as const) {
    it(`says in the checkpoint what is on the device, also where a transient pool is put into all the time (${flushDiskType})`, () => {
      const store = new SimulatedStore(1, { flushDiskType, transientStorePoolEnable: true }).open()
      for (let id = 0; id < 1000; id++) {
        store.put(message(id))
        store.engine.doWork(store.nowMs * NS_PER_MS)
        step(store, id)
      }
      assert.isAbove(store.engine.checkpoint.physicMsgTimestamp, store.nowMs - 200)
    })

    it(`brings queues, index and the times of the checkpoint to the device again and again (${flushDiskType})`, () => {
      const store = new SimulatedStore(1, { flushDiskType, mappedFileSizeCommitLog: 1 << 20 }).open()
      const { checkpoint } = store.engine
      const synced = new Set<string>()
      store.disk.fault = (operation, path) => {
        if (operation === "sync") {
          synced.add(path.split("/")[2]!)
        }
        return undefined
      }
      let last = 0
      // The names of new queues are synced once, in the first rounds.
      for (let round = -1; round < 5; round++) {
        synced.clear()
        for (let count = 0; count < 200; count++) {
          step(store, (round + 1) * 200 + count)
        }
        if (round < 0) {
          continue
        }
        assert.isAbove(checkpoint.logicsMsgTimestamp, last)
        assert.strictEqual(checkpoint.indexMsgTimestamp, checkpoint.logicsMsgTimestamp)
        assert.deepStrictEqual([...synced].toSorted(), ["checkpoint", "commitlog", "consumequeue", "index"])
        last = checkpoint.logicsMsgTimestamp
      }
      store.crash()
      store.open()
      assert.isAtLeast(store.engine.checkpoint.logicsMsgTimestamp, last - 1000)
    })

    it(`keeps who waits for the log no longer than one sync of something else (${flushDiskType})`, () => {
      const store = new SimulatedStore(1, { flushDiskType, mappedFileSizeCommitLog: 1 << 20 }).open()
      const { files } = store.engine.commitLog
      for (let id = 0; id < 500; id++) {
        const end = files.maxOffset
        step(store, id)
        step(store, id)
        assert.isAtLeast(files.flushedWhere, end)
      }
    })
  }
})
