import { assert, describe, it } from "@effect/vitest"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { BufferClaim } from "../../src/logbuffer/BufferClaim.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import { LogType } from "../../src/logbuffer/LogBufferDescriptor.ts"
import * as LogBufferMetadata from "../../src/logbuffer/LogBufferMetadata.ts"
import { LogKeeper } from "../../src/logbuffer/LogKeeper.ts"
import { LogPublisher } from "../../src/logbuffer/LogPublisher.ts"
import { BACK_PRESSURED, CLOSED, MAX_POSITION_EXCEEDED, NOT_CONNECTED } from "../../src/logbuffer/OfferResult.ts"
import { ReaderSlot } from "../../src/logbuffer/ReaderSlot.ts"
import { READERS_MAX } from "../../src/logbuffer/SharingDescriptor.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import { packTail } from "../../src/logbuffer/TermTail.ts"
import { makeLog, message, TERM_LENGTH, type TestLog, viewOf } from "./testLog.ts"

const READER_TIMEOUT_MS = 1000
const UNBLOCK_TIMEOUT_MS = 2000
const BYTES = message(1, 1000)

/** A log, its keeper, and the clock that the keeper is given. */
class World {
  readonly log
  readonly keeper
  readonly publisher
  nowMs = 5_000_000

  constructor(options: TestLog = {}) {
    this.log = makeLog(options)
    this.keeper = new LogKeeper(this.log, {
      readerTimeoutMs: READER_TIMEOUT_MS,
      unblockTimeoutMs: UNBLOCK_TIMEOUT_MS
    })
    this.publisher = new LogPublisher(viewOf(this.log))
  }

  tick(ms = 1): void {
    this.nowMs += ms
    this.keeper.doWork(this.nowMs * 1_000_000)
  }

  enter(): ReaderSlot {
    const slot = ReaderSlot.request(this.log.metadata)
    assert(slot !== undefined)
    this.tick()
    assert.isTrue(slot.isActive)
    return slot
  }

  offer(): number {
    return this.publisher.offer(BYTES, 0, BYTES.length)
  }

  /** Offers until refused. */
  fill(): number {
    let result: number
    while ((result = this.offer()) >= 0) {
      // There is room.
    }
    return result
  }
}

