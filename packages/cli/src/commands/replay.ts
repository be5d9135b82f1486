/** `millrace replay DIR`: what was recorded, as lines or into a stream, and what goes on live. */
import * as Replayer from "@millrace/store/Replayer"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { badInput, type CommandError } from "../CommandError.ts"
import { onlyTopic } from "../internal/onlyTopic.ts"
import * as OpenStore from "../internal/openStore.ts"
import { printReplay } from "../internal/printReplay.ts"
import { publishReplay } from "../internal/publishReplay.ts"
import { withClient } from "../internal/withClient.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { CHANNEL_DEFAULT, driverDirectory, hex, json, positive, STREAM_ID_DEFAULT, timeout } from "./flags.ts"

const position = (name: string, description: string) =>
  StoreFlags.natural(name).pipe(Flag.withDescription(description), Flag.withMetavar("POSITION"), Flag.optional)

const time = (name: string, description: string) => StoreFlags.time(name, description).pipe(Flag.optional)

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

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

const flags = {
  storeDirectory: StoreFlags.directory,
  directory: driverDirectory,
  channel: Flag.String("channel").pipe(
    Flag.withDescription(`Publish to this channel, or with --merge go on with it [${CHANNEL_DEFAULT} beside --stream]`),
    Flag.withMetavar("URI"),
    Flag.optional
  ),
  streamId: Flag.Int("stream").pipe(
    Flag.withDescription(
      `Publish to this stream, or with --merge go on with it [${STREAM_ID_DEFAULT} beside --channel]`
    ),
    Flag.withMetavar("ID"),
    Flag.optional
  ),
  print: flag("print", "Print each message as a line: so it is where neither --channel nor --stream is given"),
  merge: flag("merge", "Print what was recorded, then the live stream, without a gap and each message once"),
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
  follow: flag("follow", "Go on with what is recorded meanwhile, until Ctrl-C"),
  onGap: Flag.Literals("on-gap", ["fail", "skip"]).pipe(
    Flag.withDescription("What to do where the recording has a gap [fail]"),
    Flag.withMetavar("fail|skip"),
    Flag.withDefault("fail" as const)
  ),
  count: positive("count").pipe(Flag.withDescription("End after N messages"), Flag.withMetavar("N"), Flag.optional),
  hex,
  timeout: timeout("Fail when no subscriber is there for so long, or not all is printed [wait]"),
  config: StoreFlags.config,
  json
}

type Flags = Command.Command.Config.Infer<typeof flags>

/** What is done with the messages. */
type Mode = "print" | "publish" | "merge"

const modeOf = (given: Flags): Effect.Effect<Mode, CommandError> => {
  const hasStream = Option.isSome(given.channel) || Option.isSome(given.streamId)
  const mode: Mode = given.merge ? "merge" : hasStream ? "publish" : "print"
  const hasEnd = Option.isSome(given.toPosition) || Option.isSome(given.toTime)
  if (mode === "publish" && given.print) {
    return badInput("--print", "publishes nothing: leave out --channel and --stream, or add --merge to go on with them")
  }
  if (mode === "publish" && given.hex) {
    return badInput("--hex", "says how messages are printed: leave out --channel and --stream, or --hex")
  }
  if (given.follow && hasEnd) {
    return badInput("--follow", "has no end: leave out --to-position and --to-time")
  }
  if (given.merge && (given.follow || hasEnd)) {
    return badInput("--merge", "goes on with the live stream: leave out --follow, --to-position and --to-time")
  }
  return Effect.succeed(mode)
}

const run = Effect.fnUntraced(function* (given: Flags) {
  const { count, follow, json, session, timeout } = given
  const mode = yield* modeOf(given)
  const from = yield* boundOf("from", given.fromPosition, given.fromTime)
  const to = yield* boundOf("to", given.toPosition, given.toTime)
  const channel = Option.getOrElse(given.channel, () => CHANNEL_DEFAULT)
  const streamId = Option.getOrElse(given.streamId, () => STREAM_ID_DEFAULT)
  const selection = {
    from: Option.getOrElse(from, () => "earliest" as const),
    sessionId: Option.getOrUndefined(session),
    onGap: given.onGap === "skip" ? ("element" as const) : ("fail" as const)
  }
  const printed = { hex: given.hex, json, count, timeout }
  yield* Effect.gen(function* () {
    const { topic } = yield* onlyTopic(given.storeDirectory, given.topic)
    const replayer = yield* Replayer.make(topic)
    if (mode === "merge") {
      const live = Effect.map(Subscription.make({ channel, streamId }), ({ messages }) =>
        replayer.merge(messages, { ...selection, streamId })
      )
      return yield* withClient(
        Effect.flatMap(live, (elements) => printReplay(elements, printed)),
        given
      )
    }
    const elements = replayer.stream({
      ...selection,
      to: follow ? "live" : Option.getOrElse(to, () => "end" as const)
    })
    yield* mode === "print"
      ? printReplay(elements, printed)
      : withClient(publishReplay(elements, { channel, streamId, topic, json, count, timeout, follow }), given)
  }).pipe(Effect.provide(OpenStore.readOnly(given.storeDirectory, given.config)))
})

export const replay = Command.make("replay", flags, run).pipe(
  Command.withDescription(
    "Prints what `millrace record` has recorded, a line a message; with --channel or --stream publishes it to one stream " +
      "instead, at the pace of its subscribers, and ends when they have read all; with --merge prints it and goes on with " +
      "the live stream, as if it had been there from the beginning. Works beside the process that records. Exit code 1 " +
      "where messages are missing: a gap, a subscriber that left, a recording that does not reach the live stream, or --timeout."
  ),
  Command.withShortDescription("Print a recording, or replay it into a stream"),
  Command.withExamples([
    { command: "millrace replay recordings --stream 8 --topic prices", description: "All of it, into a stream" },
    {
      command: "millrace replay recordings --topic prices --stream 7 --merge",
      description: "All of it as lines, and the live stream from there on, until Ctrl-C"
    }
  ])
)
