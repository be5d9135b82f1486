/**
 * The recorder process of the demo: subscribes, stores every record in a topic, and ends well only after the end record.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Client from "@millrace/transport/Client"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { childMain, type Progress } from "../internal/childMain.ts"
import { recordsOf } from "./EndOfData.ts"
import * as Envelope from "./Envelope.ts"
import { RecorderConfig } from "./PipelineConfig.ts"
import * as RecordTopic from "./RecordTopic.ts"

const record = Effect.fnUntraced(function* (config: RecorderConfig, progress: Progress) {
  const store = yield* MessageStore.MessageStore
  const topic = yield* RecordTopic.make(config.topic, config.columns)
  const subscription = yield* Subscription.make({ channel: config.channel, streamId: config.streamId })
  const tally = new Envelope.Tally()
  let startMs = 0
  let storeMs = 0
  const timed = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E>) {
    const beganMs = performance.now()
    yield* work
    storeMs += performance.now() - beganMs
  })
  yield* subscription.images.pipe(
    Stream.take(1),
    Stream.tap(() => Effect.sync(() => void (startMs = performance.now()))),
    Stream.flatMap((image) => recordsOf(image.stream, tally, config.expected)),
    Stream.runForEachArray((records) => {
      progress.records = tally.count
      return timed(topic.appendMany(records))
    })
  )
  const elapsedMs = performance.now() - startMs
  yield* timed(store.flush)
  return { records: tally.count, bytes: tally.bytes, elapsedMs, storeMs }
})

childMain(RecorderConfig, (config, progress) =>
  record(config, progress).pipe(
    Effect.provide(
      Layer.mergeAll(
        Client.layerWith({ directory: config.driverDirectory }),
        RecordTopic.storeLayer(config.storeDirectory),
        NodeServices.layer
      )
    )
  )
)
