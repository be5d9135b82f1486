import { assert, describe, it } from "@effect/vitest"
import { DistinctErrorLog } from "../../src/errorlog/DistinctErrorLog.ts"
import * as ErrorLogReader from "../../src/errorlog/ErrorLogReader.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import * as AeronFiles from "../AeronFiles.ts"

const rowsOf = (name: string) => AeronFiles.rows<AeronFiles.ErrorRow>(`${name}-cnc.errors.json`)

describe("the error log of real drivers", () => {
  for (const name of ["java-errors", "c-errors"] as const) {
    it(`reads every error of ${name}`, () => {
      const errors: Array<AeronFiles.ErrorRow> = []
      const { errorLog } = AeronFiles.cnc(name)
      assert.isTrue(ErrorLogReader.hasErrors(errorLog))
      const count = ErrorLogReader.read(errorLog, (observations, firstMs, lastMs, text) => {
        errors.push({ count: observations, firstMs, lastMs, text })
      })
      assert.strictEqual(count, 5)
      assert.deepStrictEqual(errors, [...rowsOf(name)])
    })

    it(`writes the errors of ${name} to the same bytes`, () => {
      const theirs = AeronFiles.cnc(name).errorLog
      const ours = new HeapRegion("errors", theirs.length).buffer()
      let nowMs = 0
      const log = new DistinctErrorLog(ours, () => nowMs)
      for (const { count, firstMs, lastMs, text } of rowsOf(name)) {
        for (let observation = 1; observation <= count; observation++) {
          nowMs = observation === 1 ? firstMs : lastMs
          assert.isTrue(log.recordText(text))
        }
      }
      assert.isUndefined(AeronFiles.firstDifference(ours.bytes, theirs.bytes))
    })
  }

  for (const name of ["clean", "java"] as const) {
    it(`finds no errors in ${name}`, () => {
      const { errorLog } = AeronFiles.cnc(name)
      assert.isFalse(ErrorLogReader.hasErrors(errorLog))
      assert.strictEqual(
        ErrorLogReader.read(errorLog, () => {}),
        0
      )
    })
  }
})
