import { assert, describe, it } from "vitest"
import * as EntryDescriptor from "../../src/consumequeue/EntryDescriptor.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import * as TagFilter from "../../src/reading/TagFilter.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

/** As a RocketMQ with `enableConsumeQueueExt` has left it: entries whose code is a place in the extended queue. */
const extended = () => {
  const store = new SimulatedStore(1).open()
  const tags = ["TagA", "Aa", "BB", "TagA", undefined]
  store.put(...tags.map((tag, id) => ({ topic: "topic", queueId: 0, body: Uint8Array.of(id), tags: tag })))
  store.run(50)
  const { queue } = store.engine.queues.find("topic", 0)!
  const { file } = queue.files.files[0]!
  for (let offset = 0; offset < tags.length - 1; offset++) {
    const at = offset * EntryDescriptor.LENGTH + EntryDescriptor.TAGS_CODE_OFFSET
    file.claim(at, 8).view.setBigInt64(0, -(2n ** 63n) + BigInt(offset * 20))
  }
  const read = (expression: string, matchText: boolean) => {
    const found: Array<number> = []
    const limits = { countMax: 10, bytesMax: 1 << 20 }
    GetMessage.get(store.engine.commitLog, queue, 0, limits, TagFilter.parse(expression, matchText), (record) => {
      found.push(record.bytes[record.bodyAt]!)
    })
    return found
  }
  return { read, store }
}

describe("entries that point into an extended queue", () => {
  it("are filtered by the tags of their records, by text or by hash", () => {
    const { read } = extended()
    assert.deepStrictEqual(read("TagA", true), [0, 3])
    assert.deepStrictEqual(read("Aa", true), [1])
    assert.deepStrictEqual(read("Aa", false), [1, 2])
    assert.deepStrictEqual(read("*", true), [0, 1, 2, 3, 4])
  })

  it("are kept when the store is opened", () => {
    const { store } = extended()
    store.kill()
    assert.strictEqual(store.open().recovery.queueEntriesCut, 0)
    assert.strictEqual(store.engine.queues.find("topic", 0)!.queue.maxOffset, 5)
  })
})
