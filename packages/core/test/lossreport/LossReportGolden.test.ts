import { assert, describe, it } from "@effect/vitest"
import { LossReport } from "../../src/lossreport/LossReport.ts"
import * as LossReportReader from "../../src/lossreport/LossReportReader.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import * as AeronFiles from "../AeronFiles.ts"

describe("the loss report of real drivers", () => {
  for (const name of ["lossy", "java-lossy", "unreliable"] as const) {
    const expected = AeronFiles.rows<AeronFiles.LossRow>(`${name}-loss-report.json`)

    it(`reads every entry of ${name}`, () => {
      const entries: Array<AeronFiles.LossRow> = []
      const count = LossReportReader.read(AeronFiles.file(`${name}-loss-report.dat`), (entry) => {
        entries.push({
          observations: Number(entry.observationCount),
          bytesLost: Number(entry.totalBytesLost),
          firstMs: entry.firstObservationMs,
          lastMs: entry.lastObservationMs,
          sessionId: entry.sessionId,
          streamId: entry.streamId,
          channel: entry.channel,
          source: entry.source
        })
      })
      assert.strictEqual(count, expected.length)
      assert.deepStrictEqual(entries, [...expected])
    })

    it(`writes the entries of ${name} to the same bytes`, () => {
      const theirs = AeronFiles.file(`${name}-loss-report.dat`)
      const ours = new HeapRegion("loss", theirs.length).buffer()
      const report = new LossReport(ours)
      for (const row of expected) {
        const entry = report.createEntry(1, row.firstMs, row.sessionId, row.streamId, row.channel, row.source)
        for (let observation = 2; observation <= row.observations; observation++) {
          const isLast = observation === row.observations
          report.recordObservation(entry, isLast ? row.bytesLost - row.observations + 1 : 1, row.lastMs)
        }
      }
      assert.isUndefined(AeronFiles.firstDifference(ours.bytes, theirs.bytes))
    })
  }
})
