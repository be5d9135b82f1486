/** `millrace subscribe`: the messages of a stream as lines. */
import type { Image } from "@millrace/transport/Image"
import * as Subscription from "@millrace/transport/Subscription"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { CommandError, MessagesMissing } from "../CommandError.ts"
import { withClient } from "../internal/withClient.ts"
import * as Text from "../output/Text.ts"
import { channel, driverDirectory, json, positive, streamId, timeout } from "./flags.ts"

type Format = (message: Uint8Array, image: Image) => Uint8Array

const LINE_FEED = Buffer.from("\n")

const formats = {
  text: (message) => Buffer.concat([message, LINE_FEED]),
  hex: (message) => Buffer.from(`${Buffer.from(message).toString("hex")}\n`),
  json: (message, { sessionId, streamId }) => {
    const text = Text.fromUtf8(message)
    const content = text === undefined ? { base64: Buffer.from(message).toString("base64") } : { text }
    return Buffer.from(`${JSON.stringify({ sessionId, streamId, ...content })}\n`)
  }
} satisfies Record<string, Format>

/** Stands in the stream where the last publisher ended, in an array of its own. */
const NOBODY = Symbol("no publisher is left")

type Line = Uint8Array | typeof NOBODY

const formatOf = (hex: boolean, json: boolean): Format => {
  if (json) {
    return formats.json
  }
  return hex ? formats.hex : formats.text
}

/** The lines of all publishers as they come. Whenever one of them was the last, `NOBODY` follows what it sent. */
const lines = (subscription: Subscription.Subscription, format: Format) =>
  Stream.suspend(() => {
    let imageCount = 0
    return subscription.images.pipe(
      Stream.tap(() => Effect.sync(() => imageCount++)),
      Stream.flatMap(
        (image) =>
          image.stream.pipe(
            Stream.map((message): Line => format(message, image)),
            Stream.concat(Stream.suspend(() => (--imageCount === 0 ? Stream.succeed(NOBODY) : Stream.empty)))
          ),
        { concurrency: "unbounded" }
      )
    )
  })

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
    hex: Flag.Boolean("hex").pipe(
      Flag.withDescription("Print the bytes of each message in hex"),
      Flag.withDefault(false)
    ),
    timeout: timeout("Fail when the messages have not all come after so long [wait for them]"),
    json
  },
  Effect.fnUntraced(function* ({ channel, count, hex, json, streamId, timeout }) {
    const stdio = yield* Stdio.Stdio
    const subscription = yield* Subscription.make({ channel, streamId })
    const expected = Option.getOrElse(count, () => Infinity)
    let received = 0
    const missing = (why: string) =>
      Effect.fail(
        new CommandError({
          reason: new MessagesMissing({ received, why, ...(Option.isSome(count) ? { expected } : {}) })
        })
      )
    const printing = lines(subscription, formatOf(hex, json)).pipe(
      // One write for all the lines that came together.
      Stream.mapArrayEffect((lines) => {
        const expectedLines = lines.filter((line) => line !== NOBODY).slice(0, expected - received)
        received += expectedLines.length
        const isEnd = lines.includes(NOBODY) && Option.isSome(count) && received < expected
        return isEnd ? missing("the publisher ended") : Effect.succeed([Buffer.concat(expectedLines)] as const)
      }),
      Stream.takeUntil(() => received >= expected),
      Stream.run(stdio.stdout())
    )
    yield* Option.match(timeout, {
      onNone: () => printing,
      onSome: (seconds) =>
        Effect.timeoutOrElse(printing, {
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
    { command: "millrace subscribe --channel aeron:ipc --hex", description: "All messages, their bytes in hex" }
  ])
)
