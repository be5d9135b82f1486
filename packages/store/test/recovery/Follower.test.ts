import { assert, describe, it } from "vitest"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const BODY_LENGTH = 200
/** Until a reader lists the directories again. */
const LIST_MS = 600

const message = (id: number, queueId: number = 0) => ({
  topic: "topic",
  queueId,
  body: Buffer.from(String(id).padEnd(BODY_LENGTH)),
  keys: `key${id}`
})

const put = (store: SimulatedStore, from: number, to: number, queueId: number = 0) => {
  for (let id = from; id < to; id++) {
    store.put(message(id, queueId))
  }
  store.run(50)
}

const queueOf = ({ engine }: SimulatedStore, queueId: number = 0) => engine.queues.find("topic", queueId)!

const idsOf = (store: SimulatedStore, queueId: number = 0) => {
  const { queue } = queueOf(store, queueId)
  const ids: Array<number> = []
  for (let offset = queue.minOffset; offset < queue.maxOffset;) {
    const limits = { countMax: 100, bytesMax: 1 << 20 }
    offset = GetMessage.get(store.engine.commitLog, queue, offset, limits, undefined, (record) =>
      ids.push(Number(Buffer.from(record.bytes.subarray(record.bodyAt, record.bodyAt + record.bodyLength)).toString()))
    ).nextOffset
  }
  return ids
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe("Follower", () => {
  it("reads a queue that is made and filled after it was attached", () => {
    const writer = new SimulatedStore(1).open()
    put(writer, 0, 3)
    const reader = writer.reader().open()
    put(writer, 3, 5, 7)
    reader.run(LIST_MS)
    assert.strictEqual(queueOf(reader, 7).queue.maxOffset, 2)
    assert.strictEqual(queueOf(reader, 7).nextOffset, 2)
    assert.deepStrictEqual(idsOf(reader, 7), [3, 4])
    put(writer, 5, 60, 7)
    reader.run(LIST_MS)
    assert.deepStrictEqual(idsOf(reader, 7), range(3, 60))
    assert.deepStrictEqual(idsOf(reader), range(0, 3))
  })
})
