/** `millrace store import DIR`: puts each line of standard input. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { CommandError, PutsRefused } from "../CommandError.ts"
import { byteLines } from "../internal/byteLines.ts"
import * as Lines from "../output/Lines.ts"
import * as Progress from "../output/Progress.ts"
import * as ImportLine from "../store/ImportLine.ts"
import * as PutResult from "../store/PutResult.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { withProgress } from "../store/WithProgress.ts"
import { json, positive } from "./flags.ts"

const IN_FLIGHT_DEFAULT = 64
/** Longest line: the longest body in base64, and 1 MiB of the rest. */
const LINE_LENGTH_MAX = 7 * 1024 * 1024

/** Puts lines; before the first message of a topic it is said what queues it has, if that was asked for. */
const putterOf = (queueType: Option.Option<MessageStore.QueueType>) => {
  const known = new Set<string>()
  return Effect.fnUntraced(function* ({ id, isBatch, messages }: ImportLine.Put) {
    const store = yield* MessageStore.MessageStore
    const setTypes = Effect.forEach(
      Option.isNone(queueType) ? [] : new Set(messages.map(({ topic }) => topic).filter((topic) => !known.has(topic))),
      (topic) =>
        Effect.andThen(
          store.setQueueType(topic, Option.getOrThrow(queueType)),
          Effect.sync(() => known.add(topic))
        ),
      { discard: true }
    )
    const put = isBatch ? store.putBatch(messages) : store.putMany(messages)
    return yield* Effect.match(Effect.andThen(setTypes, put), {
      onFailure: (error) => PutResult.refused(id, error),
      onSuccess: (results) => PutResult.stored(id, results, isBatch)
    })
  })
}

type Putter = ReturnType<typeof putterOf>

/** Counts what was refused. */
class Tally {
  total: number = 0
  refused: number = 0

  lineOf(result: PutResult.PutLine): string {
    this.total++
    this.refused += PutResult.isRefused(result) ? 1 : 0
    return JSON.stringify(result)
  }
}

/** Nobody knows how long standard input is. */
const WORK: Progress.Work = { label: "import", noun: "puts", total: undefined }

type NumberedLine = readonly [line: Uint8Array, index: number]

/** Where no put waits, the lines that came together are put one after the other and have their results in one write. */
const inTurn = (put: Putter, tally: Tally, progress: Progress.Progress) =>
  Effect.fnUntraced(function* (lines: ReadonlyArray<NumberedLine>) {
    const results: Array<string> = []
    const putAll = Effect.forEach(
      lines,
      ([line, index]) =>
        Effect.map(Effect.flatMap(ImportLine.parse(line, index + 1), put), (result) => {
          results.push(tally.lineOf(result))
        }),
      { discard: true }
    )
    yield* Effect.ensuring(
      putAll,
      Effect.suspend(() => Effect.orDie(Lines.print(results)))
    )
    yield* progress.update(tally.total)
  })

const importAll = Effect.fnUntraced(function* (put: Putter, isSync: boolean, inFlight: number) {
  const { stdin, stdoutIsTerminal } = yield* Stdio.Stdio
  // On a terminal the results themselves show how far it has come.
  const progress = (yield* stdoutIsTerminal) ? Progress.silent : yield* Progress.make(WORK)
  const tally = new Tally()
  const lines = byteLines(stdin, LINE_LENGTH_MAX).pipe(
    Stream.zipWithIndex,
    Stream.filter(([line]) => line.length > 0)
  )
  if (isSync) {
    const wrong: Array<CommandError> = []
    const results = lines.pipe(
      Stream.mapEffect(([line, index]) => Effect.result(ImportLine.parse(line, index + 1))),
      // The puts before a line that is none end, and have their results, before it is told.
      Stream.takeWhile((parsed) => {
        if (Result.isFailure(parsed)) {
          wrong.push(parsed.failure)
        }
        return wrong.length === 0
      }),
      // A result is a promise: it is written when the put is acknowledged, whatever the puts before it are doing.
      Stream.mapEffect((parsed) => Effect.flatMap(Effect.fromResult(parsed), put), {
        concurrency: inFlight,
        unordered: true
      }),
      Stream.map((result) => tally.lineOf(result)),
      Stream.tap(() => progress.update(tally.total))
    )
    yield* Lines.printAll(results)
    if (wrong[0] !== undefined) {
      return yield* wrong[0]
    }
  } else {
    yield* Stream.runForEachArray(lines, inTurn(put, tally, progress))
  }
  const { refused, total } = tally
  if (refused > 0) {
    return yield* new CommandError({ reason: new PutsRefused({ refused, total }) })
  }
}, Effect.scoped)

export const storeImport = Command.make(
  "import",
  {
    directory: StoreFlags.directory,
    flush: StoreFlags.flush,
    inFlight: positive("in-flight").pipe(
      Flag.withDescription(`How many puts may wait for the device at a time [${IN_FLIGHT_DEFAULT}]`),
      Flag.withMetavar("N"),
      Flag.withDefault(IN_FLIGHT_DEFAULT)
    ),
    queueType: StoreFlags.queueType,
    config: StoreFlags.config,
    json
  },
  Effect.fnUntraced(function* ({ config, directory, flush, inFlight, queueType }) {
    const settings = yield* StoreFlags.settingsOf(config, flush)
    yield* importAll(putterOf(queueType), settings.flushDiskType === "SYNC_FLUSH", inFlight).pipe(
      Effect.provide(MessageStore.layer({ ...settings, directory })),
      withProgress
    )
  })
).pipe(
  Command.withDescription(
    "Puts each line of standard input, a JSON object: id, topic, queueId, body (base64) or text, keys, tags, properties, " +
      "flag, sysFlag, bornTimestamp, bornHost, storeHost, reconsumeTimes, preparedTransactionOffset; or id and batch, an " +
      "array of those. Writes one JSON object a put, with its id, RocketMQ's status and the position, the moment that it " +
      "is acknowledged. The store is made when it is not there."
  ),
  Command.withShortDescription("Put messages from lines of JSON"),
  Command.withExamples([
    {
      command: `echo '{"id":1,"topic":"trades","queueId":0,"text":"42","keys":"order-17"}' | millrace store import trades`,
      description: "One message"
    },
    { command: "millrace store import trades --flush sync < puts.ndjson", description: "Each on the device" }
  ])
)
