import { assert, describe, it } from "vitest"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import type { StoreOptions } from "../../src/engine/StoreOptions.ts"
import { fromRefusal } from "../../src/internal/storeErrors.ts"
import { isZeroFile } from "../../src/mapped/ZeroBytes.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const message = (id: number, length = 200) => ({
  topic: "topic",
  queueId: 0,
  body: Buffer.from(String(id).padEnd(length))
})

const pooled = (more: Partial<StoreOptions> = {}) =>
  new SimulatedStore(1, { transientStorePoolEnable: true, flushDiskType: "ASYNC_FLUSH", ...more }).open()

/** Numbers of the messages that a reader gets. */
const readable = ({ engine }: SimulatedStore): ReadonlyArray<number> => {
  engine.catchUp()
  const found: Array<number> = []
  const queue = engine.queues.find("topic", 0)?.queue
  for (let offset = queue?.minOffset ?? 0; offset < (queue?.maxOffset ?? 0);) {
    const limits = { countMax: 100, bytesMax: 1 << 20 }
    const { nextOffset } = GetMessage.get(engine.commitLog, queue, offset, limits, undefined, ({ bodyAt, bytes }) => {
      found.push(Number.parseInt(Buffer.from(bytes.subarray(bodyAt, bodyAt + 9)).toString(), 10))
    })
    offset = nextOffset
  }
  return found
}

const ids = (count: number) => Array.from({ length: count }, (_, id) => id)

describe("CommitRealTimeService", () => {
  it("shows readers nothing that is not committed, and all of it afterwards", () => {
    const store = pooled()
    store.put(...ids(5).map((id) => message(id)))
    assert.deepStrictEqual(readable(store), [])
    assert.strictEqual(store.engine.commitLog.readableEnd, 0)
    store.run(60)
    assert.deepStrictEqual(readable(store), ids(5))
    assert.strictEqual(store.engine.commitLog.readableEnd, store.engine.commitLog.maxOffset)
  })

  it("commits at a put once enough pages are dirty, and before that only after its interval", () => {
    const store = pooled({ commitIntervalCommitLog: 1000, commitCommitLogThoroughInterval: 1000 })
    store.put(message(0))
    store.run(100)
    assert.deepStrictEqual(readable(store), [])
    store.put(message(1, 4000))
    store.run(10)
    assert.deepStrictEqual(readable(store), [0, 1])
    store.put(message(2))
    store.run(100)
    assert.deepStrictEqual(readable(store), [0, 1])
    store.run(1000)
    assert.deepStrictEqual(readable(store), [0, 1, 2])
  })

  it("is not woken by a put where that is not wanted", () => {
    const store = pooled({ commitIntervalCommitLog: 1000, wakeCommitWhenPutMessage: false })
    store.put(message(0, 4000), message(1, 4000))
    store.run(500)
    assert.deepStrictEqual(readable(store), [])
    store.run(600)
    assert.deepStrictEqual(readable(store), [0, 1])
  })

  it("commits at once when somebody waits for the device", () => {
    for (const flushDiskType of ["ASYNC_FLUSH", "SYNC_FLUSH"] as const) {
      const slow = { commitIntervalCommitLog: 10_000, commitCommitLogThoroughInterval: 10_000 }
      const store = pooled({ ...slow, flushDiskType, flushIntervalCommitLog: 10_000 })
      const [put] = store.put(message(0))
      let isFlushed = false
      store.engine.flush.whenFlushed(put!.position + put!.length, (failure) => {
        assert.isUndefined(failure)
        isFlushed = true
      })
      store.run(30)
      assert.isTrue(isFlushed)
      store.crash()
      assert.deepStrictEqual(readable(store.open()), [0])
    }
  })

  it("loses with its process what was not committed, and nothing else", () => {
    const store = pooled({ commitIntervalCommitLog: 1000, commitCommitLogThoroughInterval: 1000 })
    for (const id of ids(40)) {
      store.put(message(id, 300))
      store.run(id % 7 === 0 ? 1100 : 0)
    }
    const committed = readable(store)
    assert.isBelow(committed.length, 40)
    store.kill()
    assert.deepStrictEqual(readable(store.open()), committed)
    store.put(message(99))
    store.run(1100)
    assert.deepStrictEqual(readable(store), [...committed, 99])
  })

  it("commits everything when the store is closed", () => {
    const store = pooled({ commitIntervalCommitLog: 10_000, commitCommitLogThoroughInterval: 10_000 })
    store.put(...ids(10).map((id) => message(id, 100)))
    store.close()
    store.open()
    assert.strictEqual(store.recovery.exit, "clean")
    assert.deepStrictEqual(readable(store), ids(10))
  })

  it("writes files that are like those of a store without a pool", () => {
    const stores = [pooled(), new SimulatedStore(1, { flushDiskType: "ASYNC_FLUSH" }).open()]
    const logs = stores.map((store) => {
      for (const id of ids(200)) {
        store.put(message(id, 150 + (id % 90)))
        store.run(0)
      }
      store.close()
      return store.disk.paths.filter((path) => path.includes("commitlog")).map((path) => store.disk.readBytes(path))
    })
    assert.isAbove(logs[0]!.length, 5)
    assert.deepStrictEqual(logs[0], logs[1])
  })

  it("stops the store when a write to a file fails: nobody is told that it was flushed", () => {
    const store = pooled({ flushDiskType: "SYNC_FLUSH" })
    const failures: Array<string> = []
    const [put] = store.put(message(0))
    store.engine.flush.whenFlushed(put!.position + put!.length, (failure) => failures.push(failure?.code ?? "none"))
    store.disk.fault = (operation, path) => (operation === "write" && path.includes("commitlog") ? "EIO" : undefined)
    store.run(50)
    assert.deepStrictEqual(failures, ["EIO"])
    assert.instanceOf(store.tryPut(message(1)), PutRefusal)
    store.close()
    assert.deepStrictEqual(readable(store.open()), [])
  })
})

