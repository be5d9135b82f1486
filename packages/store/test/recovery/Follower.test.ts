import { assert, describe, it } from "vitest"
import { FileFailure } from "../../src/mapped/FileSystem.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const BODY_LENGTH = 200
const HOUR_MS = 3_600_000
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

/** The files of the log, of its one queue and of the index. */
const filesOf = ({ engine }: SimulatedStore) => [
  ...engine.commitLog.files.files,
  ...engine.queues.find("topic", 0)!.queue.files.files,
  ...engine.index.files.map(({ file }) => file)
]

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

  it("lets go of files that the writer has removed, and says where the log and its queues begin now", () => {
    const writer = new SimulatedStore(1).open()
    put(writer, 0, 200)
    const reader = writer.reader().open()
    const before = filesOf(reader).map(({ file }) => file)
    assert.isAbove(before.length, 8)
    writer.nowMs += 2 * HOUR_MS
    writer.hour = 4
    put(writer, 200, 203)
    writer.run(1000)
    reader.run(LIST_MS)
    const { queue } = queueOf(reader)
    assert.strictEqual(reader.engine.commitLog.minOffset, writer.engine.commitLog.minOffset)
    assert.strictEqual(queue.files.minOffset, queueOf(writer).queue.files.minOffset)
    assert.strictEqual(queue.minOffset, queueOf(writer).queue.minOffset)
    assert.deepStrictEqual(idsOf(reader), range(queue.minOffset, 203))
    reader.engine.index.refresh(reader.engine.commitLog.minOffset)
    // What the writer has made ahead it does not count yet.
    const begun = filesOf(writer).map(({ file }) => file.path)
    const kept = filesOf(reader).map(({ file }) => file.path)
    assert.includeMembers(kept, begun)
    assert.isTrue(kept.every((path) => writer.disk.exists(path)))
    for (const file of before) {
      assert.strictEqual(file.state.isClosed, !writer.disk.exists(file.path), file.path)
    }
    put(writer, 203, 300)
    reader.run(LIST_MS)
    assert.deepStrictEqual(idsOf(reader), range(queue.minOffset, 300))
  })

  it("goes on when all the files that it knew are gone", () => {
    const writer = new SimulatedStore(1).open()
    put(writer, 0, 20)
    const reader = writer.reader().open()
    put(writer, 20, 200)
    writer.nowMs += 2 * HOUR_MS
    writer.hour = 4
    put(writer, 200, 203)
    writer.run(1000)
    reader.run(LIST_MS)
    const { queue } = queueOf(reader)
    assert.strictEqual(queue.minOffset, queueOf(writer).queue.minOffset)
    assert.deepStrictEqual(idsOf(reader), range(queue.minOffset, 203))
  })

  it("tries again what it could not list, and says so meanwhile", () => {
    const writer = new SimulatedStore(1).open()
    put(writer, 0, 3)
    const reader = writer.reader().open()
    const entries = writer.disk.entries.bind(writer.disk)
    writer.disk.entries = (directory) => {
      throw new FileFailure({ code: "EIO", operation: "list", path: directory })
    }
    reader.run(LIST_MS)
    assert.strictEqual(reader.engine.health.dispatchFailure?.code, "EIO")
    writer.disk.entries = entries
    put(writer, 3, 5, 7)
    reader.run(LIST_MS)
    assert.isUndefined(reader.engine.health.dispatchFailure)
    assert.deepStrictEqual(idsOf(reader, 7), [3, 4])
  })

  it("looks only into the queue that is read, and into the others with its next step", () => {
    const writer = new SimulatedStore(1).open()
    put(writer, 0, 1)
    put(writer, 1, 2, 1)
    const reader = writer.reader().open()
    put(writer, 2, 30)
    put(writer, 30, 31, 1)
    reader.engine.catchUp(queueOf(reader))
    assert.deepStrictEqual(idsOf(reader), [0, ...range(2, 30)])
    assert.deepStrictEqual(idsOf(reader, 1), [1])
    reader.engine.catchUp()
    assert.deepStrictEqual(idsOf(reader, 1), [1])
    reader.run(20)
    assert.deepStrictEqual(idsOf(reader, 1), [1, 30])
  })

  it("learns the sizes of a store that was empty when it was attached from the writer's first files", () => {
    const sizes = ["mappedFileSizeCommitLog", "mappedFileSizeConsumeQueue", "maxHashSlotNum", "maxIndexNum"] as const
    const writer = new SimulatedStore(1).open()
    const others = { mappedFileSizeCommitLog: 1 << 20, mappedFileSizeConsumeQueue: 20 * 777 }
    const index = { maxHashSlotNum: 99, maxIndexNum: 777 }
    const guessing = writer.reader({ ...others, ...index, guessed: new Set(sizes) }).open()
    const told = writer.reader({ ...others, ...index }).open()
    put(writer, 0, 60)
    guessing.run(LIST_MS)
    assert.deepStrictEqual(idsOf(guessing), range(0, 60))
    const request = { topic: "topic", key: "key59", countMax: 9, begin: 0, end: Number.MAX_SAFE_INTEGER }
    assert.deepStrictEqual(guessing.engine.index.lookup(request), writer.engine.index.lookup(request))
    assert.strictEqual(guessing.engine.index.files.length, writer.engine.index.files.length)
    assert.throws(() => told.run(LIST_MS), /it has 400 bytes, files of this queue have 15540/)
  })
})
