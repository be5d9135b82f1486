/** `millrace pong`: answers pings. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { withClient } from "../internal/withClient.ts"
import { echo } from "../traffic/Echo.ts"
import { channel, driverDirectory, json, pingStreamId, pongChannel, pongStreamId } from "./flags.ts"

export const pong = Command.make(
  "pong",
  { directory: driverDirectory, channel, streamId: pingStreamId, pongChannel, pongStreamId, json },
  Effect.fnUntraced(function* ({ channel, json, pongChannel, pongStreamId, streamId }) {
    const config = { channel, streamId, pongChannel: Option.getOrElse(pongChannel, () => channel), pongStreamId }
    yield* Console.log(
      json
        ? JSON.stringify(config)
        : `answering stream ${streamId} on ${channel} with stream ${pongStreamId} on ${config.pongChannel}; Ctrl-C stops it`
    )
    yield* echo(config)
  }, withClient)
).pipe(
  Command.withDescription(
    "Sends back each message of one stream on another, until Ctrl-C: what millrace ping, or Aeron's Ping, measures with."
  ),
  Command.withShortDescription("Answer pings"),
  Command.withExamples([
    { command: "millrace pong", description: "Over shared memory" },
    {
      command:
        "millrace pong --channel aeron:udp?endpoint=localhost:20123 --pong-channel aeron:udp?endpoint=localhost:20124",
      description: "Over UDP, where Aeron's Ping looks for it"
    }
  ])
)
