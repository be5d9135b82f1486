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
  for (const { queue, queueId } of engine.queues.topics.get("topic")!.queues.values()) {
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

const isFoundByKey = ({ engine }: SimulatedStore, id: number): boolean =>
  engine.index.lookup({ topic: "topic", key: `key${id}`, countMax: 1, begin: 0, end: Number.MAX_SAFE_INTEGER }).length >
  0

const range = (count: number) => Array.from({ length: count }, (_, id) => id)

/** A store that was closed in order, some of whose files are gone since. */
const closedWithout = (seed: number, lost: (paths: ReadonlyArray<string>) => ReadonlyArray<string>): SimulatedStore => {
  const store = new SimulatedStore(seed, { mappedFileSizeConsumeQueue: 20 * 8 }).open()
  for (let id = 0; id < COUNT; id++) {
    store.put(message(id))
  }
  // What comes last leaves no word of the index in the part of the log that is read after a clean end.
  store.put(...Array.from({ length: 40 }, () => ({ topic: "keyless", queueId: 0, body: Buffer.alloc(200) })))
  store.run(200)
  store.close()
  for (const path of lost(store.disk.paths.toSorted())) {
    store.disk.remove(path)
    store.disk.syncDirectory(path.slice(0, path.lastIndexOf("/")))
  }
  return store
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

  const within = (directory: string) => (paths: ReadonlyArray<string>) =>
    paths.filter((path) => path.includes(directory))
  for (const [what, lost] of [
    ["an index", within("/index/")],
    ["the first file of an index", (paths: ReadonlyArray<string>) => within("/index/")(paths).slice(0, 1)],
    ["a queue", within("/consumequeue/topic/0/")],
    ["all queues", within("/consumequeue/")]
  ] as const) {
    it(`has nothing believed of ${what} that it made anew after a clean end, when power is lost then`, () => {
      for (let seed = 1; seed <= 2; seed++) {
        for (let nth = 0, hasDied = true; hasDied; nth++) {
          const store = closedWithout(seed, lost)
          hasDied = dieAt(store, nth, true)
          store.open()
          const all = range(COUNT)
          assert.deepStrictEqual(idsOf(store), all, `seed ${seed}, operation ${nth}`)
          const lacking = all.filter((id) => !isFoundByKey(store, id))
          assert.deepStrictEqual(lacking, [], `seed ${seed}, operation ${nth}`)
          store.kill()
        }
      }
    })
  }
})
