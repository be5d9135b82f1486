import { assert, describe, it } from "@effect/vitest"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import * as TermCleaner from "../../src/logbuffer/TermCleaner.ts"
import { AssertionError } from "../../src/memory/Assert.ts"
import { makeLog, TERM_LENGTH } from "./testLog.ts"

const dirty = () => {
  const log = makeLog()
  for (const term of log.terms) {
    term.bytes.fill(0xff)
  }
  return log
}

describe("TermCleaner", () => {
  it("zeroes the range and nothing else", () => {
    const log = dirty()
    assert.strictEqual(TermCleaner.clean(log, TERM_LENGTH + 64, TERM_LENGTH + 192), TERM_LENGTH + 192)
    const bytes = log.terms[1].bytes
    assert.isTrue(bytes.subarray(0, 64).every((byte) => byte === 0xff))
    assert.isTrue(bytes.subarray(64, 192).every((byte) => byte === 0))
    assert.isTrue(bytes.subarray(192).every((byte) => byte === 0xff))
  })

  it("stops at the end of a term and goes on with the next call", () => {
    const log = dirty()
    const end = 2 * TERM_LENGTH + 32
    assert.strictEqual(TermCleaner.clean(log, 96, end), TERM_LENGTH)
    assert.strictEqual(TermCleaner.clean(log, TERM_LENGTH, end), 2 * TERM_LENGTH)
    assert.strictEqual(TermCleaner.clean(log, 2 * TERM_LENGTH, end), end)
    assert.isTrue(log.terms[1].bytes.every((byte) => byte === 0))
    assert.isTrue(log.terms[2].bytes.subarray(32).every((byte) => byte === 0xff))
  })

  it("does nothing when there is nothing to clean", () => {
    const log = dirty()
    assert.strictEqual(TermCleaner.clean(log, 96, 96), 96)
    assert.strictEqual(TermCleaner.clean(log, 96, -TERM_LENGTH), 96)
    assert.isTrue(log.terms[0].bytes.every((byte) => byte === 0xff))
  })

  it("refuses positions between frames", () => {
    const log = dirty()
    assert.throws(() => TermCleaner.clean(log, 8, 64), AssertionError)
    assert.throws(() => TermCleaner.clean(log, 0, 65), AssertionError)
  })

  it("lets the terms be used a second time", () => {
    const log = makeLog()
    const appender = new TermAppender(log)
    let cleaned = 0
    for (let index = 0; index < 2000; index++) {
      appender.append(new Uint8Array(200).fill(0xff), 0, 200)
      cleaned = TermCleaner.clean(log, cleaned, appender.position())
    }
    assert.isAbove(appender.position(), 7 * TERM_LENGTH)
    cleaned = TermCleaner.clean(log, cleaned, appender.position())
    assert.isTrue(log.terms.every((term) => term.bytes.every((byte) => byte === 0)))
  })
})
