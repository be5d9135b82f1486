import { assert, describe, it } from "@effect/vitest"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import * as TermRebuilder from "../../src/logbuffer/TermRebuilder.ts"
import { AssertionError } from "../../src/memory/Assert.ts"
import { makeLog, message, TERM_LENGTH } from "./testLog.ts"

const sentOf = (lengths: ReadonlyArray<number>) => {
  const log = makeLog()
  const appender = new ExclusiveTermAppender(log)
  lengths.forEach((length, index) => appender.append(message(index, length), 0, length))
  return { log, bytes: log.terms[0].bytes.slice(0, appender.position()) }
}

describe("TermRebuilder", () => {
  it("puts a packet of several frames where it belongs", () => {
    const { bytes, log } = sentOf([8, 40, 100])
    const image = makeLog()
    assert.isTrue(TermRebuilder.insert(image.terms[0], 64, frameBuffer(bytes), 64, bytes.length - 64))
    assert.isTrue(TermRebuilder.insert(image.terms[0], 0, frameBuffer(bytes), 0, 64))
    assert.deepStrictEqual(image.terms[0].bytes, log.terms[0].bytes)
  })

  it("takes packets at any byte of their buffer", () => {
    const { bytes, log } = sentOf([100])
    const shifted = new Uint8Array(bytes.length + 3)
    shifted.set(bytes, 3)
    const image = makeLog()
    TermRebuilder.insert(image.terms[0], 0, frameBuffer(shifted), 3, bytes.length)
    assert.deepStrictEqual(image.terms[0].bytes, log.terms[0].bytes)
  })

  it("ignores a duplicate, even one that differs", () => {
    const { bytes } = sentOf([100])
    const image = makeLog()
    TermRebuilder.insert(image.terms[0], 0, frameBuffer(bytes), 0, bytes.length)
    const before = image.terms[0].bytes.slice()
    assert.isFalse(TermRebuilder.insert(image.terms[0], 0, frameBuffer(bytes.map((byte) => byte ^ 1)), 0, 160))
    assert.deepStrictEqual(image.terms[0].bytes, before)
  })

  it("refuses a packet that is too short, outside its buffer or beyond the term", () => {
    const image = makeLog()
    const packet = frameBuffer(new Uint8Array(64))
    const insert = (termOffset: number, packetOffset: number, length: number) => () =>
      TermRebuilder.insert(image.terms[0], termOffset, packet, packetOffset, length)
    assert.throws(insert(0, 0, 16), AssertionError, "shorter than a header")
    assert.throws(insert(0, 32, 64), AssertionError, "outside its buffer")
    assert.throws(insert(0, -32, 64), AssertionError, "outside its buffer")
    assert.throws(insert(TERM_LENGTH - 32, 0, 64), AssertionError, "beyond the end")
    assert.throws(insert(16, 0, 64), AssertionError, "no frame boundary")
  })
})
