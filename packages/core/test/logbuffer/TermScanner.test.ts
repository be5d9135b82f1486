import { assert, describe, it } from "@effect/vitest"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import { scanForAvailability, TermScan } from "../../src/logbuffer/TermScanner.ts"
import { makeLog, message, TERM_LENGTH } from "./testLog.ts"

const logOf = (lengths: ReadonlyArray<number>) => {
  const log = makeLog()
  const appender = new ExclusiveTermAppender(log)
  lengths.forEach((length, index) => appender.append(message(index, length), 0, length))
  return { log, appender }
}

describe("TermScanner", () => {
  it("takes whole frames up to the maximum", () => {
    const { log } = logOf([100, 100, 100])
    const scan = new TermScan()
    assert.strictEqual(scanForAvailability(log.terms[0], 0, 1408, scan), 480)
    assert.strictEqual(scanForAvailability(log.terms[0], 0, 479, scan), 320)
    assert.strictEqual(scanForAvailability(log.terms[0], 0, 160, scan), 160)
    assert.strictEqual(scanForAvailability(log.terms[0], 480, 1408, scan), 0)
  })

  it("answers minus the length of a first frame that is longer than the maximum", () => {
    const { log } = logOf([100])
    assert.strictEqual(scanForAvailability(log.terms[0], 0, 128, new TermScan()), -160)
  })

  it("sends padding as a header and reports the rest of it", () => {
    const { appender, log } = logOf([100])
    appender.appendPadding(1000)
    appender.append(message(1, 8), 0, 8)
    const scan = new TermScan()
    assert.strictEqual(scanForAvailability(log.terms[0], 0, 1408, scan), 192)
    assert.strictEqual(scan.padding, 1024)
    assert.strictEqual(scanForAvailability(log.terms[0], 0, 160, scan), 160)
    assert.strictEqual(scan.padding, 0)
    assert.strictEqual(scanForAvailability(log.terms[0], 160, 64, scan), 32)
    assert.strictEqual(scan.padding, 1024)
  })

  it("stops at the end of the term", () => {
    const log = makeLog({ termOffset: TERM_LENGTH - 160 })
    new ExclusiveTermAppender(log).append(message(1, 100), 0, 100)
    const scan = new TermScan()
    assert.strictEqual(scanForAvailability(log.terms[0], TERM_LENGTH - 160, 1408, scan), 160)
    assert.strictEqual(scanForAvailability(log.terms[0], TERM_LENGTH, 1408, scan), 0)
  })
})
