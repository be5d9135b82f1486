import { assert, describe, it } from "@effect/vitest"
import { BatchAppender, framedLength } from "../../src/logbuffer/BatchAppender.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import * as FrameDescriptor from "../../src/logbuffer/FrameDescriptor.ts"
import type { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import type { MessageAppender } from "../../src/logbuffer/MessageAppender.ts"
import { ADMIN_ACTION } from "../../src/logbuffer/OfferResult.ts"
import { SlabAppender } from "../../src/logbuffer/SlabAppender.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import { AssertionError } from "../../src/memory/Assert.ts"
import { fragmentsOf } from "./MessageAppenderContract.ts"
import { makeLog, message, TERM_LENGTH } from "./testLog.ts"

const LENGTHS = [0, 1, 32, 33, 224, 100, 8, 5]

const messages = LENGTHS.map((length, index) => message(index, length))

/** The messages one behind another, beginning at `shift`, so that each alignment of a slab occurs. */
const slabOf = (shift: number) => {
  const offsets = new Int32Array(LENGTHS.length)
  let length = shift
  LENGTHS.forEach((messageLength, index) => {
    offsets[index] = length
    length += messageLength
  })
  const source = new Uint8Array(length)
  messages.forEach((bytes, index) => source.set(bytes, offsets[index]))
  return { source, offsets, lengths: Int32Array.from(LENGTHS) }
}

const appendOneByOne = (appender: MessageAppender): void => {
  for (const bytes of messages) {
    appender.append(bytes, 0, bytes.length)
  }
}

const kinds: ReadonlyArray<readonly [string, (log: LogBuffers) => MessageAppender]> = [
  ["an exclusive", (log) => new ExclusiveTermAppender(log)],
  ["a concurrent", (log) => new TermAppender(log)]
]

describe("BatchAppender", () => {
  for (const [kind, make] of kinds) {
    it(`writes with ${kind} appender the bytes that single appends write`, () => {
      const single = makeLog()
      appendOneByOne(make(single))
      const all = makeLog()
      const batch = new BatchAppender(make(all))
      assert.strictEqual(batch.appendAll(messages, 0, messages.length), make(single).position())
      assert.strictEqual(batch.appendedCount, messages.length)
      assert.deepStrictEqual(all.terms[0].bytes, single.terms[0].bytes)
      for (const shift of [0, 1, 2, 3, 4, 7]) {
        const log = makeLog()
        const { lengths, offsets, source } = slabOf(shift)
        new SlabAppender(make(log)).appendSlab(source, offsets, lengths, 0, lengths.length)
        assert.deepStrictEqual(log.terms[0].bytes, single.terms[0].bytes, `shift ${shift}`)
      }
    })
  }

  it("copies from slabs that are views at any byte of their memory", () => {
    const single = makeLog()
    appendOneByOne(new TermAppender(single))
    for (const shift of [0, 1, 2, 3]) {
      const log = makeLog()
      const batch = new SlabAppender(new TermAppender(log))
      const { lengths, offsets, source } = slabOf(0)
      const memory = new Uint8Array(source.length + 8)
      memory.set(source, shift)
      batch.appendSlab(memory.subarray(shift, shift + source.length), offsets, lengths, 0, 4)
      batch.appendSlab(source, offsets, lengths, 4, lengths.length)
      assert.deepStrictEqual(log.terms[0].bytes, single.terms[0].bytes, `shift ${shift}`)
    }
  })

  it("takes a slab in several batches", () => {
    const single = makeLog()
    appendOneByOne(new TermAppender(single))
    const log = makeLog()
    const batch = new SlabAppender(new TermAppender(log))
    const { lengths, offsets, source } = slabOf(0)
    for (let begin = 0; begin < lengths.length; begin += 2) {
      batch.appendSlab(source, offsets, lengths, begin, begin + 2)
    }
    assert.deepStrictEqual(log.terms[0].bytes, single.terms[0].bytes)
  })

  it("keeps a batch invisible until it is committed, whole", () => {
    const log = makeLog()
    const batch = new BatchAppender(new TermAppender(log))
    assert.strictEqual(batch.begin(framedLength(8) + framedLength(40)), 160)
    assert.strictEqual(FrameDescriptor.frameLengthAcquire(log.terms[0], 0), -160)
    batch.put(message(1, 8), 0, 8)
    batch.put(message(2, 40), 0, 40)
    assert.strictEqual(FrameDescriptor.frameLengthAcquire(log.terms[0], 0), -160)
    assert.deepStrictEqual(fragmentsOf(log, 0), [])
    batch.commit()
    assert.deepStrictEqual(
      fragmentsOf(log, 0).map(({ bytes }) => bytes),
      [Array.from(message(1, 8)), Array.from(message(2, 40))]
    )
  })

  it("lets messages be encoded in place, with reserved values", () => {
    const log = makeLog()
    const batch = new BatchAppender(new TermAppender(log))
    batch.begin(3 * framedLength(8))
    for (let index = 0; index < 3; index++) {
      const offset = batch.next(8)
      batch.buffer.view.setInt32(offset, 1000 + index, true)
      batch.setReservedValue(offset, BigInt(-index))
    }
    batch.commit()
    assert.deepStrictEqual(
      fragmentsOf(log, 0).map(({ bytes, reservedValue }) => [
        new DataView(Uint8Array.from(bytes).buffer).getInt32(0, true),
        reservedValue
      ]),
      [
        [1000, 0n],
        [1001, -1n],
        [1002, -2n]
      ]
    )
  })

  it("pads what was claimed and not used", () => {
    const log = makeLog()
    const batch = new BatchAppender(new TermAppender(log))
    const position = batch.begin(640)
    batch.put(message(1, 8), 0, 8)
    batch.commit()
    assert.strictEqual(FrameDescriptor.frameLengthAcquire(log.terms[0], 64), 576)
    assert.isTrue(FrameDescriptor.isPadding(log.terms[0], 64))
    new TermAppender(log).append(message(2, 8), 0, 8)
    assert.deepStrictEqual(
      fragmentsOf(log, 0).map(({ termOffset }) => termOffset),
      [0, position]
    )
  })

  it("leaves one pad in the place of a batch that is aborted or empty", () => {
    for (const end of ["abort", "commit"] as const) {
      const log = makeLog()
      const batch = new BatchAppender(new TermAppender(log))
      batch.begin(640)
      if (end === "abort") {
        batch.put(message(1, 300 - 100), 0, 200)
      }
      batch[end]()
      assert.strictEqual(FrameDescriptor.frameLengthAcquire(log.terms[0], 0), 640)
      assert.deepStrictEqual(fragmentsOf(log, 0), [])
      assert.strictEqual(batch.begin(64), 704)
    }
  })

  it("takes as many messages as one claim holds", () => {
    const log = makeLog()
    const batch = new BatchAppender(new ExclusiveTermAppender(log))
    const many = Array.from({ length: 300 }, (_, index) => message(index, 32))
    let taken = 0
    while (taken < many.length) {
      assert.isAbove(batch.appendAll(many, taken, many.length), 0)
      assert.isAtMost(batch.appendedCount, 8192 / 64)
      taken += batch.appendedCount
    }
    assert.deepStrictEqual(
      fragmentsOf(log, 0).map(({ bytes }) => bytes),
      many.map((bytes) => Array.from(bytes))
    )
  })

  it("sends a message that is longer than a frame alone, between batches", () => {
    const log = makeLog()
    const batch = new SlabAppender(new TermAppender(log))
    const mixed = [message(1, 8), message(2, 500), message(3, 8)]
    const counts: Array<number> = []
    for (let taken = 0; taken < mixed.length; taken += batch.appendedCount) {
      assert.isAbove(batch.appendAll(mixed, taken, mixed.length), 0)
      counts.push(batch.appendedCount)
    }
    assert.deepStrictEqual(counts, [1, 1, 1])
    assert.deepStrictEqual(
      fragmentsOf(log, 0).flatMap(({ bytes }) => bytes),
      mixed.flatMap((bytes) => Array.from(bytes))
    )
    const slab = Uint8Array.from(mixed.flatMap((bytes) => Array.from(bytes)))
    batch.appendSlab(slab, Int32Array.of(0, 8, 508), Int32Array.of(8, 500, 8), 1, 3)
    assert.strictEqual(batch.appendedCount, 1)
  })

  it("takes nothing when the term has no room, and all of it in the next", () => {
    const log = makeLog({ termOffset: TERM_LENGTH - 96 })
    const batch = new SlabAppender(new TermAppender(log))
    assert.strictEqual(batch.appendAll(messages, 0, 2), TERM_LENGTH)
    assert.strictEqual(batch.appendAll(messages, 0, 2), ADMIN_ACTION)
    assert.strictEqual(batch.appendedCount, 0)
    assert.strictEqual(batch.appendAll(messages, 0, 2), TERM_LENGTH + 96)
    assert.strictEqual(batch.appendedCount, 2)
  })

  it("refuses a wrong length, a wrong range and a wrong order of calls before it claims anything", () => {
    const log = makeLog()
    const appender = new TermAppender(log)
    const batch = new SlabAppender(appender)
    const source = new Uint8Array(64)
    const slab = (offset: number, length: number) => () =>
      batch.appendSlab(source, Int32Array.of(0, offset), Int32Array.of(8, length), 0, 2)
    const wrong: ReadonlyArray<readonly [() => unknown, string]> = [
      [() => batch.begin(0), "a batch is empty"],
      [() => batch.begin(8192 + 32), "longer than the maximum message length"],
      [() => batch.begin(100), "not a sum of framed lengths"],
      [() => batch.next(8), "not begun"],
      [() => batch.commit(), "not begun"],
      [() => batch.abort(), "not begun"],
      [() => batch.appendAll([], 0, 0), "no message"],
      [() => batch.appendAll([source], 0, 2), "no message"],
      [() => batch.appendSlab(source, Int32Array.of(0), Int32Array.of(8), 0, 2), "more messages than offsets"],
      [slab(60, 8), "outside its source"],
      [slab(-1, 8), "negative"],
      [slab(0, -8), "negative"]
    ]
    for (const [run, text] of wrong) {
      assert.throws(run, AssertionError, text)
    }
    assert.strictEqual(appender.position(), 0)
    batch.begin(128)
    assert.throws(() => batch.begin(64), AssertionError, "before the last one")
    assert.throws(() => batch.next(225), AssertionError, "does not fit one frame")
    assert.throws(() => batch.next(100), AssertionError, "shorter than its messages")
    assert.throws(() => batch.put(source, 60, 8), AssertionError, "outside its source")
    batch.abort()
  })
})
