/** What every appender does, whoever moves the tail. */
import { assert, describe, it } from "@effect/vitest"
import * as FrameFlags from "../../src/frame/FrameFlags.ts"
import { BufferClaim } from "../../src/logbuffer/BufferClaim.ts"
import * as FrameDescriptor from "../../src/logbuffer/FrameDescriptor.ts"
import type { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import type { MessageAppender } from "../../src/logbuffer/MessageAppender.ts"
import { ADMIN_ACTION, MAX_POSITION_EXCEEDED } from "../../src/logbuffer/OfferResult.ts"
import { TermCursor } from "../../src/logbuffer/TermReader.ts"
import * as TermReader from "../../src/logbuffer/TermReader.ts"
import { TermTail } from "../../src/logbuffer/TermTail.ts"
import { AssertionError } from "../../src/memory/Assert.ts"
import { makeLog, message, SESSION_ID, STREAM_ID, TERM_LENGTH } from "./testLog.ts"

interface Fragment {
  readonly bytes: ReadonlyArray<number>
  readonly flags: number
  readonly termId: number
  readonly termOffset: number
  readonly position: number
  readonly reservedValue: bigint
}

/** The fragments of one term from an offset on. */
export const fragmentsOf = (log: LogBuffers, termIndex: number, termOffset = 0): ReadonlyArray<Fragment> => {
  const cursor = new TermCursor()
  cursor.termOffset = termOffset
  const fragments: Array<Fragment> = []
  TermReader.read(log.terms[termIndex]!, 0, cursor, Infinity, (bytes, offset, length, header) => {
    assert.strictEqual(header.sessionId, SESSION_ID)
    assert.strictEqual(header.streamId, STREAM_ID)
    fragments.push({
      bytes: Array.from(bytes.subarray(offset, offset + length)),
      flags: header.flags,
      termId: header.termId,
      termOffset: header.termOffset,
      position: header.position,
      reservedValue: header.reservedValue
    })
  })
  return fragments
}

const tailOf = (log: LogBuffers, index: number): readonly [number, number] => {
  const tail = new TermTail(log.metadata)
  tail.load(index)
  return [tail.termId, tail.termOffset]
}

export const suite = (name: string, make: (log: LogBuffers) => MessageAppender): void => {
  describe(`${name} as an appender`, () => {
    it("appends a message in one frame and gives the position behind it", () => {
      const log = makeLog()
      const appender = make(log)
      const bytes = message(1, 100)
      assert.strictEqual(appender.position(), 0)
      assert.strictEqual(appender.append(bytes, 0, 100), 160)
      assert.strictEqual(appender.position(), 160)
      assert.deepStrictEqual(fragmentsOf(log, 0), [
        {
          bytes: Array.from(bytes),
          flags: FrameFlags.UNFRAGMENTED,
          termId: 7,
          termOffset: 0,
          position: 160,
          reservedValue: 0n
        }
      ])
      assert.strictEqual(FrameDescriptor.frameLengthAcquire(log.terms[0], 0), 132)
      assert.deepStrictEqual(tailOf(log, 0), [7, 160])
    })

    it("leaves the position of a message in a field for who wants no object of it", () => {
      const appender = make(makeLog({ termCount: 2 ** 20, termOffset: TERM_LENGTH - 96 }))
      assert.strictEqual(appender.tryAppend(message(1, 8), 0, 8), 0)
      assert.strictEqual(appender.endPosition, (2 ** 20 + 1) * TERM_LENGTH - 32)
      assert.strictEqual(appender.tryAppend(message(1, 8), 0, 8), ADMIN_ACTION)
      assert.strictEqual(appender.tryAppend(message(1, 8), 0, 8), 0)
      assert.strictEqual(appender.endPosition, (2 ** 20 + 1) * TERM_LENGTH + 64)
    })

    it("appends an empty message as a header alone", () => {
      const log = makeLog()
      assert.strictEqual(make(log).append(new Uint8Array(0), 0, 0), 32)
      assert.deepStrictEqual(
        fragmentsOf(log, 0).map((fragment) => fragment.bytes),
        [[]]
      )
    })

    it("appends a part of its source, of any length and alignment", () => {
      const log = makeLog()
      const appender = make(log)
      const source = message(3, 300)
      const ranges = Array.from({ length: 120 }, (_, index) => [index % 7, index * 2] as const)
      for (const [offset, length] of ranges) {
        appender.append(source, offset, Math.min(length, 224))
      }
      assert.deepStrictEqual(
        fragmentsOf(log, 0).map((fragment) => fragment.bytes),
        ranges.map(([offset, length]) => Array.from(source.subarray(offset, offset + Math.min(length, 224))))
      )
    })

    it("cuts a long message into fragments of the MTU", () => {
      const log = makeLog()
      const bytes = message(2, 500)
      assert.strictEqual(make(log).append(bytes, 0, 500), 256 + 256 + 96)
      const fragments = fragmentsOf(log, 0)
      assert.deepStrictEqual(
        fragments.map(({ flags, termOffset }) => [flags, termOffset]),
        [
          [FrameFlags.BEGIN, 0],
          [0, 256],
          [FrameFlags.END, 512]
        ]
      )
      assert.deepStrictEqual(
        fragments.flatMap(({ bytes: part }) => part),
        Array.from(bytes)
      )
    })

    it("fills the last fragment when the message is a multiple of the payload", () => {
      const log = makeLog()
      assert.strictEqual(make(log).append(message(2, 448), 0, 448), 512)
      assert.deepStrictEqual(
        fragmentsOf(log, 0).map(({ bytes, flags }) => [flags, bytes.length]),
        [
          [FrameFlags.BEGIN, 224],
          [FrameFlags.END, 224]
        ]
      )
    })

    it("joins the parts of a vector into one message", () => {
      const parts = [message(1, 10), message(2, 0), message(3, 300), message(4, 7), message(5, 224)]
      const joined = parts.flatMap((part) => Array.from(part))
      const log = makeLog()
      const appender = make(log)
      assert.strictEqual(appender.appendVector(parts), 256 + 256 + 128)
      assert.deepStrictEqual(
        fragmentsOf(log, 0).flatMap(({ bytes }) => bytes),
        joined
      )
      const whole = makeLog()
      make(whole).append(Uint8Array.from(joined), 0, joined.length)
      assert.deepStrictEqual(log.terms[0].bytes, whole.terms[0].bytes)
      assert.strictEqual(appender.appendVector([]), 640 + 32)
      assert.strictEqual(appender.appendVector([message(9, 3), message(8, 4)]), 672 + 64)
    })

    it("asks the supplier for the reserved value of each frame when the frame is written", () => {
      const log = makeLog()
      const appender = make(log)
      const asked: Array<readonly [number, number, number]> = []
      appender.append(message(1, 300), 0, 300, (term, frameOffset, frameLength) => {
        assert.isBelow(FrameDescriptor.frameLengthAcquire(term, frameOffset), 0)
        asked.push([frameOffset, frameLength, term.bytes[frameOffset + 32]!])
        return -5n - BigInt(frameOffset)
      })
      appender.appendVector([message(1, 1)], () => 2n ** 62n)
      assert.deepStrictEqual(asked, [
        [0, 256, message(1, 300)[0]!],
        [256, 108, message(1, 300)[224]!]
      ])
      assert.deepStrictEqual(
        fragmentsOf(log, 0).map(({ reservedValue }) => reservedValue),
        [-5n, -261n, 2n ** 62n]
      )
    })

    it("pads the end of a term, rotates, and answers ADMIN_ACTION once", () => {
      const log = makeLog({ termOffset: TERM_LENGTH - 96 })
      const appender = make(log)
      assert.strictEqual(appender.append(message(1, 100), 0, 100), ADMIN_ACTION)
      assert.strictEqual(FrameDescriptor.frameLengthAcquire(log.terms[0], TERM_LENGTH - 96), 96)
      assert.isTrue(FrameDescriptor.isPadding(log.terms[0], TERM_LENGTH - 96))
      assert.deepStrictEqual(tailOf(log, 0), [7, TERM_LENGTH + 64])
      assert.deepStrictEqual(tailOf(log, 1), [8, 0])
      assert.strictEqual(appender.position(), TERM_LENGTH)
      assert.strictEqual(appender.append(message(1, 100), 0, 100), TERM_LENGTH + 160)
      assert.strictEqual(fragmentsOf(log, 1)[0]!.termId, 8)
    })

    it("fills a term to its last byte before it rotates", () => {
      const log = makeLog({ termOffset: TERM_LENGTH - 64 })
      const appender = make(log)
      assert.strictEqual(appender.append(message(1, 32), 0, 32), TERM_LENGTH)
      assert.strictEqual(appender.position(), TERM_LENGTH)
      assert.strictEqual(appender.append(message(1, 32), 0, 32), ADMIN_ACTION)
      assert.strictEqual(appender.append(message(1, 32), 0, 32), TERM_LENGTH + 64)
      assert.deepStrictEqual(
        fragmentsOf(log, 0, TERM_LENGTH - 64).map(({ bytes }) => bytes.length),
        [32]
      )
    })

    it("goes through its three terms again and again, over the wrap of term ids", () => {
      const log = makeLog({ initialTermId: 2 ** 31 - 4 })
      const appender = make(log)
      let position = 0
      for (let index = 0; index < 40; index++) {
        let result: number
        while ((result = appender.append(message(index, 8000), 0, 8000)) === ADMIN_ACTION) {
          log.terms[Math.floor(appender.position() / TERM_LENGTH) % 3]!.bytes.fill(0)
        }
        position = result
      }
      // A message takes 9152 bytes, so 7 fit a term: 40 messages are 5 whole terms and 5 messages.
      assert.strictEqual(position, 5 * TERM_LENGTH + 5 * 9152)
      assert.strictEqual(fragmentsOf(log, 5 % 3)[0]!.termId, (2 ** 31 - 4 + 5) | 0)
    })

    it("ends the stream at the last position with MAX_POSITION_EXCEEDED, now and ever after", () => {
      const log = makeLog({ termCount: 2 ** 31 - 1, termOffset: TERM_LENGTH - 64 })
      const appender = make(log)
      assert.strictEqual(appender.append(message(1, 100), 0, 100), MAX_POSITION_EXCEEDED)
      assert.isTrue(FrameDescriptor.isPadding(log.terms[(2 ** 31 - 1) % 3]!, TERM_LENGTH - 64))
      for (let attempt = 0; attempt < 3; attempt++) {
        assert.strictEqual(appender.append(message(1, 1), 0, 1), MAX_POSITION_EXCEEDED)
      }
      assert.strictEqual(appender.position(), 2 ** 47)
      assert.strictEqual(log.metadata.view.getInt32(24, true), 2 ** 31 - 1)
    })

    it("keeps positions exact at the end of the longest stream", () => {
      const log = makeLog({ termCount: 2 ** 31 - 1, initialTermId: -9, termOffset: 64 })
      const appender = make(log)
      assert.strictEqual(appender.append(message(1, 1), 0, 1), 2 ** 47 - TERM_LENGTH + 128)
      assert.strictEqual(appender.position(), 2 ** 47 - TERM_LENGTH + 128)
    })

    it("refuses a message that is longer than the maximum, or outside its source", () => {
      const log = makeLog()
      const appender = make(log)
      assert.strictEqual(appender.maxMessageLength, 8192)
      const source = new Uint8Array(10_000)
      assert.throws(() => appender.append(source, 0, 8193), AssertionError, "longer than the maximum")
      assert.throws(() => appender.appendVector([source]), AssertionError, "longer than the maximum")
      assert.throws(() => appender.append(source, 9_999, 2), AssertionError, "outside its source")
      assert.throws(() => appender.append(source, -1, 2), AssertionError, "negative")
      assert.throws(() => appender.append(source, 0, -1), AssertionError, "negative")
      assert.strictEqual(appender.position(), 0)
      assert.strictEqual(appender.append(source, 0, 8192), 36 * 256 + 160)
    })

    it("publishes a claim when it is committed", () => {
      const log = makeLog()
      const appender = make(log)
      const claim = new BufferClaim()
      assert.strictEqual(appender.claim(50, claim), 96)
      assert.strictEqual(fragmentsOf(log, 0).length, 0)
      assert.strictEqual(FrameDescriptor.frameLengthAcquire(log.terms[0], 0), -82)
      assert.strictEqual(claim.length, 50)
      claim.buffer.bytes.set(message(4, 50), claim.offset)
      claim.flags = 0xc1
      claim.reservedValue = 99n
      claim.commit()
      const [fragment] = fragmentsOf(log, 0)
      assert.deepStrictEqual(fragment!.bytes, Array.from(message(4, 50)))
      assert.strictEqual(fragment!.flags, 0xc1)
      assert.strictEqual(fragment!.reservedValue, 99n)
    })

    it("leaves padding in the place of a claim that is aborted", () => {
      const log = makeLog()
      const appender = make(log)
      const claim = new BufferClaim()
      appender.claim(50, claim)
      appender.append(message(1, 8), 0, 8)
      assert.strictEqual(fragmentsOf(log, 0).length, 0)
      claim.abort()
      assert.isTrue(FrameDescriptor.isPadding(log.terms[0], 0))
      assert.deepStrictEqual(
        fragmentsOf(log, 0).map(({ termOffset }) => termOffset),
        [96]
      )
    })

    it("refuses a claim that is open already, ended, or longer than a frame", () => {
      const appender = make(makeLog())
      const claim = new BufferClaim()
      assert.throws(() => claim.commit(), AssertionError, "after it was committed")
      assert.throws(() => appender.claim(225, claim), AssertionError, "longer than the maximum payload")
      appender.claim(224, claim)
      assert.throws(() => appender.claim(8, claim), AssertionError, "before the last one")
      claim.commit()
      assert.throws(() => claim.abort(), AssertionError, "after it was committed")
      assert.throws(() => claim.buffer, AssertionError, "after it was committed")
      assert.strictEqual(appender.position(), 256)
    })
  })
}
