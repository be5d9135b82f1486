import { assert, describe, it } from "vitest"
import { ConsumeQueue } from "../../src/consumequeue/ConsumeQueue.ts"
import { MappedFileQueue } from "../../src/mapped/MappedFileQueue.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const ENTRIES_PER_FILE = 4

/** The log of a store with three messages, where they stand in it, and a queue without entries. */
const make = () => {
  const store = new SimulatedStore(1).open()
  const messages = [0, 1, 2].map((id) => store.put({ topic: "topic", queueId: 0, body: Buffer.from(`${id}`) })[0]!)
  store.run(100)
  const fileSystem = new MemoryFileSystem((run) => run())
  fileSystem.makeDirectory("/q")
  const files = new MappedFileQueue({
    fileSystem,
    directories: ["/q"],
    fileLength: 20 * ENTRIES_PER_FILE,
    use: "queue",
    reserveStep: 20,
    readOnly: false
  })
  const queue = new ConsumeQueue("topic", 0, files)
  const get = (offset: number) => {
    const limits = { countMax: 100, bytesMax: 1 << 22 }
    const { count, nextOffset, status } = GetMessage.get(
      store.engine.commitLog,
      queue,
      offset,
      limits,
      undefined,
      () => {}
    )
    return { status, count, nextOffset }
  }
  return { commitLog: store.engine.commitLog, messages, queue, get }
}

describe("a queue whose entries are not what they were", () => {
  it("ends for now in front of an entry whose record is not readable yet", () => {
    const { commitLog, get, messages, queue } = make()
    queue.append(0, messages[0]!.position, messages[0]!.length, 0)
    queue.append(1, commitLog.readableEnd, 100, 0)
    assert.deepStrictEqual(get(0), { status: "FOUND", count: 1, nextOffset: 1 })
    assert.deepStrictEqual(get(1), { status: "OFFSET_OVERFLOW_ONE", count: 0, nextOffset: 1 })
  })

  it("steps over entries that lead to no record, or to one that reaches out of its file", () => {
    const { get, messages, queue } = make()
    queue.append(0, messages[0]!.position + 8, 20, 0)
    queue.append(1, messages[1]!.position, messages[1]!.length, 0)
    queue.append(2, messages[2]!.position, 1 << 20, 0)
    assert.deepStrictEqual(get(0), { status: "FOUND", count: 1, nextOffset: 3 })
    assert.deepStrictEqual(get(2), { status: "MESSAGE_WAS_REMOVING", count: 0, nextOffset: 3 })
  })

  it("goes on with the next file where one is gone", () => {
    const { get, messages, queue } = make()
    for (let offset = 0; offset < 2 * ENTRIES_PER_FILE; offset++) {
      queue.append(offset, messages[0]!.position + offset, messages[0]!.length, 0)
    }
    queue.files.removeFirst()
    assert.deepStrictEqual(get(0), { status: "OFFSET_FOUND_NULL", count: 0, nextOffset: ENTRIES_PER_FILE })
  })
})
