import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { DistinctErrorLog } from "../../src/errorlog/DistinctErrorLog.ts"
import * as ErrorLogReader from "../../src/errorlog/ErrorLogReader.ts"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { RegionClosed } from "../../src/memory/RegionState.ts"
import { CorruptRecord } from "../../src/ringbuffer/CorruptRecord.ts"

type Row = readonly [count: number, firstMs: number, lastMs: number, text: string]

const readAll = (buffer: AtomicBuffer, sinceMs?: number): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  ErrorLogReader.read(buffer, (...row) => rows.push(row), sinceMs)
  return rows
}

const make = (length: number = 4096) => {
  const region = new HeapRegion("errors", length)
  const buffer = region.buffer()
  const clock = { nowMs: 1000 }
  return { region, buffer, clock, log: new DistinctErrorLog(buffer, () => clock.nowMs) }
}

describe("DistinctErrorLog", () => {
  it("records an error once and counts how often it was seen", () => {
    const { buffer, clock, log } = make()
    assert.isFalse(ErrorLogReader.hasErrors(buffer))
    log.recordText("disk full")
    clock.nowMs = 2000
    log.recordText("disk full")
    log.recordText("no route")
    assert.isTrue(ErrorLogReader.hasErrors(buffer))
    assert.strictEqual(log.distinctCount, 2)
    assert.deepStrictEqual(readAll(buffer), [
      [2, 1000, 2000, "disk full"],
      [1, 2000, 2000, "no route"]
    ])
  })

  it("tells errors apart by name, message, stack and causes", () => {
    const { buffer, log } = make(64 * 1024)
    const make1 = (cause?: unknown) => new RangeError("out of range", { cause })
    const errors = [make1(), make1(new Error("first")), make1(new Error("second"))]
    for (const error of errors) {
      error.stack = "RangeError: out of range\n    at one"
    }
    for (const error of [...errors, ...errors]) {
      log.record(error)
    }
    log.record("a thrown text")
    const rows = readAll(buffer)
    assert.deepStrictEqual(
      rows.map(([count]) => count),
      [2, 2, 2, 1]
    )
    assert.match(rows[1]![3], /^RangeError: out of range\n {4}at one\nCaused by: Error: first\n/)
    assert.strictEqual(rows[3]![3], "a thrown text")
  })

  it("ends at the first cause of a circle after sixteen", () => {
    const { buffer, log } = make(64 * 1024)
    const error = new Error("circle")
    error.cause = error
    assert.isTrue(log.record(error))
    assert.strictEqual(readAll(buffer)[0]![3].split("Caused by: ").length, 17)
  })

  it("refuses a new error when there is no room and still counts the known ones", () => {
    const { buffer, log } = make(64)
    assert.isTrue(log.recordText("x".repeat(40)), "24 + 40 bytes fill it exactly")
    assert.isFalse(log.recordText("y"))
    assert.isTrue(log.recordText("x".repeat(40)))
    assert.deepStrictEqual(
      readAll(buffer).map(([count]) => count),
      [2]
    )
  })

  it("refuses an error that is longer than the log", () => {
    const { buffer, log } = make(64)
    assert.isFalse(log.recordText("x".repeat(41)))
    assert.isFalse(ErrorLogReader.hasErrors(buffer))
  })

  it("continues a log that holds records", () => {
    const { buffer, clock, log } = make()
    log.recordText("old")
    clock.nowMs = 3000
    const next = new DistinctErrorLog(buffer, () => clock.nowMs)
    next.recordText("old")
    next.recordText("new")
    assert.deepStrictEqual(readAll(buffer), [
      [2, 1000, 3000, "old"],
      [1, 3000, 3000, "new"]
    ])
  })

  it("keeps text beyond ASCII", () => {
    const { buffer, log } = make()
    log.recordText("Verzeichnis fehlt: größe → 日本 🚀")
    assert.strictEqual(readAll(buffer)[0]![3], "Verzeichnis fehlt: größe → 日本 🚀")
  })
})

describe("ErrorLogReader", () => {
  it("leaves out what was last seen before a time", () => {
    const { buffer, clock, log } = make()
    log.recordText("early")
    clock.nowMs = 2000
    log.recordText("late")
    assert.deepStrictEqual(
      readAll(buffer, 1001).map(([, , , text]) => text),
      ["late"]
    )
  })

  it("reports a record length that cannot be", () => {
    for (const length of [1, 23, -1, 4096 - 32 + 1, 2 ** 31 - 1]) {
      const { buffer, log } = make()
      log.recordText("eight ch")
      buffer.view.setInt32(32, length, true)
      assert.throws(() => readAll(buffer), CorruptRecord)
      assert.throws(() => new DistinctErrorLog(buffer, () => 0), CorruptRecord)
    }
  })

  it("ends at the end of a log that is full", () => {
    const { buffer, log } = make(64)
    log.recordText("x".repeat(8))
    log.recordText("y".repeat(8))
    assert.strictEqual(readAll(buffer).length, 2)
    assert.strictEqual(
      ErrorLogReader.read(new HeapRegion("errors", 16).buffer(), () => {}),
      0
    )
    assert.isFalse(ErrorLogReader.hasErrors(new HeapRegion("errors", 0).buffer()))
  })

  it("fails with RegionClosed after its region was closed, as the log does", () => {
    const { buffer, log, region } = make()
    log.recordText("x")
    region.close()
    for (const entry of [
      () => ErrorLogReader.read(buffer, () => {}),
      () => ErrorLogReader.hasErrors(buffer),
      () => log.recordText("x"),
      () => log.record(new Error("x")),
      () => new DistinctErrorLog(buffer, () => 0)
    ]) {
      assert.throws(entry, RegionClosed)
    }
  })
})

const Observation = Schema.Struct({
  text: Schema.Literals(["", "a", "bb", "a longer text of an error", "größe", "x".repeat(60)]),
  elapsedMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))
})

describe("an error log against a model", () => {
  it.prop(
    "holds each distinct text once, with its count and times",
    [Arbitrary.array(Arbitrary.schema(Observation), { maxLength: 40 })],
    ([observations]) => {
      const { buffer, clock, log } = make(200)
      const model = new Map<string, { count: number; firstMs: number; lastMs: number }>()
      let used = 0
      for (const { elapsedMs, text } of observations) {
        clock.nowMs += elapsedMs
        const length = 24 + Buffer.byteLength(text)
        const entry = model.get(text)
        if (entry !== undefined) {
          entry.count++
          entry.lastMs = clock.nowMs
        } else if (used + length <= 200) {
          model.set(text, { count: 1, firstMs: clock.nowMs, lastMs: clock.nowMs })
          used = Math.ceil((used + length) / 8) * 8
        }
        assert.strictEqual(log.recordText(text), model.has(text))
      }
      assert.deepStrictEqual(
        readAll(buffer),
        [...model].map(([text, { count, firstMs, lastMs }]) => [count, firstMs, lastMs, text] as const)
      )
    },
    { arbitrary: { runs: 300 } }
  )
})
