import { assert, describe, it } from "@effect/vitest"
import * as ControlledPoll from "../../src/logbuffer/ControlledPoll.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import * as TermReader from "../../src/logbuffer/TermReader.ts"
import { makeLog, message, TERM_LENGTH } from "./testLog.ts"

const logOf = (lengths: ReadonlyArray<number>) => {
  const log = makeLog()
  const appender = new ExclusiveTermAppender(log)
  lengths.forEach((length, index) => appender.append(message(index, length), 0, length))
  return { log, appender }
}

describe("ControlledPoll", () => {
  const run = (actions: ReadonlyArray<ControlledPoll.Action>, limit = 10) => {
    const { appender, log } = logOf([8, 8])
    appender.appendPadding(10)
    appender.append(message(2, 8), 0, 8)
    const cursor = new TermReader.TermCursor()
    const committed: Array<number> = []
    let index = 0
    const count = ControlledPoll.read(
      log.terms[0],
      TERM_LENGTH,
      cursor,
      limit,
      () => actions[index++]!,
      (position) => committed.push(position - TERM_LENGTH)
    )
    return { count, termOffset: cursor.termOffset, committed }
  }
  const { ABORT, BREAK, COMMIT, CONTINUE } = ControlledPoll

  it("reads on with CONTINUE, over padding too", () => {
    assert.deepStrictEqual(run([CONTINUE, CONTINUE, CONTINUE]), { count: 3, termOffset: 256, committed: [] })
  })

  it("stops before the frame with ABORT", () => {
    assert.deepStrictEqual(run([CONTINUE, ABORT]), { count: 1, termOffset: 64, committed: [] })
    assert.deepStrictEqual(run([CONTINUE, CONTINUE, ABORT]), { count: 2, termOffset: 192, committed: [] })
  })

  it("stops behind the frame with BREAK", () => {
    assert.deepStrictEqual(run([CONTINUE, BREAK]), { count: 2, termOffset: 128, committed: [] })
  })

  it("moves the position at once with COMMIT, and goes on", () => {
    assert.deepStrictEqual(run([COMMIT, CONTINUE, COMMIT]), { count: 3, termOffset: 256, committed: [64, 256] })
  })

  it("counts towards its limit", () => {
    assert.deepStrictEqual(run([CONTINUE, CONTINUE], 2), { count: 2, termOffset: 128, committed: [] })
  })
})
