/** What both drivers write into the metadata of new logs: the same commands of our client to each, field by field. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as LogBufferDescriptor from "../../packages/core/src/logbuffer/LogBufferDescriptor.ts"
import * as LogBufferMetadata from "../../packages/core/src/logbuffer/LogBufferMetadata.ts"
import { HeapRegion } from "../../packages/core/src/memory/HeapRegion.ts"
import * as Client from "../../packages/transport/src/Client.ts"
import * as ExclusivePublication from "../../packages/transport/src/ExclusivePublication.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"
import type { Context } from "../Part.ts"
import { freePort, type Peer, withDrivers } from "./Streams.ts"

/** One stream with a subscription for each channel; `term-length` and all that chance would choose are said for all. */
interface Stream {
  readonly title: string
  readonly media: "ipc" | "udp"
  readonly isExclusive?: boolean
  readonly publication?: string
  readonly subscriptions: ReadonlyArray<string>
}

const TIMEOUTS = "untethered-window-limit-timeout=2s|untethered-linger-timeout=3s|untethered-resting-timeout=4s"
const OF_STREAM = `linger=1s|eos=false|ssc=true|max-resend=7|pub-wnd=8k|${TIMEOUTS}`
const OF_IMAGE = `tether=false|reliable=false|rejoin=false|${TIMEOUTS}`

const STREAMS: ReadonlyArray<Stream> = [
  { title: "ipc", media: "ipc", subscriptions: [""] },
  { title: "ipc, exclusive", media: "ipc", isExclusive: true, subscriptions: [""] },
  { title: "ipc, with parameters", media: "ipc", publication: `tags=1,77|${OF_STREAM}`, subscriptions: [OF_IMAGE] },
  { title: "udp", media: "udp", subscriptions: [""] },
  { title: "udp, exclusive", media: "udp", isExclusive: true, subscriptions: [""] },
  { title: "udp, with parameters", media: "udp", publication: `tags=2,78|${OF_STREAM}`, subscriptions: [OF_IMAGE] },
  {
    title: "udp, with lengths of its buffers",
    media: "udp",
    publication: "so-rcvbuf=96k|so-sndbuf=64k|mtu=2016",
    subscriptions: ["so-rcvbuf=160k|so-sndbuf=48k|rcv-wnd=24k"]
  },
  { title: "udp, with a group", media: "udp", subscriptions: ["group=true"] },
  {
    title: "udp, with subscriptions that differ",
    media: "udp",
    subscriptions: ["tether=false|untethered-resting-timeout=5s", "untethered-resting-timeout=6s|sparse=false"]
  }
]

const COMMON = "sparse=true"
const POSITION = "session-id=4711|init-term-id=-7|term-id=-5|term-offset=4096|term-length=64k"
const FIRST_STREAM_ID = 1001
/** What no two runs have in common. */
const CORRELATION_ID = "correlationId"

type Logs = Readonly<Record<string, unknown>>

const add = ({ isExclusive, media, publication, subscriptions }: Stream, streamId: number, port: number) =>
  Effect.gen(function* () {
    const base = media === "ipc" ? `aeron:ipc?${COMMON}` : `aeron:udp?endpoint=localhost:${port}|${COMMON}`
    const channel = (parameters: string): string => (parameters === "" ? base : `${base}|${parameters}`)
    const subscribed = yield* Effect.forEach(subscriptions, (parameters) =>
      Subscription.make({ channel: channel(parameters), streamId })
    )
    const options = { channel: channel(`${POSITION}${publication === undefined ? "" : `|${publication}`}`), streamId }
    const published =
      isExclusive === true
        ? yield* ExclusivePublication.make({ ...options, linger: 0 })
        : yield* Publication.make({ ...options, linger: 0 })
    yield* until(published.isConnected)
    // Java's driver counts a source when it has heard of it again.
    const isCounted = Effect.flatMap(subscribed[0]!.currentImages, ([image]) =>
      image === undefined ? Effect.succeed(false) : Effect.map(image.activeTransportCount, (count) => count > 0)
    )
    yield* until(media === "ipc" ? subscribed[0]!.isConnected : isCounted)
  })

const until = (condition: Effect.Effect<boolean>): Effect.Effect<boolean> =>
  Effect.repeat(Effect.delay(condition, 2), { until: (holds) => holds })

const logsIn = (directory: string): Logs =>
  Object.fromEntries(
    ["publications", "images"].flatMap((folder) =>
      readdirSync(join(directory, folder)).map((file) => {
        const page = new HeapRegion(file, LogBufferDescriptor.METADATA_LENGTH).buffer()
        page.bytes.set(readFileSync(join(directory, folder, file)).subarray(-LogBufferDescriptor.METADATA_LENGTH))
        const fields = Object.entries(LogBufferMetadata.read(page))
          .filter(([name]) => name !== CORRELATION_ID)
          .map(([name, value]) => [name, String(value)])
        const { streamId } = Object.fromEntries(fields) as Record<string, string>
        return [`${folder}: ${STREAMS[Number(streamId) - FIRST_STREAM_ID]!.title}`, Object.fromEntries(fields)]
      })
    )
  )

const logs = (directory: string): Promise<Logs> =>
  Effect.gen(function* () {
    for (const [index, stream] of STREAMS.entries()) {
      yield* add(stream, FIRST_STREAM_ID + index, yield* Effect.promise(() => freePort()))
    }
    return logsIn(directory)
  }).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory })), Effect.runPromise)

export const run = ({ report }: Context, _count: number, peer: Peer): Promise<void> =>
  withDrivers([peer, "millrace"], async (theirs, ours) => {
    const [found, expected] = [await logs(theirs), await logs(ours)]
    report.equal(
      "logs",
      { name: peer, value: Object.keys(found).toSorted() },
      { name: "millrace", value: Object.keys(expected).toSorted() }
    )
    for (const [title, fields] of Object.entries(found)) {
      report.equal(`metadata of ${title}`, { name: peer, value: fields }, { name: "millrace", value: expected[title] })
    }
  })
