/** The demo from its input to its summary, without a word to the user but progress. */
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as os from "node:os"
import { badInput, CommandError, PublisherLost } from "../CommandError.ts"
import * as PeakMemory from "../internal/peakMemory.ts"
import * as TemporaryDirectory from "../internal/temporaryDirectory.ts"
import * as Progress from "../output/Progress.ts"
import { grouped, perSecond, plural } from "../output/Quantity.ts"
import type * as Columns from "./Columns.ts"
import * as DataSet from "./DataSet.ts"
import * as Pipeline from "./Pipeline.ts"
import * as ReadBack from "./ReadBack.ts"
import * as RecordTopic from "./RecordTopic.ts"
import * as Stage from "./Stage.ts"
import type { Rate, Summary } from "./Summary.ts"
import * as Survey from "./Survey.ts"

export interface DemoOptions {
  readonly file: string | undefined
  readonly repeat: number
  readonly choice: Columns.Choice
  /** Where the store is kept; a temporary directory when it is undefined. */
  readonly directory: string | undefined
  /** Nothing is said on standard output. */
  readonly silent: boolean
}

const CHANNEL = "aeron:ipc"
const STREAM_ID = 1001
const TOP_COUNT = 10

/** A publisher that dies is noticed within this time, and one that is stopped is drained no longer than that. */
const CLIENT_LIVENESS_TIMEOUT = "2 seconds"
const DRIVER_LINGER = "500 millis"
const DRIVER_TIMER_INTERVAL = "250 millis"

const driver = MediaDriver.layerEmbedded({
  clientLivenessTimeout: CLIENT_LIVENESS_TIMEOUT,
  publicationLingerTimeout: DRIVER_LINGER,
  timerInterval: DRIVER_TIMER_INTERVAL
})

export const run = Effect.fnUntraced(function* (options: DemoOptions) {
  const { file, repeat } = options
  const startMs = yield* Clock.currentTimeMillis
  const peakMemory = yield* PeakMemory.sampled
  const dataSet = yield* file === undefined ? DataSet.flights(repeat) : DataSet.fromFile(file, repeat)
  const survey = yield* takeSurvey(options, dataSet)
  const directory = yield* storeDirectory(options.directory)
  const topic = file === undefined ? "flights" : RecordTopic.topicName(dataSet.label)
  const line: Line = { dataSet, directory, survey, topic }

  const { publisher, recorder } = yield* Effect.catchReason(
    stream(options, line),
    "CommandError",
    "PublisherLost",
    (lost) => checkWhatIsLeft(options, line, lost)
  )
  const readBack = yield* readStore(options, line, survey.records)
  const { groups, logPosition } = readBack
  return {
    label: dataSet.label,
    topic,
    columns: survey.columns,
    records: survey.records,
    verified: readBack.verified,
    elapsedMs: (yield* Clock.currentTimeMillis) - startMs,
    transport: rate(recorder.records, recorder.bytes, recorder.elapsedMs),
    store: {
      ...rate(recorder.records, logPosition, recorder.storeMs ?? recorder.elapsedMs),
      ...(yield* filesUnder(directory)),
      logPosition
    },
    readBack: rate(readBack.verified, readBack.bytes, readBack.elapsedMs),
    queueCount: readBack.queueCount,
    groups: groups.largest(TOP_COUNT),
    groupCount: groups.size,
    ungrouped: groups.ungrouped,
    tag: readBack.tag,
    memory: [
      ["this process", yield* peakMemory],
      ["publisher", publisher.peakMemoryBytes],
      ["recorder", recorder.peakMemoryBytes]
    ],
    directory: options.directory === undefined ? undefined : directory
  } satisfies Summary
})

const takeSurvey = Effect.fnUntraced(function* ({ choice, silent }: DemoOptions, dataSet: DataSet.DataSet) {
  const progress = yield* Progress.make({ label: "looking at", noun: "bytes", total: dataSet.length })
  const survey = yield* Survey.take(dataSet, choice, progress.update)
  if (!silent) {
    yield* Console.log(describe(dataSet, survey))
  }
  return survey
}, Effect.scoped)

