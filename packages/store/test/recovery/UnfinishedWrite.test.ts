import { assert, describe, it } from "vitest"
import * as StorePaths from "../../src/engine/StorePaths.ts"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const ROOT = "/store"

const message = (id: number) => ({ topic: "topic", queueId: 0, body: Buffer.from(String(id).padEnd(200)) })

/** Offsets and ids of the queue. */
const idsOf = ({ engine }: SimulatedStore): ReadonlyArray<number> => {
  const state = engine.queues.find("topic", 0)
  return state === undefined ? [] : Array.from({ length: state.queue.maxOffset }, (_, offset) => offset)
}

const NOTE = `${StorePaths.config(ROOT)}/unfinished.json`

/** A store with a message, and a put of two that has failed half way, as has its clearing. */
const withRemains = (seed: number): SimulatedStore => {
  const store = new SimulatedStore(seed, { flushDiskType: "ASYNC_FLUSH" }).open()
  store.put(message(0))
  store.run(100)
  store.disk.fault = (operation, path) =>
    operation === "write" && path.startsWith(StorePaths.commitLog(ROOT)) ? "EIO" : undefined
  assert.instanceOf(store.tryPut(message(1), message(2)), PutRefusal)
  store.disk.fault = () => undefined
  return store
}

/** A killed store that has whole records behind a place from which on they were refused, at a time. */
const withWholeRecords = (): { readonly store: SimulatedStore; readonly end: number } => {
  const store = new SimulatedStore(1, { flushDiskType: "ASYNC_FLUSH" }).open()
  store.put(message(0))
  store.run(100)
  const end = store.engine.commitLog.maxOffset
  store.put(message(1), message(2))
  store.kill()
  store.disk.replace(NOTE, Buffer.from(JSON.stringify({ position: end, storeTimestamp: store.nowMs })))
  return { store, end }
}

describe("UnfinishedWrite", () => {
  for (const end of ["close", "kill", "crash"] as const) {
    it(`keeps what was refused from counting as stored when the store ends with a ${end}`, () => {
      for (let seed = 1; seed <= 20; seed++) {
        const store = withRemains(seed)
        const { maxOffset } = store.engine.commitLog
        assert.isTrue(store.disk.exists(NOTE))
        store[end]()
        store.open()
        assert.strictEqual(store.engine.commitLog.maxOffset, maxOffset)
        assert.strictEqual(store.recovery.endReason, "what follows was refused")
        assert.deepStrictEqual(idsOf(store), [0])
      }
    })
  }

  it("cuts whole records that were refused, once", () => {
    const { end, store } = withWholeRecords()
    store.open()
    assert.strictEqual(store.engine.commitLog.maxOffset, end)
    assert.isAbove(store.recovery.refusedBytes, 0)
    assert.isFalse(store.disk.exists(NOTE))
    store.put(message(3))
    store.run(100)
    store.kill()
    store.open()
    assert.strictEqual(store.recovery.refusedBytes, 0)
    assert.deepStrictEqual(idsOf(store), [0, 1])
  })

  it("forgets the place with the next put that succeeds", () => {
    const store = withRemains(1)
    store.put(message(3))
    assert.isFalse(store.disk.exists(NOTE))
    store.run(100)
    store.close()
    store.open()
    assert.strictEqual(store.recovery.refusedBytes, 0)
    assert.deepStrictEqual(idsOf(store), [0, 1])
  })

  it("leaves the log alone where somebody has taken the remains for stored and written on behind them", () => {
    const { store } = withWholeRecords()
    const note = store.disk.readBytes(NOTE)!
    store.disk.remove(NOTE)
    store.open()
    store.nowMs += 1
    store.put(message(3), message(4))
    store.run(100)
    const { maxOffset } = store.engine.commitLog
    store.close()
    store.disk.replace(NOTE, note)
    store.open()
    assert.strictEqual(store.engine.commitLog.maxOffset, maxOffset)
    assert.strictEqual(store.recovery.refusedBytes, 0)
    assert.deepStrictEqual(idsOf(store), [0, 1, 2, 3, 4])
  })
})
