/**
 * The publisher process of the demo: reads the data set, publishes every record, and ends the stream with its end record.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Client from "@millrace/transport/Client"
import * as ExclusivePublication from "@millrace/transport/ExclusivePublication"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { badInput } from "../CommandError.ts"
import { childMain, type Progress } from "../internal/childMain.ts"
import type { DataRecord } from "./DataFormat.ts"
import * as DataSet from "./DataSet.ts"
import * as Envelope from "./Envelope.ts"
import { PublisherConfig } from "./PipelineConfig.ts"

const publish = Effect.fnUntraced(function* (config: PublisherConfig, progress: Progress) {
  const { dataSet } = config
  const publication = yield* ExclusivePublication.make({ channel: config.channel, streamId: config.streamId })
  const tally = new Envelope.Tally()
  const encode = Effect.fnUntraced(function* (records: NonEmptyReadonlyArray<DataRecord>) {
    const messages = records.map(Envelope.encodeRecord)
    for (const message of messages) {
      if (message.length > publication.maxMessageLength) {
        const limit = `${publication.maxMessageLength}, the longest message of this stream`
        return yield* badInput(
          dataSet.path,
          `record ${tally.count + 1} takes ${message.length} bytes, more than ${limit}`
        )
      }
      tally.add(message)
    }
    progress.records = tally.count
    return messages as unknown as NonEmptyReadonlyArray<Uint8Array>
  })
  const startMs = yield* Clock.currentTimeMillis
  yield* DataSet.records(dataSet).pipe(
    Stream.mapArrayEffect(encode),
    Stream.concat(Stream.sync(() => Envelope.encodeEnd(tally.end()))),
    Stream.run(publication.sink)
  )
  return { records: tally.count, bytes: tally.bytes, elapsedMs: (yield* Clock.currentTimeMillis) - startMs }
})

childMain(PublisherConfig, (config, progress) =>
  publish(config, progress).pipe(
    Effect.provide(Layer.merge(Client.layerWith({ directory: config.driverDirectory }), NodeServices.layer))
  )
)
