import { assert, describe, it } from "vitest"
import { ConsumeQueue, isFiller, type QueueEntry } from "../../src/consumequeue/ConsumeQueue.ts"
import { MappedFileQueue } from "../../src/mapped/MappedFileQueue.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"

const ENTRIES_PER_FILE = 10

const make = () => {
  const fileSystem = new MemoryFileSystem((run) => run())
  fileSystem.makeDirectory("/q")
  const files = new MappedFileQueue({
    fileSystem,
    directories: ["/q"],
    fileLength: 20 * ENTRIES_PER_FILE,
    use: "queue",
    reserveStep: 40,
    readOnly: false
  })
  return { fileSystem, queue: new ConsumeQueue("topic", 0, files) }
}

const read = (queue: ConsumeQueue, offset: number) => {
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  return queue.read(offset, entry) ? { ...entry } : undefined
}

describe("ConsumeQueue", () => {
  it("writes entries of 20 bytes, big-endian", () => {
    const { fileSystem, queue } = make()
    queue.append(0, 0x1_0000_0002, 182, -1629498848)
    const bytes = fileSystem.readBytes("/q/00000000000000000000")!
    assert.strictEqual(Buffer.from(bytes.subarray(0, 20)).toString("hex"), "0000000100000002000000b6ffffffff9edfd220")
    assert.deepStrictEqual(read(queue, 0), { position: 0x1_0000_0002, size: 182, tagsCode: -1629498848 })
  })

  it("rolls to files named by the byte that they begin with", () => {
    const { fileSystem, queue } = make()
    for (let offset = 0; offset < 25; offset++) {
      queue.append(offset, 100 * offset, 100, offset)
    }
    assert.deepStrictEqual(
      fileSystem
        .entries("/q")!
        .map(({ name }) => name)
        .toSorted(),
      ["00000000000000000000", "00000000000000000200", "00000000000000000400"]
    )
    assert.strictEqual(queue.maxOffset, 25)
    assert.deepStrictEqual(read(queue, 17), { position: 1700, size: 100, tagsCode: 17 })
    assert.isUndefined(read(queue, 25))
    assert.isUndefined(read(queue, -1))
  })

  it("leaves entries alone that it has already", () => {
    const { queue } = make()
    queue.append(0, 0, 100, 1)
    queue.append(1, 100, 100, 2)
    queue.append(0, 0, 100, 9)
    queue.append(1, 100, 100, 9)
    assert.strictEqual(queue.maxOffset, 2)
    assert.strictEqual(read(queue, 0)!.tagsCode, 1)
  })

  it("begins with fillers where its first message is not number 0", () => {
    const { queue } = make()
    queue.append(13, 5000, 100, 7)
    assert.strictEqual(queue.minOffset, 13)
    assert.strictEqual(queue.maxOffset, 14)
    assert.strictEqual(queue.files.minOffset, 200)
    assert.isTrue(isFiller(read(queue, 12)!))
    assert.deepStrictEqual(read(queue, 13), { position: 5000, size: 100, tagsCode: 7 })
    assert.strictEqual(queue.maxPosition, 5100)
  })

  it("keeps every offset at its place when entries between are missing", () => {
    const { queue } = make()
    queue.append(0, 0, 100, 1)
    queue.append(12, 1200, 100, 2)
    assert.isTrue(isFiller(read(queue, 5)!))
    assert.strictEqual(read(queue, 12)!.position, 1200)
    assert.strictEqual(queue.minOffset, 0)
  })

  it("ends where it is cut, and goes on from there", () => {
    const { queue } = make()
    for (let offset = 0; offset < 25; offset++) {
      queue.append(offset, 100 * offset, 100, offset)
    }
    queue.truncate(12)
    queue.maxPosition = 1200
    assert.strictEqual(queue.maxOffset, 12)
    queue.append(12, 1200, 50, 99)
    assert.deepStrictEqual(read(queue, 12), { position: 1200, size: 50, tagsCode: 99 })
  })
})
