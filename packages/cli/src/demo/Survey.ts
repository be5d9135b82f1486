/**
 * The first reading of a data set: it finds whatever is wrong with the file before a process is started, and how many
 * records there are to come, so that a stream which ends too early can say what is missing.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { badInput } from "../CommandError.ts"
import * as Columns from "./Columns.ts"
import type { DataRecord } from "./DataFormat.ts"
import * as DataSet from "./DataSet.ts"

export interface Survey {
  readonly columns: Columns.Columns
  /** Records to send, repetitions included. */
  readonly records: number
}

export const take = Effect.fnUntraced(function* (
  dataSet: DataSet.DataSet,
  choice: Columns.Choice,
  onRead: (bytes: number) => Effect.Effect<void> = () => Effect.void
) {
  let columns: Columns.Columns | undefined
  let count = 0

  const check = (record: DataRecord): string | undefined => {
    count++
    if (columns === undefined) {
      const chosen = Columns.choose(record, choice)
      if (typeof chosen === "string") {
        return chosen
      }
      columns = chosen
    }
    for (const column of [columns.key, columns.tag]) {
      if (column === undefined) {
        continue
      }
      const text = Columns.textOf(record[column])
      const problem = text === undefined ? undefined : Columns.textProblem(text)
      if (problem !== undefined) {
        return `record ${count}: column ${column} ${problem}`
      }
    }
    return undefined
  }

  let readBytes = 0
  const report = (bytes: number) => {
    readBytes += bytes
    return onRead(readBytes)
  }
  yield* Stream.runForEachArray(DataSet.recordsOnce(dataSet, report), (records) => {
    for (const record of records) {
      const problem = check(record)
      if (problem !== undefined) {
        return Effect.fail(badInput(dataSet.path, problem))
      }
    }
    return Effect.void
  })
  if (columns === undefined) {
    return yield* badInput(dataSet.path, "has no records")
  }
  return { columns, records: count * dataSet.repeat } satisfies Survey
})
