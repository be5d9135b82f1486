/** `millrace subscribe`: the messages of a stream as lines. */
import type { FragmentBatch } from "@millrace/transport/FragmentBatch"
import type { Image } from "@millrace/transport/Image"
import * as Subscription from "@millrace/transport/Subscription"
import type { TransportError } from "@millrace/transport/TransportError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { CommandError, MessagesMissing } from "../CommandError.ts"
import { withClient } from "../internal/withClient.ts"
import * as MessageText from "../output/MessageText.ts"
import * as Rates from "../output/Rates.ts"
import { channel, driverDirectory, hex, json, positive, streamId, timeout } from "./flags.ts"

/** Stands in the stream where the last publisher ended, in an array of its own. */
const NOBODY = Symbol("no publisher is left")

/** What all publishers send, as it comes. Whenever one of them was the last, `NOBODY` follows what it sent. */
const arrivals = <A>(
  subscription: Subscription.Subscription,
  of: (image: Image) => Stream.Stream<A, TransportError>
): Stream.Stream<A | typeof NOBODY, TransportError> =>
  Stream.suspend(() => {
    let imageCount = 0
    return subscription.images.pipe(
      Stream.tap(() => Effect.sync(() => imageCount++)),
      Stream.flatMap(
        (image) =>
          Stream.concat(
            of(image),
            Stream.suspend(() => (--imageCount === 0 ? Stream.succeed(NOBODY) : Stream.empty))
          ),
        { concurrency: "unbounded" }
      )
    )
  })

interface Reading {
  readonly subscription: Subscription.Subscription
  /** How many messages came. */
  readonly tally: Rates.Tally
  readonly expected: Option.Option<number>
  readonly missing: (why: string) => Effect.Effect<never, CommandError>
}

const PUBLISHER_ENDED = "the publisher ended"

const isEnough = ({ expected, tally }: Reading): boolean => Option.isSome(expected) && tally.messages >= expected.value

const print = (reading: Reading, format: MessageText.Format) =>
  Effect.flatMap(Stdio.Stdio, (stdio) => {
    const { expected, missing, subscription, tally } = reading
    const most = Option.getOrElse(expected, () => Infinity)
    return arrivals(subscription, ({ sessionId, stream, streamId }) => {
      const place = () => ({ sessionId, streamId })
      return Stream.map(stream, (message) => format(message, place))
    }).pipe(
      // One write for all the lines that came together.
      Stream.mapArrayEffect((lines) => {
        const wanted = lines.filter((line) => line !== NOBODY).slice(0, most - tally.messages)
        tally.messages += wanted.length
        const isEnd = lines.includes(NOBODY) && Option.isSome(expected) && !isEnough(reading)
        return isEnd ? missing(PUBLISHER_ENDED) : Effect.succeed([Buffer.concat(wanted)] as const)
      }),
      Stream.takeUntil(() => isEnough(reading)),
      Stream.run(stdio.stdout())
    )
  })

const lengthOf = ({ count, lengths }: FragmentBatch): number => {
  let length = 0
  for (let index = 0; index < count; index++) {
    length += lengths[index]!
  }
  return length
}

/** Reads without looking at the messages, and says once a second how many there were. */
const count = Effect.fnUntraced(function* (reading: Reading, asJson: boolean) {
  const { expected, missing, subscription, tally } = reading
  yield* Rates.follow(tally, asJson)
  const batches = ({ borrowedBatches }: Image) =>
    Stream.map(borrowedBatches, (batch) => {
      tally.messages += batch.count
      tally.bytes += lengthOf(batch)
    })
  yield* arrivals(subscription, batches).pipe(
    Stream.takeUntilEffect((arrival) =>
      arrival === NOBODY && Option.isSome(expected) && !isEnough(reading)
        ? missing(PUBLISHER_ENDED)
        : Effect.succeed(isEnough(reading))
    ),
    Stream.runDrain
  )
}, Effect.scoped)

export const subscribe = Command.make(
  "subscribe",
  {
    directory: driverDirectory,
    channel,
    streamId,
    count: positive("count").pipe(
      Flag.withDescription("End after N messages; fail when their publishers end before that [go on until Ctrl-C]"),
      Flag.withMetavar("N"),
      Flag.optional
    ),
    hex,
    stats: Flag.Boolean("stats").pipe(
      Flag.withDescription("Print how many messages and bytes came, once a second, instead of the messages"),
      Flag.withDefault(false)
    ),
    timeout: timeout("Fail when the messages have not all come after so long [wait for them]"),
    json
  },
  Effect.fnUntraced(function* ({ channel, count: expected, hex, json, stats, streamId, timeout }) {
    const subscription = yield* Subscription.make({ channel, streamId })
    const tally = { messages: 0, bytes: 0 }
    const missing = (why: string) => {
      const total = Option.isSome(expected) ? { expected: expected.value } : {}
      return Effect.fail(new CommandError({ reason: new MessagesMissing({ received: tally.messages, why, ...total }) }))
    }
    const reading = { subscription, tally, expected, missing }
    const receiving = stats ? count(reading, json) : print(reading, MessageText.formatOf({ hex, json }))
    yield* Option.match(timeout, {
      onNone: () => receiving,
      onSome: (seconds) =>
        Effect.timeoutOrElse(receiving, {
          duration: Duration.seconds(seconds),
          orElse: () => missing(`${seconds} s have passed`)
        })
    })
  }, withClient)
).pipe(
  Command.withDescription(
    "Prints each message of a stream as a line. With --count it ends after so many, and fails when their publishers end " +
      "before that."
  ),
  Command.withShortDescription("Print the messages of a stream"),
  Command.withExamples([
    { command: "millrace subscribe --stream 7 --count 1000", description: "A thousand messages" },
    { command: "millrace subscribe --channel aeron:ipc --stats", description: "How much comes, once a second" }
  ])
)
