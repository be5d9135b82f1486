import { assert, describe, it } from "vitest"
import * as StorePaths from "../../src/engine/StorePaths.ts"
import * as FileNaming from "../../src/mapped/FileNaming.ts"
import * as OffsetByTime from "../../src/reading/OffsetByTime.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const COUNT = 10

describe("OffsetByTime", () => {
  it("counts an entry that leads to no record as older than all, and reads nothing by what stands there", () => {
    const store = new SimulatedStore(1, { enabledAppendPropCRC: false }).open()
    const results = Array.from(
      { length: COUNT },
      () => store.put({ topic: "topic", queueId: 0, body: new Uint8Array(9) })[0]!
    )
    store.run(300)
    const { queue } = store.engine.queues.find("topic", 0)!
    const find = (timeMs: number) => OffsetByTime.find(store.engine.commitLog, queue, timeMs, "lower")
    const { storeTimestamp } = results[0]!
    assert.strictEqual(find(storeTimestamp), 0)
    const path = `${StorePaths.commitLog("/store")}/${FileNaming.format(0)}`
    const length = store.disk.readBytes(path)!.length
    const file = store.disk.open(path, length)
    for (const { position, length: recordLength } of results) {
      // A body of two gigabytes, and what follows it nowhere.
      file.claim(0, length).bytes.fill(0x7f, position + 80, position + recordLength)
    }
    assert.strictEqual(find(storeTimestamp), COUNT)
    store.close()
  })
})
