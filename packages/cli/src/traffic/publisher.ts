/** The publisher process of a throughput run: publishes so many messages of one length as fast as it can. */
import * as Client from "@millrace/transport/Client"
import * as ExclusivePublication from "@millrace/transport/ExclusivePublication"
import type { MessageEncoder } from "@millrace/transport/Publication"
import * as Effect from "effect/Effect"
import { badInput } from "../CommandError.ts"
import { childMain, type Progress } from "../internal/childMain.ts"
import { drained } from "../internal/drained.ts"
import { preciseEpochMs } from "../internal/preciseEpochMs.ts"
import { waitUntil } from "../internal/waitUntil.ts"
import { ThroughputConfig } from "./TrafficConfig.ts"

/** Messages of one call: enough that the call itself costs nothing. */
const BATCH_COUNT = 4096
const BATCH_BYTES_MAX = 4 * 1024 * 1024

const publish = Effect.fnUntraced(function* (config: ThroughputConfig, progress: Progress) {
  const { channel, length, messages, streamId } = config
  const publication = yield* ExclusivePublication.make({ channel, streamId })
  const { maxMessageLength, maxPayloadLength } = publication
  if (length > maxMessageLength) {
    return yield* badInput(
      "--length",
      `${length} bytes are more than ${maxMessageLength}, the longest message of this stream`
    )
  }
  yield* waitUntil(publication.isConnected)
  const batch = Math.max(1, Math.min(BATCH_COUNT, Math.floor(BATCH_BYTES_MAX / length)))
  const fragmented = Array.from({ length: batch }, () => new Uint8Array(length))
  let first = 0
  const encode: MessageEncoder = (bytes, offset, index) => {
    bytes[offset] = first + index
    return length
  }
  const startedMs = preciseEpochMs()
  for (let sent = 0; sent < messages; sent += batch) {
    first = sent
    const count = Math.min(batch, messages - sent)
    yield* length <= maxPayloadLength
      ? publication.publishBatch(count, length, encode)
      : publication.publishMany(numbered(fragmented, first, count))
    progress.records = sent + count
  }
  const client = yield* Client.Client
  yield* drained(client, publication)
  return { records: messages, bytes: messages * length, elapsedMs: preciseEpochMs() - startedMs, startedMs }
})

const numbered = (messages: ReadonlyArray<Uint8Array>, first: number, count: number): ReadonlyArray<Uint8Array> =>
  messages.slice(0, count).map((message, index) => {
    message[0] = first + index
    return message
  })

childMain(ThroughputConfig, (config, progress) =>
  publish(config, progress).pipe(Effect.provide(Client.layerWith({ directory: config.driverDirectory })))
)
