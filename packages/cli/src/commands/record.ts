/** `millrace record DIR`: the messages of a stream into a topic, with their places. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Recorder from "@millrace/store/Recorder"
import * as Subscription from "@millrace/transport/Subscription"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { withClient } from "../internal/withClient.ts"
import * as Lines from "../output/Lines.ts"
import { grouped, plural } from "../output/Quantity.ts"
import * as Rates from "../output/Rates.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { withProgress } from "../store/WithProgress.ts"
import { channel, driverDirectory, json, positive, streamId } from "./flags.ts"

const topicOf = (streamId: number): string => `stream-${streamId}`

/** What the recording has of each session, when the command ends. */
const tellSessions = Effect.fnUntraced(function* (
  { progress, topic }: Recorder.Recorder,
  tally: Rates.Tally,
  asJson: boolean
) {
  const sessions = yield* progress
  if (asJson) {
    const known = sessions.map(({ durablePosition = null, startPosition = null, ...session }) => ({
      ...session,
      startPosition,
      durablePosition
    }))
    yield* Console.log(JSON.stringify({ topic, ...tally, sessions: known }))
    return
  }
  const lines = sessions.map(
    ({ recordedPosition, sessionId, startPosition, streamId }) =>
      `session ${sessionId} of stream ${streamId}: positions ${grouped(startPosition ?? 0)} to ${grouped(recordedPosition)}`
  )
  yield* Lines.print([`topic ${topic} has ${plural(sessions.length, "session")}`, ...lines])
})

export const record = Command.make(
  "record",
  {
    storeDirectory: StoreFlags.directory,
    directory: driverDirectory,
    channel,
    streamId,
    topic: Flag.String("topic").pipe(
      Flag.withDescription("The topic that becomes the recording, or goes on [stream-ID]"),
      Flag.withMetavar("NAME"),
      Flag.optional
    ),
    onGap: Flag.Literals("on-gap", ["fail", "record"]).pipe(
      Flag.withDescription("What to do when messages are missing behind what was recorded [fail]"),
      Flag.withMetavar("fail|record"),
      Flag.withDefault("fail" as const)
    ),
    count: positive("count").pipe(
      Flag.withDescription("End after N messages [go on until Ctrl-C]"),
      Flag.withMetavar("N"),
      Flag.optional
    ),
    flush: StoreFlags.flush,
    config: StoreFlags.config,
    json
  },
  Effect.fnUntraced(function* ({ channel, config, count, flush, json, onGap, storeDirectory, streamId, topic }) {
    const settings = yield* StoreFlags.settingsOf(config, flush)
    yield* Effect.gen(function* () {
      const recorder = yield* Recorder.make(
        Option.getOrElse(topic, () => topicOf(streamId)),
        { onGap }
      )
      const subscription = yield* Subscription.make({ channel, streamId })
      const tally = { messages: 0, bytes: 0 }
      const recording = subscription.borrowedMessages.pipe(
        Stream.take(Option.getOrElse(count, () => Infinity)),
        Stream.runForEachArray((messages) =>
          Effect.map(recorder.record(messages), () => {
            tally.messages += messages.length
            tally.bytes += messages.reduce((sum, { payload }) => sum + payload.length, 0)
          })
        )
      )
      yield* Effect.scoped(Effect.andThen(Rates.follow(tally, json), recording)).pipe(
        Effect.ensuring(Effect.ignore(tellSessions(recorder, tally, json), { log: true }))
      )
    }).pipe(Effect.provide(MessageStore.layer({ ...settings, directory: storeDirectory })), withProgress)
  }, withClient)
).pipe(
  Command.withDescription(
    "Records each message of a stream, with its session and position, into a topic of the store in DIR, which is made when " +
      "it is not there. Started again it goes on where the recording ends."
  ),
  Command.withShortDescription("Record a stream into a store"),
  Command.withExamples([
    { command: "millrace record recordings --stream 7 --topic prices", description: "Until Ctrl-C" },
    {
      command: "millrace record recordings --stream 7 --topic prices --count 1000 --flush sync --json",
      description: "A thousand messages, each on the device before the next are read"
    }
  ])
)
