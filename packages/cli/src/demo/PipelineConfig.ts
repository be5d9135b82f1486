/** What the parent of the demo tells each of its child processes. */
import * as Schema from "effect/Schema"

const DataSet = Schema.Struct({
  label: Schema.String,
  path: Schema.String,
  format: Schema.Literals(["json", "ndjson", "csv"]),
  repeat: Schema.Natural,
  length: Schema.Natural
})

const Stream = {
  driverDirectory: Schema.String,
  channel: Schema.String,
  streamId: Schema.Int
}

export const PublisherConfig = Schema.Struct({ ...Stream, dataSet: DataSet })

export const RecorderConfig = Schema.Struct({
  ...Stream,
  storeDirectory: Schema.String,
  topic: Schema.String,
  columns: Schema.Struct({ key: Schema.String, tag: Schema.optional(Schema.String) }),
  /** Records to come. */
  expected: Schema.Natural
})

export type PublisherConfig = typeof PublisherConfig.Type
export type RecorderConfig = typeof RecorderConfig.Type
