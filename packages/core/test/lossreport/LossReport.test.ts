import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { LossReport, NO_ROOM } from "../../src/lossreport/LossReport.ts"
import * as LossReportReader from "../../src/lossreport/LossReportReader.ts"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { RegionClosed } from "../../src/memory/RegionState.ts"
import { CorruptRecord } from "../../src/ringbuffer/CorruptRecord.ts"

const readAll = (buffer: AtomicBuffer): ReadonlyArray<LossReportReader.LossReportEntry> => {
  const entries: Array<LossReportReader.LossReportEntry> = []
  LossReportReader.read(buffer, (entry) => entries.push(entry))
  return entries
}

const make = (length: number = 4096) => {
  const region = new HeapRegion("loss", length)
  const buffer = region.buffer()
  return { region, buffer, report: new LossReport(buffer) }
}

describe("LossReport", () => {
  it("adds observations up in the entry of their stream", () => {
    const { buffer, report } = make()
    const first = report.createEntry(1408, 1000, 12345, 1001, "aeron:udp?endpoint=a:1", "10.0.0.1:40123")
    const second = report.createEntry(64, 1500, -7, -1001, "c", "s")
    report.recordObservation(first, 2816, 2000)
    assert.strictEqual(first, 0)
    assert.strictEqual(second, 128)
    assert.deepStrictEqual(readAll(buffer), [
      {
        observationCount: 2n,
        totalBytesLost: 4224n,
        firstObservationMs: 1000,
        lastObservationMs: 2000,
        sessionId: 12345,
        streamId: 1001,
        channel: "aeron:udp?endpoint=a:1",
        source: "10.0.0.1:40123"
      },
      {
        observationCount: 1n,
        totalBytesLost: 64n,
        firstObservationMs: 1500,
        lastObservationMs: 1500,
        sessionId: -7,
        streamId: -1001,
        channel: "c",
        source: "s"
      }
    ])
  })

  it("reports no room when an entry does not fit, and takes a shorter one", () => {
    const { buffer, report } = make(128)
    report.createEntry(1, 1, 1, 1, "c", "s")
    assert.strictEqual(report.createEntry(1, 1, 1, 1, "channel", "source is long"), NO_ROOM)
    assert.strictEqual(report.createEntry(1, 1, 1, 1, "channel!", "source!!"), 64, "48 + 8 + 8 bytes fit exactly")
    assert.strictEqual(report.createEntry(1, 1, 1, 1, "", ""), NO_ROOM)
    assert.strictEqual(readAll(buffer).length, 2)
  })

  it("continues behind the entries that are there", () => {
    const { buffer, report } = make()
    report.createEntry(1, 1, 1, 1, "first", "s")
    assert.strictEqual(new LossReport(buffer).createEntry(1, 1, 1, 1, "second", "s"), 64)
    assert.deepStrictEqual(
      readAll(buffer).map(({ channel }) => channel),
      ["first", "second"]
    )
  })

  it("writes a question mark for a character beyond ASCII", () => {
    const { buffer, report } = make()
    report.createEntry(1, 1, 1, 1, "aeron:udp?alias=größe", "s")
    assert.strictEqual(readAll(buffer)[0]!.channel, "aeron:udp?alias=gr??e")
  })

  it("refuses an observation of no entry", () => {
    const { report } = make()
    report.createEntry(1, 1, 1, 1, "c", "s")
    for (const offset of [NO_ROOM, 8, 64, 4096]) {
      assert.throws(() => report.recordObservation(offset, 1, 1), /entry offset/)
    }
  })

  it("reports text lengths that cannot be", () => {
    const damaged = (offset: number, length: number) => {
      const { buffer, report } = make(256)
      report.createEntry(1, 1, 1, 1, "channel!", "source")
      buffer.view.setInt32(offset, length, true)
      return buffer
    }
    for (const [offset, length] of [
      [40, -1],
      [40, 256 - 48 + 1],
      [40, 2 ** 31 - 1],
      [52, -1],
      [52, 256 - 56 + 1]
    ] as const) {
      const buffer = damaged(offset, length)
      assert.throws(() => readAll(buffer), CorruptRecord)
      assert.throws(() => new LossReport(buffer), CorruptRecord)
    }
  })

  it("fails with RegionClosed after its region was closed, as the reader does", () => {
    const { buffer, region, report } = make()
    const entry = report.createEntry(1, 1, 1, 1, "c", "s")
    region.close()
    for (const use of [
      () => report.createEntry(1, 1, 1, 1, "c", "s"),
      () => report.recordObservation(entry, 1, 1),
      () => LossReportReader.read(buffer, () => {}),
      () => new LossReport(buffer)
    ]) {
      assert.throws(use, RegionClosed)
    }
  })
})

const Text = Schema.String.check(Schema.isPattern(/^[a-z0-9:|=?.]{0,70}$/))
const Command = Schema.Union([
  Schema.Struct({ op: Schema.Literal("create"), channel: Text, source: Text, stream: Schema.Int }),
  Schema.Struct({
    op: Schema.Literal("observe"),
    entry: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
    bytesLost: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
  })
])

describe("a loss report against a model", () => {
  it.prop(
    "holds every entry that fitted, with its sums",
    [Arbitrary.array(Arbitrary.schema(Command), { maxLength: 30 })],
    ([commands]) => {
      const { buffer, report } = make(640)
      const model: Array<{ offset: number; entry: LossReportReader.LossReportEntry }> = []
      let used = 0
      let nowMs = 0
      for (const command of commands) {
        nowMs++
        if (command.op === "create") {
          const { channel, source, stream } = command
          const length = 48 + Math.ceil(channel.length / 4) * 4 + source.length
          const offset = report.createEntry(5, nowMs, stream | 0, 9, channel, source)
          assert.strictEqual(offset, used + length <= 640 ? used : NO_ROOM)
          if (offset !== NO_ROOM) {
            used = Math.ceil((used + length) / 64) * 64
            model.push({
              offset,
              entry: {
                observationCount: 1n,
                totalBytesLost: 5n,
                firstObservationMs: nowMs,
                lastObservationMs: nowMs,
                sessionId: stream | 0,
                streamId: 9,
                channel,
                source
              }
            })
          }
        } else {
          const found = model[command.entry]
          if (found !== undefined) {
            report.recordObservation(found.offset, command.bytesLost, nowMs)
            found.entry = {
              ...found.entry,
              observationCount: found.entry.observationCount + 1n,
              totalBytesLost: found.entry.totalBytesLost + BigInt(command.bytesLost),
              lastObservationMs: nowMs
            }
          }
        }
      }
      assert.deepStrictEqual(
        readAll(buffer),
        model.map(({ entry }) => entry)
      )
    },
    { arbitrary: { runs: 300 } }
  )
})
