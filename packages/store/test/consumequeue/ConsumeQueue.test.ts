import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
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

const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
/** How many offsets a record leaves out, or how many entries are cut off the end. */
const Step = Schema.Struct({ kind: Schema.Literals(["append", "append", "append", "again", "cut"]), count: Small })

describe("ConsumeQueue", () => {
  it.prop(
    "has the entries, the fillers and the files that a list of offsets has",
    { steps: Schema.Array(Step) },
    ({ steps }) => {
      const { fileSystem, queue } = make()
      const model: Array<number | undefined> = []
      let begin: number | undefined = undefined
      let position = 0
      for (const { count, kind } of steps) {
        if (kind === "append") {
          // Most records come behind each other; some of a queue are gone with the log that they stood in.
          const offset = model.length + (count > 30 ? count - 30 : 0)
          queue.append(offset, position, 100, offset * 7)
          begin ??= offset
          model.length = offset
          model.push(position)
          position += 100
        } else if (kind === "again" && model.length > 0) {
          const offset = count % model.length
          queue.append(offset, model[offset] ?? 0, 100, 1)
        } else if (kind === "cut" && begin !== undefined) {
          const end = Math.max(begin, model.length - count)
          queue.truncate(end)
          model.length = end
          // As recovery does: what is cut of the queue is cut of the log.
          position = (model.findLast((at) => at !== undefined) ?? -100) + 100
          queue.maxPosition = position
        }
      }
      const start = Math.floor((begin ?? 0) / ENTRIES_PER_FILE) * ENTRIES_PER_FILE
      assert.strictEqual(queue.maxOffset, begin === undefined ? 0 : model.length)
      assert.strictEqual(queue.firstSlot, begin === undefined ? 0 : start)
      for (let offset = start; offset < model.length; offset++) {
        const expected = model[offset]
        assert.deepStrictEqual(
          read(queue, offset),
          expected === undefined
            ? { position: 0, size: 0x7fffffff, tagsCode: 0 }
            : { position: expected, size: 100, tagsCode: offset * 7 }
        )
      }
      assert.isUndefined(read(queue, model.length))
      const names = fileSystem
        .entries("/q")!
        .map(({ name }) => Number(name))
        .toSorted((a, b) => a - b)
      assert.deepStrictEqual(
        names,
        queue.files.files.map(({ fromOffset }) => fromOffset)
      )
      assert.isTrue(names.every((name, index) => name === 20 * (start + index * ENTRIES_PER_FILE)))
    }
  )

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

  it("has no entry where its file is gone", () => {
    const { queue } = make()
    for (let offset = 0; offset < 25; offset++) {
      queue.append(offset, offset * 100, 100, offset)
    }
    queue.files.removeFirst()
    assert.isUndefined(read(queue, 0))
    assert.strictEqual(queue.unitPositionOf(0), -1)
    assert.strictEqual(queue.findEnd(0), 0)
    queue.rewriteEntry(0, { position: 1, size: 1, tagsCode: 1 })
    assert.isUndefined(read(queue, 0))
    assert.strictEqual(read(queue, 10)?.position, 1000)
    assert.strictEqual(queue.findEnd(10), 25)
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
