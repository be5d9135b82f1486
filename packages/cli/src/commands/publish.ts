/** `millrace publish`: lines of standard input, or numbered messages, into a stream. */
import * as Client from "@millrace/transport/Client"
import * as Publication from "@millrace/transport/Publication"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { badInput, CommandError, NotRead } from "../CommandError.ts"
import { byteLines } from "../internal/byteLines.ts"
import { drained } from "../internal/drained.ts"
import { withClient } from "../internal/withClient.ts"
import { bytes, plural } from "../output/Quantity.ts"
import * as NumberedMessages from "../traffic/NumberedMessages.ts"
import { channel, driverDirectory, json, positive, streamId, timeout } from "./flags.ts"

const LENGTH_DEFAULT = 32

interface Sent {
  readonly messages: number
  readonly bytes: number
}

const publishLines = Effect.fnUntraced(function* ({ maxMessageLength, publishMany }: Publication.Publication) {
  const { stdin } = yield* Stdio.Stdio
  let messages = 0
  let bytes = 0
  yield* byteLines(stdin, maxMessageLength).pipe(
    Stream.runForEachArray((lines) =>
      Effect.map(publishMany(lines), () => {
        messages += lines.length
        bytes += lines.reduce((sum, line) => sum + line.length, 0)
      })
    )
  )
  return { messages, bytes } satisfies Sent
})

const publishNumbers = Effect.fnUntraced(function* (
  publication: Publication.Publication,
  count: number,
  length: number
) {
  const { maxMessageLength } = publication
  if (length > maxMessageLength) {
    return yield* badInput(
      "--length",
      `${length} bytes are more than ${maxMessageLength}, the longest message of this stream`
    )
  }
  yield* NumberedMessages.publish(publication, { count, length })
  return { messages: count, bytes: count * length } satisfies Sent
})

export const publish = Command.make(
  "publish",
  {
    directory: driverDirectory,
    channel,
    streamId,
    count: positive("count").pipe(
      Flag.withDescription("Send N numbered messages instead of the lines of standard input"),
      Flag.withMetavar("N"),
      Flag.optional
    ),
    length: positive("length").pipe(
      Flag.withDescription(`Length of each numbered message in bytes [${LENGTH_DEFAULT}]`),
      Flag.withMetavar("L"),
      Flag.optional
    ),
    timeout: timeout("Fail when no subscriber is there for so long [wait for one]"),
    json
  },
  Effect.fnUntraced(function* ({ channel, count, json, length, streamId, timeout }) {
    if (Option.isSome(length) && Option.isNone(count)) {
      return yield* badInput("--length", "needs --count; lines of standard input have their own length")
    }
    const client = yield* Client.Client
    const connectTimeout = Option.map(timeout, (seconds) => ({ connectTimeout: Duration.seconds(seconds) }))
    const publication = yield* Publication.make({ channel, streamId, ...Option.getOrUndefined(connectTimeout) })
    const sent = yield* Option.match(count, {
      onNone: () => publishLines(publication),
      onSome: (count) =>
        publishNumbers(
          publication,
          count,
          Option.getOrElse(length, () => LENGTH_DEFAULT)
        )
    })
    const unread = yield* drained(client, publication)
    if (sent.messages > 0 && unread > 0) {
      return yield* new CommandError({ reason: new NotRead({ channel, streamId, unread }) })
    }
    yield* Console.log(
      json
        ? JSON.stringify({ ...sent, position: yield* publication.position })
        : `published ${plural(sent.messages, "message")}, ${bytes(sent.bytes)}, to stream ${streamId} on ${channel}`
    )
  }, withClient)
).pipe(
  Command.withDescription(
    "Publishes each line of standard input as one message, or numbered messages. Ends when subscribers have read all."
  ),
  Command.withShortDescription("Send lines or numbered messages to a stream"),
  Command.withExamples([
    { command: "seq 1000 | millrace publish --stream 7", description: "A thousand lines" },
    { command: "millrace publish --count 1000000 --length 32", description: "A million numbered messages" }
  ])
)
