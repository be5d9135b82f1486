/**
 * What a message costs when there are many streams: 64 messages on each in turn, until 64,000 are written, then 64 read
 * from each in turn, over shared memory. Both ends are in this thread and the driver in its worker, so that nobody waits for
 * a processor and the time is that of the work; how much of another processor the driver took is in the figures. The logs of
 * all streams together are as long in every case, and as many messages wait to be read, so that not the memory differs but
 * the count alone.
 */
import { type Bench, group, type Measurement } from "#harness/Group"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Publication from "@millrace/transport/Publication"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

const LENGTH = 32
/** Of all streams together. */
const TERM_LENGTHS = 64 * 1024 * 1024
const FIRST_STREAM_ID = 10_000
const BURST = 64
/** Messages that are written before they are read. */
const ROUND = 64_000
/** Streams that are added at once: so many logs are made by the driver at a time. */
const CONCURRENCY = 16
const COUNT = 1_280_000
const SMOKE_COUNT = 64_000

/** The longest that so many streams may have. Aeron's are powers of two. */
const termLengthOf = (streamCount: number): number => TERM_LENGTHS / 2 ** Math.ceil(Math.log2(streamCount))

const openStream = Effect.fnUntraced(function* (channel: string, streamId: number) {
  const subscription = yield* Subscription.make({ channel, streamId })
  const publication = yield* Publication.make({ channel, streamId })
  let sum = 0
  return {
    publish: publication.publishBatch(BURST, LENGTH, (bytes, offset, index) => {
      bytes[offset] = index
      return LENGTH
    }),
    poll: subscription.poll((bytes, offset) => {
      sum += bytes[offset]!
    }, BURST),
    /** Keeps what was read in use. */
    sum: () => sum
  }
})

export const open = async (streamCount: number): Promise<Bench> => {
  const scope = Effect.runSync(Scope.make())
  const layer = Layer.provideMerge(Client.layer, MediaDriver.layerEmbedded())
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const channel = `aeron:ipc?term-length=${termLengthOf(streamCount)}`
  const streamIds = Array.from({ length: streamCount }, (_, index) => FIRST_STREAM_ID + index)
  const streams = await Effect.runPromise(
    Effect.forEach(streamIds, (streamId) => openStream(channel, streamId), { concurrency: CONCURRENCY }).pipe(
      Scope.provide(scope),
      Effect.provide(context)
    )
  )
  const exchange = Effect.fnUntraced(function* (count: number) {
    let received = 0
    for (let sent = 0; sent < count;) {
      for (let written = 0; written < ROUND; written += BURST * streamCount) {
        for (const { publish } of streams) {
          yield* publish
        }
        sent += BURST * streamCount
      }
      while (received < sent) {
        for (const { poll } of streams) {
          received += yield* poll
        }
      }
    }
    return received
  })
  return {
    run: async (count): Promise<Measurement> => {
      const startNs = process.hrtime.bigint()
      const all = process.cpuUsage()
      const own = process.threadCpuUsage()
      const operations = await Effect.runPromise(exchange(count))
      const elapsedNs = Number(process.hrtime.bigint() - startNs)
      const ownMicros = microsOf(process.threadCpuUsage(own))
      const otherMicros = microsOf(process.cpuUsage(all)) - ownMicros
      return {
        operations,
        elapsedNs,
        figures: {
          "processor ns/op": (ownMicros * 1000) / operations,
          "of the driver ns/op": (otherMicros * 1000) / operations
        }
      }
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const microsOf = ({ system, user }: NodeJS.CpuUsage): number => system + user

const measured = (streamCount: number, goal?: string) => ({
  bytes: LENGTH,
  count: COUNT,
  smokeCount: SMOKE_COUNT,
  open: () => open(streamCount),
  ...(goal === undefined ? {} : { goal })
})

export default group("transport/streams", {
  baseline: "one",
  cases: {
    one: measured(1),
    ten: measured(10),
    "a-hundred": measured(100),
    "a-thousand": measured(1000, "at most 1.2 times the cost of one")
  }
})
