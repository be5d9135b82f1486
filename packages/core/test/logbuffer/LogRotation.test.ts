import { assert, describe, it } from "@effect/vitest"
import * as LogBufferDescriptor from "../../src/logbuffer/LogBufferDescriptor.ts"
import * as LogRotation from "../../src/logbuffer/LogRotation.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import { beforeNext } from "../memory/Meanwhile.ts"
import { makeLog, message, TERM_LENGTH } from "./testLog.ts"

describe("LogRotation", () => {
  const stateOf = (log: ReturnType<typeof makeLog>) => Array.from(log.metadata.int64.subarray(0, 4))

  it("sets the next tail and moves the count for the first caller alone", () => {
    const log = makeLog({ termOffset: TERM_LENGTH + 64 })
    assert.isTrue(LogRotation.rotate(log.metadata, 0, 7))
    const after = stateOf(log)
    assert.isFalse(LogRotation.rotate(log.metadata, 0, 7))
    assert.deepStrictEqual(stateOf(log), after)
  })

  it("does not move a tail that other writers have used already", () => {
    const log = makeLog({ termOffset: TERM_LENGTH })
    LogRotation.rotate(log.metadata, 0, 7)
    new TermAppender(log).append(message(1, 8), 0, 8)
    const after = stateOf(log)
    LogRotation.rotate(log.metadata, 0, 7)
    assert.deepStrictEqual(stateOf(log), after)
  })

  it("changes nothing for a caller that was held up for a whole turn", () => {
    const log = makeLog({ termCount: 4, termOffset: 64 })
    const before = stateOf(log)
    for (const termCount of [0, 1, 2, 3]) {
      assert.isFalse(LogRotation.rotate(log.metadata, termCount, 7 + termCount), `term count ${termCount}`)
    }
    assert.deepStrictEqual(stateOf(log), before)
  })

  it("sets the next tail also when a writer that was held up moves it meanwhile", () => {
    const log = makeLog({ termOffset: TERM_LENGTH })
    const index = LogBufferDescriptor.tailCounterOffset(1) / 8
    beforeNext("compareExchange", () => Atomics.add(log.metadata.int64, index, 64n))
    assert.isTrue(LogRotation.rotate(log.metadata, 0, 7))
    assert.strictEqual(log.metadata.int64[index], 8n << 32n)
  })

  it("finishes a rotation whose first half is done", () => {
    const log = makeLog({ termOffset: TERM_LENGTH })
    const index = LogBufferDescriptor.tailCounterOffset(1) / 8
    log.metadata.int64[index] = 8n << 32n
    assert.isTrue(LogRotation.rotate(log.metadata, 0, 7))
    assert.strictEqual(log.metadata.int32[6], 1)
    assert.strictEqual(log.metadata.int64[index], 8n << 32n)
  })
})
