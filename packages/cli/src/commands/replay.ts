/** `millrace replay DIR`: what was recorded, into a stream. */
import * as Replayer from "@millrace/store/Replayer"
import * as Client from "@millrace/transport/Client"
import * as Publication from "@millrace/transport/Publication"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { badInput, CommandError, NotRead } from "../CommandError.ts"
import { drained } from "../internal/drained.ts"
import { onlyTopic } from "../internal/onlyTopic.ts"
import * as OpenStore from "../internal/openStore.ts"
import { withClient } from "../internal/withClient.ts"
import { bytes, plural } from "../output/Quantity.ts"
import * as Rates from "../output/Rates.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { channel, driverDirectory, json, positive, streamId, timeout } from "./flags.ts"

const position = (name: string, description: string) =>
  StoreFlags.natural(name).pipe(Flag.withDescription(description), Flag.withMetavar("POSITION"), Flag.optional)

const time = (name: string, description: string) => StoreFlags.time(name, description).pipe(Flag.optional)

/** A place or a time, where not both are given. */
const boundOf = (
  name: string,
  position: Option.Option<number>,
  timeMs: Option.Option<number>
): Effect.Effect<Option.Option<Replayer.Place | Date>, CommandError> => {
  if (Option.isSome(position) && Option.isSome(timeMs)) {
    return Effect.fail(badInput(`--${name}-position`, `one bound is enough: leave out --${name}-time`))
  }
  return Effect.succeed(
    Option.isSome(position)
      ? Option.some({ position: position.value })
      : Option.map(timeMs, (milliseconds) => new Date(milliseconds))
  )
}

interface Told {
  readonly channel: string
  readonly streamId: number
  readonly topic: string
  readonly json: boolean
  readonly tally: Rates.Tally
  readonly gaps: number
}

/** Waits until subscribers have read everything, and tells what it was. */
const end = Effect.fnUntraced(function* (publication: Publication.Publication, told: Told) {
  const { channel, gaps, json, streamId, tally, topic } = told
  const unread = yield* drained(yield* Client.Client, publication)
  if (tally.messages > 0 && unread > 0) {
    return yield* new CommandError({ reason: new NotRead({ channel, streamId, unread }) })
  }
  const missing = gaps === 0 ? "" : `, over ${plural(gaps, "gap")}`
  const sent = `replayed ${plural(tally.messages, "message")}, ${bytes(tally.bytes)}`
  yield* Console.log(
    json
      ? JSON.stringify({ topic, ...tally, gaps, position: yield* publication.position })
      : `${sent}, of topic ${topic} to stream ${streamId} on ${channel}${missing}`
  )
})

export const replay = Command.make(
  "replay",
  {
    storeDirectory: StoreFlags.directory,
    directory: driverDirectory,
    channel,
    streamId,
    topic: StoreFlags.onlyTopic,
    session: Flag.Int("session").pipe(
      Flag.withDescription("Only the session with this id [all, in the order in which they were recorded]"),
      Flag.withMetavar("ID"),
      Flag.optional
    ),
    fromPosition: position("from-position", "Begin behind this position of each session [the first message kept]"),
    fromTime: time("from-time", "Begin with what was recorded at this time or later"),
    toPosition: position("to-position", "End at this position of each session [the end of the recording]"),
    toTime: time("to-time", "End with what was recorded at this time"),
    follow: Flag.Boolean("follow").pipe(
      Flag.withDescription("Go on with what is recorded meanwhile, until Ctrl-C"),
      Flag.withDefault(false)
    ),
    onGap: Flag.Literals("on-gap", ["fail", "skip"]).pipe(
      Flag.withDescription("What to do where the recording has a gap [fail]"),
      Flag.withMetavar("fail|skip"),
      Flag.withDefault("fail" as const)
    ),
    count: positive("count").pipe(Flag.withDescription("End after N messages"), Flag.withMetavar("N"), Flag.optional),
    timeout: timeout("Fail when no subscriber is there for so long [wait for one]"),
    config: StoreFlags.config,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const { channel, config, count, follow, json, onGap, session, storeDirectory, streamId, timeout } = flags
    const from = yield* boundOf("from", flags.fromPosition, flags.fromTime)
    const to = yield* boundOf("to", flags.toPosition, flags.toTime)
    if (follow && Option.isSome(to)) {
      return yield* badInput("--follow", "has no end: leave out --to-position and --to-time")
    }
    yield* Effect.gen(function* () {
      const { topic } = yield* onlyTopic(storeDirectory, flags.topic)
      const replayer = yield* Replayer.make(topic)
      const connectTimeout = Option.map(timeout, (seconds) => ({ connectTimeout: Duration.seconds(seconds) }))
      const publication = yield* Publication.make({ channel, streamId, ...Option.getOrUndefined(connectTimeout) })
      const tally = { messages: 0, bytes: 0 }
      let gaps = 0
      const elements = replayer.stream({
        from: Option.getOrElse(from, () => "earliest" as const),
        to: follow ? "live" : Option.getOrElse(to, () => "end" as const),
        sessionId: Option.getOrUndefined(session),
        onGap: onGap === "skip" ? "element" : "fail"
      })
      const replaying = elements.pipe(
        Stream.filter((element) => {
          gaps += element._tag === "Gap" ? 1 : 0
          return element._tag === "Message"
        }),
        Stream.map(({ payload }) => payload),
        Stream.take(Option.getOrElse(count, () => Infinity)),
        Stream.runForEachArray((payloads) =>
          Effect.map(publication.publishMany(payloads), () => {
            tally.messages += payloads.length
            tally.bytes += payloads.reduce((sum, { length }) => sum + length, 0)
          })
        )
      )
      yield* follow ? Effect.scoped(Effect.andThen(Rates.follow(tally, json), replaying)) : replaying
      yield* end(publication, { channel, streamId, topic, json, tally, gaps })
    }).pipe(Effect.provide(OpenStore.readOnly(storeDirectory, config)))
  }, withClient)
).pipe(
  Command.withDescription(
    "Publishes what `millrace record` has recorded, to one stream, at the pace of its subscribers. Works beside the process " +
      "that records. Ends when subscribers have read all."
  ),
  Command.withShortDescription("Replay a recording into a stream"),
  Command.withExamples([
    { command: "millrace replay recordings --stream 8 --topic prices", description: "All of it" },
    {
      command: "millrace replay recordings --stream 8 --from-time 2026-11-30T09:00:00Z --follow",
      description: "From a time on, and what comes"
    }
  ])
)