const describe = ({ label, repeat }: DataSet.DataSet, { columns, records }: Survey.Survey): string => {
  const times = repeat === 1 ? "" : `, ${grouped(records / repeat)} sent ${grouped(repeat)} times`
  const tag = columns.tag === undefined ? "" : `, tag ${columns.tag}`
  return `${label}: ${plural(records, "record")}${times}; key ${columns.key}${tag}`
}

interface Line {
  readonly dataSet: DataSet.DataSet
  readonly directory: string
  readonly survey: Survey.Survey
  readonly topic: string
}

/** Streams everything through the driver into the store. */
const stream = Effect.fnUntraced(
  function* ({ silent }: DemoOptions, { dataSet, directory, survey, topic }: Line) {
    const progress = yield* Stage.follow({ label: "streaming", noun: "records", total: survey.records, silent })
    const { awaitTermination, directory: driverDirectory } = yield* MediaDriver.MediaDriver
    const config: Pipeline.PipelineConfig = {
      driverDirectory,
      channel: CHANNEL,
      streamId: STREAM_ID,
      dataSet,
      storeDirectory: directory,
      topic,
      columns: { key: survey.columns.key, tag: survey.columns.tag },
      expected: survey.records
    }
    const driverEnded = Effect.andThen(awaitTermination, Effect.never)
    const outcome = yield* Effect.raceFirst(Pipeline.run(config, progress.update), driverEnded)
    yield* progress.update(survey.records)
    return outcome
  },
  // The children end before the driver does.
  Effect.scoped,
  Effect.provide(driver)
)

/** Opens the store again, as any later process would, and compares its first `expected` records with the source. */
const readStore = Effect.fnUntraced(
  function* ({ silent }: DemoOptions, { dataSet, survey, topic }: Line, expected: number) {
    const progress = yield* Stage.follow({ label: "reading back", noun: "records", total: expected, silent })
    return yield* ReadBack.run({ dataSet, columns: survey.columns, topic, expected, onProgress: progress.update })
  },
  (effect, _options, { directory }) => Effect.provide(Effect.scoped(effect), RecordTopic.storeLayer(directory))
)

/** A publisher was lost: what it left is checked, and then the loss is reported. */
const checkWhatIsLeft = Effect.fnUntraced(function* (options: DemoOptions, line: Line, lost: PublisherLost) {
  const { expected, how, received } = lost
  const { verified } = yield* readStore(options, line, received)
  return yield* new CommandError({
    reason: new PublisherLost({ received, expected, intact: verified, ...(how === undefined ? {} : { how }) })
  })
})

const rate = (count: number, bytes: number, elapsedMs: number): Rate => ({
  messagesPerSecond: perSecond(count, elapsedMs),
  bytesPerSecond: perSecond(bytes, elapsedMs)
})

const storeDirectory = Effect.fnUntraced(function* (asked: string | undefined) {
  if (asked === undefined) {
    return yield* TemporaryDirectory.scoped(os.tmpdir(), "millrace-demo-")
  }
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const entries = yield* fs.readDirectory(asked).pipe(
    Effect.catchIf(
      (error) => error.reason._tag === "NotFound",
      () => Effect.succeed([])
    ),
    Effect.mapError((error) => badInput(asked, error.reason.message))
  )
  if (entries.length > 0) {
    return yield* badInput(asked, "is not empty; the demo fills a new store: name a new or an empty directory")
  }
  return path.resolve(asked)
})

/** How many files there are, and how many bytes of the disk they take: files are longer than what is written to them. */
const filesUnder = Effect.fnUntraced(function* (directory: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  let files = 0
  let fileBytes = 0
  for (const name of yield* Effect.orDie(fs.readDirectory(directory, { recursive: true }))) {
    const info = yield* Effect.orDie(fs.stat(path.join(directory, name)))
    if (info.type === "File") {
      files++
      fileBytes += Option.match(info.blocks, {
        onNone: () => Number(info.size),
        onSome: (blocks) => Number(blocks) * 512
      })
    }
  }
  return { files, fileBytes }
})
