/** The subscriber process of a throughput run: reads what one publisher sends, up to its end. */
import * as Client from "@millrace/transport/Client"
import type { FragmentBatch } from "@millrace/transport/FragmentBatch"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { childMain, type Progress } from "../internal/childMain.ts"
import { preciseEpochMs } from "../internal/preciseEpochMs.ts"
import { ThroughputConfig } from "./TrafficConfig.ts"

/** Looks at the first byte of each message, as a program would at its content. */
class Reception {
  records = 0
  bytes = 0
  private sum = 0

  add({ buffer, count, lengths, offsets }: FragmentBatch): void {
    let { bytes, sum } = this
    for (let index = 0; index < count; index++) {
      sum = (sum + buffer[offsets[index]!]!) | 0
      bytes += lengths[index]!
    }
    this.bytes = bytes
    this.sum = sum
    this.records += count
  }
}

const subscribe = Effect.fnUntraced(function* (config: ThroughputConfig, progress: Progress) {
  const { channel, messages, streamId } = config
  const subscription = yield* Subscription.make({ channel, streamId })
  const reception = new Reception()
  let startedMs = 0
  let endedMs = 0
  yield* subscription.images.pipe(
    Stream.take(1),
    Stream.flatMap(({ borrowedBatches }) => borrowedBatches),
    Stream.takeUntil((batch) => {
      startedMs ||= preciseEpochMs()
      reception.add(batch)
      progress.records = reception.records
      endedMs = preciseEpochMs()
      return reception.records >= messages
    }),
    Stream.runDrain
  )
  return {
    records: reception.records,
    bytes: reception.bytes,
    elapsedMs: endedMs - startedMs,
    startedMs,
    endedMs
  }
})

childMain(ThroughputConfig, (config, progress) =>
  subscribe(config, progress).pipe(Effect.provide(Client.layerWith({ directory: config.driverDirectory })))
)