describe("a transient pool without a free buffer", () => {
  const slow = {
    commitIntervalCommitLog: 10_000,
    commitCommitLogThoroughInterval: 10_000,
    wakeCommitWhenPutMessage: false
  }

  it("refuses messages where that is wanted, says why, and takes them again when one is committed", () => {
    const store = pooled({ ...slow, transientStorePoolSize: 2, fastFailIfNoBufferInStorePool: true })
    let refused: PutRefusal | undefined = undefined
    let count = 0
    while (refused === undefined) {
      const outcome = store.tryPut(message(count, 1000))
      refused = outcome instanceof PutRefusal ? outcome : undefined
      count += refused === undefined ? 1 : 0
    }
    const error = fromRefusal(refused, [message(count)], () => assert.fail())
    assert.strictEqual(error.reason._tag, "PoolExhausted")
    assert.isTrue(error.isRetryable)
    assert.match(error.message, /2 buffers/)
    store.engine.flush.whenFlushed(store.engine.commitLog.maxOffset, () => undefined)
    store.run(100)
    store.put(message(count, 1000))
    store.close()
    assert.deepStrictEqual(readable(store.open()), ids(count + 1))
  })

  it("lets files be written without one otherwise, in order with those that have one", () => {
    const store = pooled({ ...slow, transientStorePoolSize: 1 })
    for (const id of ids(60)) {
      store.put(message(id, 700))
    }
    assert.isAbove(store.engine.commitLog.files.files.length, 4)
    assert.deepStrictEqual(readable(store), [])
    store.engine.flush.whenFlushed(store.engine.commitLog.maxOffset, () => undefined)
    store.run(200)
    assert.deepStrictEqual(readable(store), ids(60))
    store.close()
    assert.deepStrictEqual(readable(store.open()), ids(60))
  })

  for (const how of ["kill", "crash"] as const) {
    it(`opens after a ${how} that has taken files before one that was written without one`, () => {
      for (const next of [{}, { transientStorePoolEnable: false }]) {
        const store = pooled({ ...slow, transientStorePoolSize: 1, flushIntervalCommitLog: 10_000 })
        store.put(...ids(5).map((id) => message(id, 700)))
        store.engine.flush.whenFlushed(store.engine.commitLog.maxOffset, () => undefined)
        store.run(100)
        for (const id of ids(60).slice(5)) {
          store.put(message(id, 700))
        }
        const { files } = store.engine.commitLog.files
        assert.isAbove(files.length, 4)
        assert.isFalse(isZeroFile(files.at(-2)!.file))
        store[how]()
        Object.assign(store.options, next)
        assert.deepStrictEqual(readable(store.open()), ids(5))
        store.put(message(99))
        store.close()
        assert.deepStrictEqual(readable(store.open()), [...ids(5), 99])
      }
    })
  }

  it("leaves damage before files that are flushed, or dispatched, what it is", () => {
    for (const [what, more] of Object.entries({
      flushed: { flushConsumeQueueThoroughInterval: 1e9, flushIntervalConsumeQueue: 1e9 },
      dispatched: { flushIntervalCommitLog: 1e9, flushCommitLogThoroughInterval: 1e9 }
    })) {
      const store = pooled({ transientStorePoolSize: 1, ...more })
      const positions = ids(60).map((id) => {
        const [put] = store.put(message(id, 700))
        store.run(100)
        return put!.position
      })
      const { checkpoint, commitLog } = store.engine
      assert.strictEqual(checkpoint.physicMsgTimestamp > 0, what === "flushed")
      const first = commitLog.files.firstFile!
      const last = positions.findLast((position) => position < first.length)!
      store.kill()
      store.disk.flipBit(first.file.path, 8 * (last + 100))
      if (what === "flushed") {
        store.disk.paths.filter((path) => path.includes("consumequeue")).forEach((path) => store.disk.remove(path))
      }
      assert.throws(() => store.open(), new RegExp(`damaged at ${last} `))
    }
  })
})
