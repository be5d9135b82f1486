import { assert, describe, it } from "@effect/vitest"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import { AssertionError } from "../../src/memory/Assert.ts"
import { makeLog, message, TERM_LENGTH } from "./testLog.ts"

const logOf = (lengths: ReadonlyArray<number>) => {
  const log = makeLog()
  const appender = new ExclusiveTermAppender(log)
  lengths.forEach((length, index) => appender.append(message(index, length), 0, length))
  return { log, appender }
}

const readAll = (reader: BatchReader, capacity = 8) => {
  const batch = new FragmentBatch(capacity)
  const batches: Array<ReadonlyArray<ReadonlyArray<number>>> = []
  while (reader.read(batch) > 0) {
    batches.push(Array.from({ length: batch.count }, (_, index) => Array.from(batch.message(index))))
  }
  return batches
}

describe("BatchReader", () => {
  it("borrows the log: offsets, lengths, positions, flags and reserved values of each message", () => {
    const log = makeLog({ termCount: 2, termOffset: 64 })
    const appender = new TermAppender(log)
    appender.append(message(1, 8), 0, 8, () => 7n)
    appender.append(message(2, 100), 0, 100, () => -(2n ** 40n))
    const start = 2 * TERM_LENGTH + 64
    const reader = new BatchReader(log, start)
    const batch = new FragmentBatch(4)
    assert.strictEqual(reader.read(batch), 2)
    assert.strictEqual(reader.position, start + 224)
    assert.strictEqual(batch.buffer, log.terms[2].bytes)
    assert.isFalse(batch.isOwned)
    assert.deepStrictEqual(Array.from(batch.offsets.subarray(0, 2)), [96, 160])
    assert.deepStrictEqual(Array.from(batch.lengths.subarray(0, 2)), [8, 100])
    assert.deepStrictEqual(Array.from(batch.positions.subarray(0, 2)), [start + 64, start + 224])
    assert.deepStrictEqual(Array.from(batch.reservedValues.subarray(0, 2)), [7n, -(2n ** 40n)])
    assert.strictEqual(batch.sessionId, log.sessionId)
    assert.strictEqual(batch.streamId, log.streamId)
    assert.deepStrictEqual(batch.message(1), message(2, 100))
    assert.throws(() => batch.message(2), AssertionError)
  })

  it("says where each batch begins: behind the message before it, padding and fragments included", () => {
    const { log } = logOf([8, 500, 40, 8])
    const reader = new BatchReader(log, 0)
    const batch = new FragmentBatch(1)
    const places: Array<readonly [number, number]> = []
    while (reader.read(batch) > 0) {
      places.push([batch.startPosition, batch.positions[0]!])
      assert.strictEqual(batch.toOwned().startPosition, batch.startPosition)
    }
    assert.deepStrictEqual(
      places.map(([start]) => start),
      [0, ...places.slice(0, -1).map(([, position]) => position)]
    )
    const again = new BatchReader(log, 0)
    const many = new FragmentBatch(8)
    again.read(many)
    again.takeBack(many, 0)
    assert.strictEqual(again.read(many) > 0 && many.startPosition, 0)
    const joined = new BatchReader(log, places[2]![0])
    joined.read(many)
    assert.strictEqual(many.startPosition, places[2]![0])
    joined.skip(0)
    assert.strictEqual(joined.read(many), 0)
  })

  it("owns a copy that later writes and reads do not touch", () => {
    const { log } = logOf([8, 0, 100])
    const reader = new BatchReader(log, 0)
    const batch = new FragmentBatch(8)
    reader.read(batch)
    const owned = batch.toOwned()
    log.terms[0].bytes.fill(0xff)
    batch.count = 0
    assert.isTrue(owned.isOwned)
    assert.strictEqual(owned.buffer.length, 8 + 8 + 24 + 32 + 32 + 100)
    assert.deepStrictEqual(
      [0, 1, 2].map((index) => owned.message(index)),
      [message(0, 8), new Uint8Array(0), message(2, 100)]
    )
    assert.deepStrictEqual(Array.from(owned.positions), [64, 96, 256])
    assert.throws(() => reader.read(owned), AssertionError, "owned batch")
    assert.strictEqual(owned.toOwned(), owned)
    assert.strictEqual(new FragmentBatch(8).toOwned().count, 0)
  })

  it("gives messages that may be kept, views of one copy", () => {
    const { log } = logOf([8, 0, 100])
    const batch = new FragmentBatch(8)
    new BatchReader(log, 0).read(batch)
    const expected = [message(0, 8), new Uint8Array(0), message(2, 100)]
    const owned = batch.toOwned()
    const messages = batch.toMessages()
    assert.notStrictEqual(messages[0]!.buffer, log.terms[0].bytes.buffer)
    log.terms[0].bytes.fill(0xff)
    assert.deepStrictEqual(messages, expected)
    assert.strictEqual(messages[2]!.buffer, messages[0]!.buffer)
    assert.deepStrictEqual(owned.toMessages(), expected)
    assert.strictEqual(owned.toMessages()[0]!.buffer, owned.buffer.buffer)
    assert.deepStrictEqual(new FragmentBatch(8).toMessages(), [])
  })

  it("gives the reserved value of each message, of borrowed, owned and assembled ones", () => {
    const log = makeLog()
    const appender = new ExclusiveTermAppender(log)
    const values = [5n, -1n, 2n ** 62n, -(2n ** 63n)]
    for (const length of [8, 100, 500, 0]) {
      appender.append(message(1, length), 0, length, () => values[0]!)
      values.push(values.shift()!)
    }
    const reader = new BatchReader(log, 0)
    const batch = new FragmentBatch(4)
    const read: Array<bigint> = []
    while (reader.read(batch) > 0) {
      const owned = batch.toOwned()
      assert.deepStrictEqual(owned.reservedValues.slice(0, owned.count), batch.reservedValues.slice(0, batch.count))
      read.push(...owned.reservedValues.slice(0, owned.count))
    }
    assert.deepStrictEqual(read, values)
  })

  it("assembles a message of several fragments as a batch of its own", () => {
    const { log } = logOf([8, 500, 40, 448, 8])
    const reader = new BatchReader(log, 0)
    const batches = readAll(reader)
    assert.deepStrictEqual(batches, [
      [Array.from(message(0, 8))],
      [Array.from(message(1, 500))],
      [Array.from(message(2, 40))],
      [Array.from(message(3, 448))],
      [Array.from(message(4, 8))]
    ])
    assert.strictEqual(reader.position, new ExclusiveTermAppender(log).position())
    assert.strictEqual(reader.droppedCount, 0)
  })

  it("goes on with a message whose fragments arrive between reads", () => {
    const { log: whole } = logOf([500, 8])
    const log = makeLog()
    const reader = new BatchReader(log, 0)
    const batch = new FragmentBatch(8)
    for (const [begin, end] of [
      [0, 256],
      [256, 512]
    ] as const) {
      log.terms[0].bytes.set(whole.terms[0].bytes.subarray(begin, end), begin)
      assert.strictEqual(reader.read(batch), 0)
      assert.strictEqual(reader.position, end)
    }
    log.terms[0].bytes.set(whole.terms[0].bytes.subarray(512, 672), 512)
    assert.strictEqual(reader.read(batch), 1)
    assert.deepStrictEqual(batch.message(0), message(0, 500))
    assert.deepStrictEqual([batch.positions[0], batch.flags[0]], [608, 0xc0])
    assert.strictEqual(reader.read(batch), 1)
    assert.deepStrictEqual(batch.message(0), message(1, 8))
  })

  it("drops a message of which a fragment was replaced by padding, and delivers the next", () => {
    const { log } = logOf([500, 8])
    log.terms[0].view.setUint16(256 + 6, 0, true)
    const reader = new BatchReader(log, 0)
    assert.deepStrictEqual(readAll(reader), [[Array.from(message(1, 8))]])
    assert.strictEqual(reader.droppedCount, 1)
  })

  it("counts a message as dropped when all the rest of it was replaced", () => {
    const { log } = logOf([500, 8])
    log.terms[0].view.setUint16(256 + 6, 0, true)
    log.terms[0].view.setUint16(512 + 6, 0, true)
    const reader = new BatchReader(log, 0)
    assert.deepStrictEqual(readAll(reader), [[Array.from(message(1, 8))]])
    assert.strictEqual(reader.droppedCount, 1)
  })

  it("drops the rest of a message that began before it joined", () => {
    const { log } = logOf([500, 8, 300])
    for (const start of [256, 512]) {
      const reader = new BatchReader(log, start)
      assert.deepStrictEqual(readAll(reader), [[Array.from(message(1, 8))], [Array.from(message(2, 300))]])
      assert.strictEqual(reader.droppedCount, 0)
    }
  })

  it("never shows padding and cuts a batch at it", () => {
    const { appender, log } = logOf([8])
    appender.appendPadding(100)
    appender.append(message(1, 8), 0, 8)
    appender.appendPadding(0)
    const reader = new BatchReader(log, 0)
    assert.deepStrictEqual(readAll(reader), [[Array.from(message(0, 8))], [Array.from(message(1, 8))]])
    assert.strictEqual(reader.position, appender.position())
  })

  it("follows the log from term to term", () => {
    const log = makeLog({ termOffset: TERM_LENGTH - 64 })
    const appender = new TermAppender(log)
    appender.append(message(1, 100), 0, 100)
    appender.append(message(1, 100), 0, 100)
    const reader = new BatchReader(log, TERM_LENGTH - 64)
    assert.deepStrictEqual(readAll(reader), [[Array.from(message(1, 100))]])
    assert.strictEqual(reader.position, TERM_LENGTH + 160)
  })

  it("takes no more messages than the batch holds and no more log than asked for", () => {
    const { log } = logOf([8, 8, 8, 8, 8])
    assert.deepStrictEqual(
      readAll(new BatchReader(log, 0), 2).map((batch) => batch.length),
      [2, 2, 1]
    )
    const reader = new BatchReader(log, 0)
    const batch = new FragmentBatch(8)
    assert.strictEqual(reader.read(batch, 128), 2)
    assert.strictEqual(reader.read(batch, 1), 1)
    assert.strictEqual(reader.read(batch, 0), 0)
  })

  it("takes no more messages than asked for, though the batch holds more", () => {
    const { log } = logOf([8, 8, 8, 2000, 8])
    const reader = new BatchReader(log, 0)
    const batch = new FragmentBatch(8)
    assert.strictEqual(reader.read(batch, Infinity, 2), 2)
    assert.strictEqual(reader.position, 128)
    assert.strictEqual(reader.read(batch, Infinity, 2), 1)
    assert.strictEqual(reader.read(batch, Infinity, 1), 1)
    assert.strictEqual(batch.lengths[0], 2000)
    assert.strictEqual(reader.read(batch, Infinity, 9), 1)
    assert.throws(() => reader.read(batch, Infinity, 0), AssertionError)
  })

  it("refuses to begin between frames", () => {
    assert.throws(() => new BatchReader(makeLog(), 16), AssertionError)
    assert.throws(() => new BatchReader(makeLog(), -32), AssertionError)
  })

  it("reads a message again that was taken back, and those behind it", () => {
    const { log } = logOf([8, 100, 16])
    const reader = new BatchReader(log, 0)
    const batch = new FragmentBatch(8)
    assert.strictEqual(reader.read(batch), 3)
    reader.takeBack(batch, 1)
    assert.strictEqual(reader.position, 64)
    assert.throws(() => reader.takeBack(batch, 3), AssertionError)
    assert.deepStrictEqual(readAll(reader), [[Array.from(message(1, 100)), Array.from(message(2, 16))]])
  })

  it("waits for the last fragment again when a message in fragments was taken back", () => {
    const { appender, log } = logOf([])
    const length = 3 * appender.maxPayloadLength
    appender.append(message(1, length), 0, length)
    const reader = new BatchReader(log, 0)
    const batch = new FragmentBatch(8)
    for (let attempt = 0; attempt < 3; attempt++) {
      assert.strictEqual(reader.read(batch), 1)
      assert.deepStrictEqual(batch.message(0), message(1, length))
      reader.takeBack(batch, 0)
      assert.strictEqual(reader.position, 2 * log.mtuLength)
    }
    assert.strictEqual(reader.read(batch), 1)
    assert.strictEqual(reader.position, 3 * log.mtuLength)
    assert.strictEqual(reader.droppedCount, 0)
  })

  it("gives up a message whose middle was skipped", () => {
    const { appender, log } = logOf([])
    const length = 2 * appender.maxPayloadLength
    appender.append(message(1, length), 0, length)
    appender.append(message(2, 8), 0, 8)
    const reader = new BatchReader(log, 0)
    const batch = new FragmentBatch(8)
    assert.strictEqual(reader.read(batch), 1)
    reader.takeBack(batch, 0)
    reader.skip(log.mtuLength)
    assert.strictEqual(reader.droppedCount, 1)
    assert.deepStrictEqual(readAll(reader), [[Array.from(message(2, 8))]])
    assert.throws(() => reader.skip(1), AssertionError)
  })
})
