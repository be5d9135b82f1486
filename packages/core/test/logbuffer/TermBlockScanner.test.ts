import { assert, describe, it } from "@effect/vitest"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import * as TermBlockScanner from "../../src/logbuffer/TermBlockScanner.ts"
import { makeLog, message, TERM_LENGTH } from "./testLog.ts"

const logOf = (lengths: ReadonlyArray<number>) => {
  const log = makeLog()
  const appender = new ExclusiveTermAppender(log)
  lengths.forEach((length, index) => appender.append(message(index, length), 0, length))
  return { log, appender }
}

describe("TermBlockScanner", () => {
  it("ends a block at the limit, at what is not published, and at padding", () => {
    const { appender, log } = logOf([8, 40])
    appender.appendPadding(200)
    appender.append(message(2, 8), 0, 8)
    const term = log.terms[0]
    assert.strictEqual(TermBlockScanner.scan(term, 0, TERM_LENGTH), 160)
    assert.strictEqual(TermBlockScanner.scan(term, 0, 159), 64)
    assert.strictEqual(TermBlockScanner.scan(term, 0, 32), 0)
    assert.strictEqual(TermBlockScanner.scan(term, 160, 192), 160 + 256, "padding reaches beyond the limit")
    assert.strictEqual(TermBlockScanner.scan(term, 416, TERM_LENGTH), 480)
    assert.strictEqual(TermBlockScanner.scan(term, 480, TERM_LENGTH), 480)
  })
})
