import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "../../src/frame/DataFrame.ts"
import * as FrameFlags from "../../src/frame/FrameFlags.ts"
import { COMPLETE, DROPPED, FragmentAssembler, PARTIAL } from "../../src/logbuffer/FragmentAssembler.ts"
import { FragmentHeader } from "../../src/logbuffer/FragmentHeader.ts"
import { alignFrame, HEADER_LENGTH } from "../../src/logbuffer/FrameDescriptor.ts"
import { AssertionError } from "../../src/memory/Assert.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { message } from "./testLog.ts"

const SESSION_ID = 12_345

/** A stream: gives an assembler fragments whose positions follow each other. */
class Session {
  private readonly assembler: FragmentAssembler
  private readonly frame = new HeapRegion("frame", HEADER_LENGTH).buffer()
  private readonly header = new FragmentHeader()
  private position = 0

  constructor(assembler: FragmentAssembler) {
    this.assembler = assembler
  }

  give(flags: number, bytes: Uint8Array): number {
    DataFrame.write(this.frame, 0, bytes.length + HEADER_LENGTH, flags, 7, this.position, SESSION_ID, 1)
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
  it("joins the fragments of a message", () => {
    const assembler = new FragmentAssembler(1000)
    const session = new Session(assembler)
    assert.strictEqual(session.give(FrameFlags.BEGIN, message(1, 100)), PARTIAL)
    assert.strictEqual(session.give(0, message(3, 100)), PARTIAL)
    assert.strictEqual(session.give(FrameFlags.END, message(5, 1)), COMPLETE)
    assert.deepStrictEqual(assembled(assembler), [...message(1, 100), ...message(3, 100), ...message(5, 1)])
    assert.strictEqual(assembler.header.sessionId, SESSION_ID)
    assert.deepStrictEqual([assembler.header.termOffset, assembler.header.position], [0, 160 + 160 + 64])
    assert.strictEqual(assembler.header.flags, FrameFlags.UNFRAGMENTED)
  })

  it("drops a message with a gap and takes the next one", () => {
    const assembler = new FragmentAssembler(1000)
    const session = new Session(assembler)
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
    const assembler = new FragmentAssembler(1000)
    const session = new Session(assembler)
    session.give(FrameFlags.BEGIN, message(1, 100))
    session.give(FrameFlags.BEGIN, message(2, 100))
    assert.strictEqual(session.give(FrameFlags.END, message(3, 100)), COMPLETE)
    assert.deepStrictEqual(assembled(assembler), [...message(2, 100), ...message(3, 100)])
    assert.strictEqual(assembler.droppedCount, 1)
  })

  it("takes a message of exactly the maximum length and drops a longer one", () => {
    const assembler = new FragmentAssembler(10_000)
    const session = new Session(assembler)
    session.give(FrameFlags.BEGIN, message(1, 6000))
    assert.strictEqual(session.give(FrameFlags.END, message(2, 4000)), COMPLETE)
    assert.deepStrictEqual(assembled(assembler), [...message(1, 6000), ...message(2, 4000)])
    session.give(FrameFlags.BEGIN, message(1, 6000))
    assert.strictEqual(session.give(0, message(2, 4001)), DROPPED)
    assert.strictEqual(session.give(FrameFlags.END, message(2, 10)), DROPPED)
    assert.strictEqual(assembler.droppedCount, 1)
  })

  it("takes the last fragment of a message once more", () => {
    const assembler = new FragmentAssembler(10_000)
    const session = new Session(assembler)
    session.give(FrameFlags.BEGIN, message(1, 5000))
    assert.throws(() => assembler.retract(), AssertionError)
    session.give(FrameFlags.END, message(2, 100))
    assert.strictEqual(assembler.retract(), 100)
    session.lose(-160)
    assert.strictEqual(session.give(FrameFlags.END, message(3, 100)), COMPLETE)
    assert.deepStrictEqual(assembled(assembler), [...message(1, 5000), ...message(3, 100)])
    assert.strictEqual(assembler.header.flags, FrameFlags.UNFRAGMENTED)
    assert.strictEqual(assembler.droppedCount, 0)
  })

  it("gives up a message that is abandoned, once, and nothing when there is none", () => {
    const assembler = new FragmentAssembler(1000)
    const session = new Session(assembler)
    assembler.abandon()
    session.give(FrameFlags.BEGIN, message(1, 100))
    assembler.abandon()
    assembler.abandon()
    assert.strictEqual(session.give(FrameFlags.END, message(2, 100)), DROPPED)
    assert.strictEqual(assembler.droppedCount, 1)
  })
})