describe("LogKeeper", () => {
  it("connects the publishers with the first reader and disconnects them with the last", () => {
    const world = new World()
    assert.strictEqual(world.offer(), NOT_CONNECTED)
    const [one, two] = [world.enter(), world.enter()]
    assert.isAbove(world.offer(), 0)
    one.leave()
    world.tick()
    assert.isAbove(world.offer(), 0)
    two.leave()
    world.tick()
    assert.strictEqual(world.offer(), NOT_CONNECTED)
    assert.isFalse(one.isActive)
  })

  it("lets publishers run half a term ahead of the slowest reader, and cleans behind it", () => {
    const world = new World()
    const [slow, fast] = [world.enter(), world.enter()]
    assert.strictEqual(world.fill(), BACK_PRESSURED)
    const position = world.publisher.appender.position()
    assert.isAtLeast(position, TERM_LENGTH / 2)
    assert.isAtMost(position, TERM_LENGTH / 2 + 2048)
    fast.release(position)
    world.tick()
    assert.strictEqual(world.fill(), BACK_PRESSURED)
    assert.notStrictEqual(world.log.terms[0].int32[0], 0)
    slow.release(position)
    world.tick()
    assert.isTrue(world.log.terms[0].bytes.subarray(0, position).every((byte) => byte === 0))
    assert.strictEqual(world.fill(), BACK_PRESSURED)
    assert.isAtLeast(world.publisher.appender.position(), position + TERM_LENGTH / 2)
  })

  it("lets a reader in where the foremost one is, and after the last one where that left", () => {
    const world = new World({ termCount: 3, termOffset: 64 })
    const first = world.enter()
    assert.strictEqual(first.position, 3 * TERM_LENGTH + 64)
    world.fill()
    first.release(3 * TERM_LENGTH + 64 + 1184)
    const second = world.enter()
    assert.strictEqual(second.position, 3 * TERM_LENGTH + 64 + 1184)
    second.release(3 * TERM_LENGTH + 64 + 2 * 1184)
    second.leave()
    assert.strictEqual(world.enter().position, 3 * TERM_LENGTH + 64 + 2 * 1184)
  })

  it("takes 32 readers, and another when one is gone", () => {
    const world = new World()
    const slots = Array.from({ length: READERS_MAX }, () => world.enter())
    assert.isUndefined(ReaderSlot.request(world.log.metadata))
    slots[7]!.leave()
    assert.isUndefined(ReaderSlot.request(world.log.metadata), "the keeper has not seen it yet")
    world.tick()
    world.enter()
    assert.isFalse(slots[7]!.isActive, "another has its place")
  })

  it("gives up a reader without a sign of life, so that the others go on", () => {
    const world = new World()
    const [dead, living] = [world.enter(), world.enter()]
    world.fill()
    for (let ms = 0; ms <= READER_TIMEOUT_MS; ms += 100) {
      living.release(world.publisher.appender.position())
      living.heartbeat(world.nowMs)
      world.tick(100)
    }
    assert.isFalse(dead.isActive)
    assert.isTrue(living.isActive)
    assert.strictEqual(world.keeper.expiredCount, 1)
    world.tick()
    assert.isAbove(world.offer(), 0)
  })

  it("forgets a reader that left before it was let in", () => {
    const world = new World()
    const slot = ReaderSlot.request(world.log.metadata)
    slot!.leave()
    world.tick()
    assert.strictEqual(world.offer(), NOT_CONNECTED)
    assert.isFalse(slot!.isRequested)
    assert.strictEqual(world.keeper.expiredCount, 0)
  })

  it("frees the readers from a claim that is never finished, after the timeout", () => {
    const world = new World()
    const slot = world.enter()
    const reader = new BatchReader(viewOf(world.log), slot.position)
    const batch = new FragmentBatch(8)
    new TermAppender(viewOf(world.log)).claim(100, new BufferClaim())
    world.offer()
    for (let ms = 0; ms < UNBLOCK_TIMEOUT_MS; ms += 500) {
      slot.heartbeat(world.nowMs)
      world.tick(500)
      assert.strictEqual(reader.read(batch), 0)
    }
    slot.heartbeat(world.nowMs)
    world.tick(500)
    assert.strictEqual(reader.read(batch), 1)
    assert.strictEqual(world.keeper.unblockedCount, 1)
  })

  it("unblocks nothing while readers move, and nothing that is merely not read", () => {
    const world = new World()
    const slot = world.enter()
    world.offer()
    world.offer()
    const before = world.log.terms[0].bytes.slice()
    for (let ms = 0; ms < 3 * UNBLOCK_TIMEOUT_MS; ms += 500) {
      slot.heartbeat(world.nowMs)
      world.tick(500)
    }
    assert.deepStrictEqual(world.log.terms[0].bytes, before)
    assert.strictEqual(world.keeper.unblockedCount, 0)
  })

  it("ends the stream behind what is claimed, once", () => {
    const world = new World()
    world.enter()
    const position = world.offer()
    world.keeper.endStream()
    world.keeper.endStream()
    assert.strictEqual(LogBufferMetadata.endOfStreamPosition(world.log.metadata), position)
    assert.strictEqual(world.offer(), CLOSED)
  })

  it("refuses offers at the last position of the stream", () => {
    const world = new World({ termCount: 2 ** 31 - 1, termOffset: TERM_LENGTH - 64 })
    world.enter()
    assert.strictEqual(world.offer(), MAX_POSITION_EXCEEDED)
    assert.strictEqual(world.offer(), MAX_POSITION_EXCEEDED)
  })

  it("publishes many messages in batches up to the limit, and goes on where it stopped", () => {
    const world = new World()
    const slot = world.enter()
    const reader = new BatchReader(viewOf(world.log), slot.position)
    const batch = new FragmentBatch(1000)
    const messages = Array.from({ length: 3000 }, (_, index) => message(index, index % 300))
    const received: Array<Uint8Array> = []
    for (let taken = 0; taken < messages.length; taken += world.publisher.acceptedCount) {
      world.publisher.offerMany(messages, taken)
      while (reader.read(batch) > 0) {
        for (let index = 0; index < batch.count; index++) {
          received.push(Uint8Array.from(batch.message(index)))
        }
      }
      slot.release(reader.position)
      slot.heartbeat(world.nowMs)
      world.tick()
    }
    assert.deepStrictEqual(received, messages)
  })

  it("refuses offers for now when a writer was stopped in the middle of a rotation", () => {
    const world = new World()
    world.enter()
    // The tail of the next term is set and the count of terms is not moved: no term is the one to append to.
    world.log.metadata.int64[0] = packTail(10, 0)
    assert.strictEqual(world.offer(), BACK_PRESSURED)
    assert.strictEqual(world.publisher.offerMany([BYTES, BYTES], 0), BACK_PRESSURED)
    assert.strictEqual(world.publisher.acceptedCount, 0)
    world.log.metadata.int64[0] = packTail(7, 0)
    assert.isAbove(world.offer(), 0)
  })

  it("gives an exclusive log a writer of its own", () => {
    const world = new World({ type: LogType.ExclusivePublication })
    world.enter()
    assert.strictEqual(world.offer(), world.publisher.appender.position())
  })
})
