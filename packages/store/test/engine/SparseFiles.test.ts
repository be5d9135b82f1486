import { assert, describe, it } from "vitest"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import * as StorePaths from "../../src/engine/StorePaths.ts"
import * as FileNaming from "../../src/mapped/FileNaming.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const FILE_LENGTH = 8192
const CAPACITY = 1 << 20

const message = (id: number) => ({ topic: "topic", queueId: 0, body: Buffer.from(String(id).padEnd(200)) })

/** A store that was closed, with the last file of its log as RocketMQ leaves it: the bytes it wrote, and a hole. */
const closedStore = () => {
  const store = new SimulatedStore(1, { messageIndexEnable: false }, CAPACITY).open()
  for (let id = 0; id < 5; id++) {
    store.put(message(id))
  }
  store.run(300)
  store.close()
  const path = `${StorePaths.commitLog("/store")}/${FileNaming.format(0)}`
  const bytes = store.disk.readBytes(path)!
  store.disk.remove(path)
  const sparse = store.disk.create(path, FILE_LENGTH, "queue")
  sparse.read(0, FILE_LENGTH).bytes.set(bytes)
  sparse.sync(0, FILE_LENGTH)
  sparse.close()
  return store
}

describe("a log whose last file has a hole at its end", () => {
  it("gets blocks there before the first byte is written", () => {
    const store = closedStore().open()
    assert.strictEqual(store.put(message(5))[0]!.queueOffset, 5)
    for (let id = 6; id < 60; id++) {
      store.put(message(id))
    }
  })

  it("can be opened on a full device, and refuses puts until there is room", () => {
    const store = closedStore()
    store.disk.capacityBytes = 10_000
    store.open()
    const refusal = store.tryPut(message(5))
    assert.instanceOf(refusal, PutRefusal)
    assert.strictEqual(refusal.reason._tag, "FileFailure")
    assert.lengthOf(refusal.stored, 0)
    store.disk.capacityBytes = CAPACITY
    assert.strictEqual(store.put(message(5))[0]!.queueOffset, 5)
  })
})
