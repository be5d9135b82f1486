import { assert, describe, it } from "vitest"
import * as MessageCheck from "../../src/commitlog/MessageCheck.ts"
import * as RecordDescriptor from "../../src/commitlog/RecordDescriptor.ts"
import * as SysFlag from "../../src/commitlog/SysFlag.ts"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const message = { topic: "topic", queueId: 0, body: new Uint8Array(50), keys: "key" }

describe("a record of an inner batch", () => {
  it("is refused where it would have to be queued", () => {
    const store = new SimulatedStore(1).open()
    const refused = store.tryPut(message, { ...message, sysFlag: SysFlag.INNER_BATCH })
    assert.instanceOf(refused, PutRefusal)
    assert.deepInclude(refused.reason, { index: 1, code: MessageCheck.INNER_BATCH })
  })

  it("that another program has written is found by its key, and has its place in a batch consume queue", () => {
    const store = new SimulatedStore(1, { enabledAppendPropCRC: false }).open()
    store.put({ ...message, topic: "batches" }, message)
    const { commitLog } = store.engine
    const at = RecordDescriptor.SYS_FLAG_OFFSET
    commitLog.files.files[0]!.file.claim(at, 4).view.setInt32(0, SysFlag.INNER_BATCH)
    store.close()
    store.disk.remove("/store/consumequeue/batches/0/00000000000000000000")
    store.disk.removeDirectory("/store/consumequeue/batches/0")
    store.disk.removeDirectory("/store/consumequeue/batches")
    for (let round = 0; round < 2; round++) {
      store.open()
      store.run(50)
      assert.isTrue(store.engine.queues.isBatch("batches"))
      assert.strictEqual(store.engine.queues.find("batches", 0)!.queue.maxOffset, 1)
      assert.strictEqual(store.engine.queues.find("topic", 0)!.queue.maxOffset, 1)
      const lookup = { topic: "batches", key: "key", countMax: 9, begin: 0, end: Number.MAX_SAFE_INTEGER }
      assert.deepStrictEqual(store.engine.index.lookup(lookup), [0])
      store.kill()
    }
  })
})
