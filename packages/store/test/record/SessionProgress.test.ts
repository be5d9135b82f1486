import { assert, describe, it } from "@effect/vitest"
import { ASTRIDE, DUPLICATE, GAP, judge, NEXT, SessionProgress } from "../../src/record/SessionProgress.ts"
import { SessionTable } from "../../src/record/SessionTable.ts"

describe("the progress of a recorded session", () => {
  it("judges a message by where the recording ends", () => {
    assert.strictEqual(judge(undefined, 640, 704), NEXT)
    assert.strictEqual(judge(128, 128, 192), NEXT)
    assert.strictEqual(judge(128, undefined, 192), NEXT)
    assert.strictEqual(judge(128, 64, 128), DUPLICATE)
    assert.strictEqual(judge(128, undefined, 64), DUPLICATE)
    assert.strictEqual(judge(128, 160, 192), GAP)
    assert.strictEqual(judge(128, 96, 192), ASTRIDE)
  })

  it("is durable up to the last put that is on the device", () => {
    const session = new SessionProgress(1, 2, 0)
    assert.isUndefined(session.durablePosition(1000))
    session.onRecorded(64, 100)
    session.onRecorded(128, 200)
    assert.isUndefined(session.durablePosition(99))
    assert.strictEqual(session.durablePosition(199), 64)
    assert.strictEqual(session.durablePosition(200), 128)
    assert.strictEqual(session.recordedPosition, 128)
  })

  it("is seen late rather than wrongly when many puts come between two syncs", () => {
    const session = new SessionProgress(1, 2, 0)
    for (let put = 1; put <= 10_000; put++) {
      session.onRecorded(put * 64, put * 100)
    }
    for (const flushed of [5000, 500_000, 999_999]) {
      const durable = session.durablePosition(flushed) ?? 0
      assert.isAtMost(durable, (flushed / 100) * 64)
    }
    assert.strictEqual(session.durablePosition(1_000_000), 640_000)
  })
})

describe("a table of sessions", () => {
  it("tells the same session id of two streams apart", () => {
    const table = new SessionTable<string>()
    table.set(1, 7, "first")
    table.set(2, 7, "second")
    table.set(1, 8, "third")
    assert.strictEqual(table.get(1, 7), "first")
    assert.strictEqual(table.get(2, 7), "second")
    assert.isUndefined(table.get(2, 8))
    assert.isUndefined(table.get(3, 7))
    table.set(1, 7, "again")
    assert.strictEqual(table.get(1, 7), "again")
    assert.strictEqual(table.size, 3)
    assert.sameMembers([...table.values()], ["again", "second", "third"])
  })
})
