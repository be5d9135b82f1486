/** `millrace ping`: how long a message takes to another process and back. */
import * as EntryFile from "@millrace/core/EntryFile"
import * as ExclusivePublication from "@millrace/transport/ExclusivePublication"
import * as Subscription from "@millrace/transport/Subscription"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { badInput, type CommandError } from "../CommandError.ts"
import * as ChildProcess from "../internal/childProcess.ts"
import { waitUntil } from "../internal/waitUntil.ts"
import { withClient } from "../internal/withClient.ts"
import { withDriver } from "../internal/withDriver.ts"
import * as Progress from "../output/Progress.ts"
import { grouped, plural } from "../output/Quantity.ts"
import * as RoundTrips from "../traffic/RoundTrips.ts"
import type { PongConfig } from "../traffic/TrafficConfig.ts"
import { channel, json, measuredDriver, pingStreamId, pongChannel, pongStreamId, positive } from "./flags.ts"

const MESSAGES_DEFAULT = 100_000
/** Each round trip is kept to the end, so that no percentile is an estimate. */
const MESSAGES_MAX = 50_000_000
const LENGTH_DEFAULT = 32
/** How long a running `millrace pong` has to be seen before one is started. */
const PONG_WAIT = "500 millis"

interface Connected extends RoundTrips.Line {
  /** Fails when the process that answers, if it is ours, has ended. */
  readonly pongEnds: Effect.Effect<never, CommandError>
}

const connect = Effect.fnUntraced(function* (config: PongConfig, mayStartPong: boolean) {
  const subscription = yield* Subscription.make({ channel: config.pongChannel, streamId: config.pongStreamId })
  const publication = yield* ExclusivePublication.make({
    channel: config.channel,
    streamId: config.streamId,
    linger: 1
  })
  const connected = waitUntil(
    Effect.zipWith(publication.isConnected, subscription.isConnected, (there, back) => there && back)
  )
  let pongEnds: Connected["pongEnds"] = Effect.never
  if (mayStartPong && Option.isNone(yield* Effect.timeoutOption(connected, PONG_WAIT))) {
    const pong = yield* ChildProcess.fork("pong", EntryFile.resolve(import.meta.url, "../traffic/pong"), config)
    const running = yield* Effect.forkScoped(pong.run(() => Effect.void))
    pongEnds = Effect.andThen(Fiber.join(running), Effect.never)
  }
  yield* Effect.raceFirst(connected, pongEnds)
  return { publication, subscription, pongEnds } satisfies Connected
})

const microseconds = (sorted: Float64Array, share: number): number =>
  Number(RoundTrips.percentile(sorted, share).toFixed(3))

const measure = Effect.fnUntraced(function* (config: PongConfig, plan: RoundTrips.Plan, mayStartPong: boolean) {
  const line = yield* connect(config, mayStartPong)
  const progress = yield* Progress.make({ label: "pinging", noun: "round trips", total: plan.messages })
  const times = yield* Effect.raceFirst(RoundTrips.measure(line, plan, progress.update), line.pongEnds)
  const sorted = times.toSorted()
  return {
    p50Us: microseconds(sorted, 0.5),
    p99Us: microseconds(sorted, 0.99),
    p999Us: microseconds(sorted, 0.999)
  }
})

export const ping = Command.make(
  "ping",
  {
    directory: measuredDriver,
    channel,
    streamId: pingStreamId,
    pongChannel,
    pongStreamId,
    messages: positive("messages").pipe(
      Flag.withDescription(`How many round trips [${grouped(MESSAGES_DEFAULT)}]`),
      Flag.withMetavar("N"),
      Flag.withDefault(MESSAGES_DEFAULT)
    ),
    length: positive("length").pipe(
      Flag.withDescription(`Bytes of each message, at least ${RoundTrips.NUMBER_LENGTH} [${LENGTH_DEFAULT}]`),
      Flag.withMetavar("L"),
      Flag.withDefault(LENGTH_DEFAULT)
    ),
    json
  },
  Effect.fnUntraced(function* ({ channel, directory, json, length, messages, pongChannel, pongStreamId, streamId }) {
    if (length < RoundTrips.NUMBER_LENGTH) {
      return yield* badInput("--length", `${length} is less than the ${RoundTrips.NUMBER_LENGTH} bytes of its number`)
    }
    if (messages > MESSAGES_MAX) {
      return yield* badInput("--messages", `${grouped(messages)} is more than ${grouped(MESSAGES_MAX)}`)
    }
    const back = Option.getOrElse(pongChannel, () => channel)
    const result = yield* withDriver(directory, (driverDirectory) =>
      withClient(
        measure(
          { driverDirectory, channel, streamId, pongChannel: back, pongStreamId },
          { messages, length },
          Option.isNone(pongChannel)
        ),
        { directory: Option.some(driverDirectory) }
      )
    )
    yield* Console.log(
      json
        ? JSON.stringify(result)
        : `${plural(messages, "round trip")} on ${channel}: half within ${result.p50Us} µs, 99 % within ` +
            `${result.p99Us} µs, 99.9 % within ${result.p999Us} µs`
    )
  })
).pipe(
  Command.withDescription(
    "Measures how long messages take to another process and back, one at a time, beside a driver of its own or the running " +
      "one that --dir names. A running millrace pong answers, or Aeron's Pong; where none is there within half a second, " +
      "one is started, unless --pong-channel says that it is elsewhere."
  ),
  Command.withShortDescription("Measure the time of a round trip"),
  Command.withExamples([
    { command: "millrace ping --messages 10000", description: "Ten thousand round trips over shared memory" },
    {
      command: "millrace ping --channel aeron:udp?endpoint=localhost:20324 --messages 10000 --json",
      description: "Ten thousand over UDP, for a script"
    }
  ])
)
