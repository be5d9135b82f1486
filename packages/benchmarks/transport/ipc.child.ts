/** Reads as many messages as the parent says, in one of the ways the benchmark compares: `mode directory`. */
import { parent } from "#harness/Peer"
import { join } from "node:path"
import { BatchReader } from "@millrace/core/kernel/logbuffer/BatchReader"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as Int64 from "@millrace/core/kernel/memory/Int64"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import * as Client from "@millrace/transport/Client"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { POSITION_FILE, RAW_LOG_FILE, STREAM_ID } from "./ipc.shared.ts"

const [mode, directory] = process.argv.slice(2)
const bench = parent()
const BATCH_COUNT = 4096
const BATCH_BYTES = 256 * 1024

/** Keeps the bytes of every message in use. */
let sum = 0

const readRaw = async (): Promise<void> => {
  const log = new LogBuffers(Mapping.open(join(directory!, RAW_LOG_FILE)))
  const position = Mapping.open(join(directory!, POSITION_FILE)).buffer()
  const reader = new BatchReader(log, 0)
  const batch = new FragmentBatch(BATCH_COUNT)
  bench.send("open")
  for (;;) {
    const { count } = await bench.receive<{ readonly count: number }>()
    if (count === 0) {
      return
    }
    bench.send("ready")
    let read = 0
    while (read < count) {
      const messages = reader.read(batch, BATCH_BYTES)
      for (let index = 0; index < messages; index++) {
        sum += batch.buffer[batch.offsets[index]!]!
      }
      read += messages
      Int64.storeExclusiveRelease(position, 0, reader.position)
    }
    bench.send({ sum })
  }
}

const add = (batch: FragmentBatch): number => {
  for (let index = 0; index < batch.count; index++) {
    sum += batch.buffer[batch.offsets[index]!]!
  }
  return batch.count
}

/** Ends each run when its messages are read; the subscription stays. */
const reading = (subscription: Subscription.Subscription, count: number): Effect.Effect<void, unknown> => {
  let read = 0
  if (mode === "stream") {
    return subscription.stream.pipe(
      Stream.mapArray((messages) => {
        for (const message of messages) {
          sum += message[0]!
        }
        read += messages.length
        return [messages.length]
      }),
      Stream.takeUntil(() => read >= count),
      Stream.runDrain
    )
  }
  const batches = mode === "borrowed" ? subscription.borrowedBatches : subscription.batches
  return batches.pipe(
    Stream.takeUntil((batch) => (read += add(batch)) >= count),
    Stream.runDrain
  )
}

const readTransport = Effect.gen(function* () {
  const subscription = yield* Subscription.make({ channel: "aeron:ipc", streamId: STREAM_ID })
  bench.send("open")
  for (;;) {
    const { count } = yield* Effect.promise(() => bench.receive<{ readonly count: number }>())
    if (count === 0) {
      return
    }
    bench.send("ready")
    yield* reading(subscription, count)
    bench.send({ sum })
  }
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory! })))

await (mode === "raw" ? readRaw() : Effect.runPromise(readTransport))
bench.close()
