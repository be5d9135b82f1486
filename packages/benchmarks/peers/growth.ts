/** How the cost of one message grows with what there is of everything else. */
import { type Case, group } from "#harness/Group"
import * as Store from "../store/java/cases.shared.ts"
import * as Topics from "../store/topics.ts"
import * as Streams from "../transport/streams.ts"
import * as Log from "./log.shared.ts"
import * as Pipes from "./pipes.shared.ts"

const growth = (name: string, sizes: ReadonlyArray<number>, caseOf: (size: number) => Case) =>
  group(`peers/growth/${name}`, {
    baseline: String(sizes[0]),
    cases: Object.fromEntries(sizes.map((size) => [String(size), caseOf(size)]))
  })

const MEBIBYTE = 1024 * 1024

const streams = growth("streams", [1, 10, 100, 1000], (count) => ({
  bytes: 32,
  count: 640_000,
  smokeCount: 64_000,
  open: () => Streams.open(count)
}))

const topics = growth("topics", [1, 100, 10_000], (count) => ({
  bytes: 124,
  count: 100_000,
  smokeCount: 1000,
  open: () => Topics.open(count)
}))

/** About as many bytes each; a long message is several frames. */
const lengths = growth("message-bytes", [16, 256, 4096, 65_536, MEBIBYTE], (length) => ({
  bytes: length,
  count: Math.max(200, Math.min(1_000_000, Math.floor((256 * MEBIBYTE) / length))),
  smokeCount: 20,
  open: () => Pipes.millrace("aeron:ipc?term-length=16m", length)
}))

const producers = growth("producers", [1, 4, 16, 64, 256], (count) => ({
  bytes: 1024,
  count: count * 100,
  smokeCount: count,
  open: () =>
    Store.openPuts(Store.openOurs, {
      length: 1024,
      batch: 1,
      producers: count,
      isDispatched: true,
      flushDiskType: "SYNC_FLUSH"
    })
}))

/** The longest needs 20 GB of disk and some minutes to be written: only when it is asked for. */
const LOG_MEGABYTES = process.env["BENCH_LARGE"] === "1" ? [100, 1000, 20_000] : [100, 1000]

const logs = growth("log-megabytes", LOG_MEGABYTES, (megabytes) => ({
  bytes: Log.BODY_LENGTH,
  count: 20_000,
  smokeCount: 10,
  warmUp: false,
  open: () => Log.open(megabytes)
}))

export default [streams, topics, lengths, producers, logs]
