/** Aeron's driver and ours with each other over UDP, both ways, on a whole network and on one that loses. */
import type { Context } from "../Part.ts"
import {
  check,
  freePort,
  type Peer,
  runStream,
  type Side,
  type Stream,
  streamsOf,
  titleOf,
  withDrivers
} from "./Streams.ts"

const LOSS_RATE = 0.1

type Properties = Readonly<Record<string, string>>

/** Of what would be sent, and of what has arrived: data on one side of a driver, control frames on the other. */
const loss: Properties = Object.fromEntries(
  ["send.data", "send.control", "receive.data", "receive.control"].flatMap((what) => [
    [`aeron.debug.${what}.loss.rate`, String(LOSS_RATE)],
    [`aeron.debug.${what}.loss.seed`, "42"]
  ])
)

const lossOf: Readonly<Record<Side, Properties>> = {
  millrace: loss,
  // Java's driver loses nothing without its debug endpoints.
  java: {
    ...loss,
    "aeron.SendChannelEndpoint.supplier": "io.aeron.driver.ext.DebugSendChannelEndpointSupplier",
    "aeron.ReceiveChannelEndpoint.supplier": "io.aeron.driver.ext.DebugReceiveChannelEndpointSupplier"
  },
  // C's loses what arrives: data, NAKs and status messages.
  c: {
    "aeron.udp.channel.incoming.interceptors": "loss",
    "aeron.udp.channel.transport.bindings.loss.args": `rate=${LOSS_RATE}|seed=42|recv-msg-mask=0xE`
  }
}

const isPlain = ({ isExclusive }: Stream): boolean => !isExclusive

const isLong = ({ lengths }: Stream): boolean => lengths.includes("20000")

/** Short, so that they wrap many times; a message is at most an eighth of one. */
const termLengthOf = (stream: Stream): string => (isLong(stream) ? "256k" : "64k")

/**
 * Under loss the window of cubic shrinks to one datagram, and each that is lost is missed only by the next heartbeat,
 * 100 ms later: between two drivers of Java a thousand long messages take more than two minutes. These wrap four times.
 */
const LONG_MESSAGES_OF_LOSSY_CUBIC = 150

export const runNetwork = async (context: Context, count: number, peer: Peer): Promise<void> => {
  let streamId = 2000
  const both = streamsOf([
    [peer, "millrace"],
    ["millrace", peer]
  ])
  const runBetween = async (
    where: string,
    directoryOf: (side: Side) => string,
    streams: ReadonlyArray<Stream>,
    parameters: string,
    countOf: (stream: Stream) => number
  ): Promise<void> => {
    for (const stream of streams) {
      const channel = `aeron:udp?endpoint=localhost:${await freePort()}|term-length=${termLengthOf(stream)}${parameters}`
      await check(context, titleOf(where, stream), () =>
        runStream(
          {
            publisherDirectory: directoryOf(stream.publisher),
            subscriberDirectory: directoryOf(stream.subscriber),
            channel,
            streamId: ++streamId,
            count: countOf(stream)
          },
          stream
        )
      )
    }
  }
  const runBoth = async (
    where: string,
    messages: number,
    properties: Partial<Record<Side, Properties>> = {}
  ): Promise<void> => {
    const isLossy = Object.keys(properties).length > 0
    return withDrivers(
      [peer, "millrace"],
      async (theirs, ours) => {
        const directoryOf = (side: Side): string => (side === "millrace" ? ours : theirs)
        await runBetween(where, directoryOf, both, "", () => messages)
        await runBetween(`${where}, cc=cubic`, directoryOf, both.filter(isPlain), "|cc=cubic", (stream) =>
          isLossy && isLong(stream) ? LONG_MESSAGES_OF_LOSSY_CUBIC : messages / 10
        )
      },
      properties
    )
  }
  await runBoth("udp", count)
  for (const side of [peer, "millrace"] as const) {
    await runBoth(`udp, ${side} loses ${LOSS_RATE * 100} %`, count / 10, { [side]: lossOf[side] })
  }
}
