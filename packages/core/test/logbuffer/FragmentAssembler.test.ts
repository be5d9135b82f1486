import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "../../src/frame/DataFrame.ts"
import * as FrameFlags from "../../src/frame/FrameFlags.ts"
import { COMPLETE, DROPPED, FragmentAssembler, PARTIAL } from "../../src/logbuffer/FragmentAssembler.ts"
import { FragmentHeader } from "../../src/logbuffer/FragmentHeader.ts"
import { alignFrame, HEADER_LENGTH } from "../../src/logbuffer/FrameDescriptor.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { message } from "./testLog.ts"

/** A stream of one session: gives an assembler fragments whose positions follow each other. */
class Session {
  private readonly assembler: FragmentAssembler
  private readonly sessionId: number
  private readonly frame = new HeapRegion("frame", HEADER_LENGTH).buffer()
  private readonly header = new FragmentHeader()
  private position = 0

  constructor(assembler: FragmentAssembler, sessionId: number) {
    this.assembler = assembler
    this.sessionId = sessionId
  }

  give(flags: number, bytes: Uint8Array): number {
    DataFrame.write(this.frame, 0, bytes.length + HEADER_LENGTH, flags, 7, this.position, this.sessionId, 1)
    this.position += alignFrame(bytes.length + HEADER_LENGTH)
    this.header.wrap(this.frame, 0, this.position)
    return this.assembler.onFragment(bytes, 0, bytes.length, this.header)
  }

  lose(length: number): void {
    this.position += length
  }
}

const assembled = (assembler: FragmentAssembler) => Array.from(assembler.bytes.subarray(0, assembler.length))

describe("FragmentAssembler", () => {
  it("joins the fragments of sessions that arrive in turns", () => {
    const assembler = new FragmentAssembler({ maxMessageLength: 1000 })
    const [one, two] = [new Session(assembler, 1), new Session(assembler, 2)]
    assert.strictEqual(one.give(FrameFlags.BEGIN, message(1, 100)), PARTIAL)
    assert.strictEqual(two.give(FrameFlags.BEGIN, message(2, 50)), PARTIAL)
    assert.strictEqual(one.give(0, message(3, 100)), PARTIAL)
    assert.strictEqual(two.give(FrameFlags.END, message(4, 10)), COMPLETE)
    assert.deepStrictEqual(assembled(assembler), [...message(2, 50), ...message(4, 10)])
    assert.strictEqual(assembler.header.sessionId, 2)
    assert.strictEqual(one.give(FrameFlags.END, message(5, 1)), COMPLETE)
    assert.deepStrictEqual(assembled(assembler), [...message(1, 100), ...message(3, 100), ...message(5, 1)])
    assert.deepStrictEqual([assembler.header.termOffset, assembler.header.position], [0, 160 + 160 + 64])
    assert.strictEqual(assembler.header.flags, FrameFlags.UNFRAGMENTED)
  })

  it("drops a message with a gap and takes the next one", () => {
    const assembler = new FragmentAssembler({ maxMessageLength: 1000 })
    const session = new Session(assembler, 1)
    session.give(FrameFlags.BEGIN, message(1, 100))
    session.lose(160)
    assert.strictEqual(session.give(FrameFlags.END, message(2, 100)), DROPPED)
    assert.strictEqual(assembler.droppedCount, 1)
    assert.strictEqual(session.give(FrameFlags.END, message(2, 100)), DROPPED)
    assert.strictEqual(assembler.droppedCount, 1, "no beginning of it was seen")
    session.give(FrameFlags.BEGIN, message(3, 10))
    assert.strictEqual(session.give(FrameFlags.END, message(4, 10)), COMPLETE)
  })

  it("counts a message that another begins in the middle of", () => {
    const assembler = new FragmentAssembler({ maxMessageLength: 1000 })
    const session = new Session(assembler, 1)
    session.give(FrameFlags.BEGIN, message(1, 100))
    session.give(FrameFlags.BEGIN, message(2, 100))
    assert.strictEqual(session.give(FrameFlags.END, message(3, 100)), COMPLETE)
    assert.deepStrictEqual(assembled(assembler), [...message(2, 100), ...message(3, 100)])
    assert.strictEqual(assembler.droppedCount, 1)
  })

  it("takes a message of exactly the maximum length and drops a longer one", () => {
    const assembler = new FragmentAssembler({ maxMessageLength: 10_000 })
    const session = new Session(assembler, 1)
    session.give(FrameFlags.BEGIN, message(1, 6000))
    assert.strictEqual(session.give(FrameFlags.END, message(2, 4000)), COMPLETE)
    assert.deepStrictEqual(assembled(assembler), [...message(1, 6000), ...message(2, 4000)])
    session.give(FrameFlags.BEGIN, message(1, 6000))
    assert.strictEqual(session.give(0, message(2, 4001)), DROPPED)
    assert.strictEqual(session.give(FrameFlags.END, message(2, 10)), DROPPED)
    assert.strictEqual(assembler.droppedCount, 1)
  })

  it("takes no more sessions than its limit, and others when one is gone", () => {
    const assembler = new FragmentAssembler({ maxMessageLength: 1000, sessionsMax: 2 })
    const sessions = [1, 2, 3].map((id) => new Session(assembler, id))
    assert.deepStrictEqual(
      sessions.map((session) => session.give(FrameFlags.BEGIN, message(1, 10))),
      [PARTIAL, PARTIAL, DROPPED]
    )
    assert.strictEqual(assembler.droppedCount, 1)
    assert.isTrue(assembler.freeSession(1))
    assert.isFalse(assembler.freeSession(1))
    assert.strictEqual(sessions[2]!.give(FrameFlags.BEGIN, message(1, 10)), PARTIAL)
    assembler.clear()
    assert.strictEqual(sessions[1]!.give(FrameFlags.END, message(1, 10)), DROPPED)
  })

  it("keeps the bytes of a message valid until the next fragment of its session", () => {
    const assembler = new FragmentAssembler({ maxMessageLength: 100_000 })
    const [one, two] = [new Session(assembler, 1), new Session(assembler, 2)]
    one.give(FrameFlags.BEGIN, message(1, 5000))
    one.give(FrameFlags.END, message(2, 5000))
    const { bytes, length } = assembler
    two.give(FrameFlags.BEGIN, message(3, 5000))
    two.give(FrameFlags.END, message(4, 5000))
    assert.deepStrictEqual(Array.from(bytes.subarray(0, length)), [...message(1, 5000), ...message(2, 5000)])
  })
})
