/** What the parent of a measurement tells its child processes. */
import * as Schema from "effect/Schema"

const Stream = { driverDirectory: Schema.String, channel: Schema.String, streamId: Schema.Int }

/** For the publisher and the subscriber of a throughput run. */
export const ThroughputConfig = Schema.Struct({
  ...Stream,
  /** How many. */
  messages: Schema.Natural,
  /** Bytes of each. */
  length: Schema.Natural
})

export type ThroughputConfig = typeof ThroughputConfig.Type

/** For whoever sends back what it gets. */
export const PongConfig = Schema.Struct({
  ...Stream,
  pongChannel: Schema.String,
  pongStreamId: Schema.Int
})

export type PongConfig = typeof PongConfig.Type
