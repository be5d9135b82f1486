/** Java's driver and ours with each other over UDP, both ways, on a whole network and on one that loses. */
import type { Context } from "../Part.ts"
import { check, freePort, runStream, type Side, type Stream, streamsOf, titleOf, withDrivers } from "./Streams.ts"

const LOSS_RATE = 0.1

/** Of what would be sent, and of what has arrived: data on one side of a driver, control frames on the other. */
const loss: Readonly<Record<string, string>> = Object.fromEntries(
  ["send.data", "send.control", "receive.data", "receive.control"].flatMap((what) => [
    [`aeron.debug.${what}.loss.rate`, String(LOSS_RATE)],
    [`aeron.debug.${what}.loss.seed`, "42"]
  ])
)

/** Java's driver loses nothing without them. */
const debugEndpoints = {
  "aeron.SendChannelEndpoint.supplier": "io.aeron.driver.ext.DebugSendChannelEndpointSupplier",
  "aeron.ReceiveChannelEndpoint.supplier": "io.aeron.driver.ext.DebugReceiveChannelEndpointSupplier"
}

const isPlain = ({ isExclusive }: Stream): boolean => !isExclusive

/** Short, so that they wrap many times; a message is at most an eighth of one. */
const termLengthOf = ({ lengths }: Stream): string => (lengths.includes("20000") ? "256k" : "64k")

const both: ReadonlyArray<Stream> = streamsOf([
  ["java", "millrace"],
  ["millrace", "java"]
])

export const runNetwork = async (context: Context, count: number): Promise<void> => {
  let streamId = 2000
  const runBetween = async (
    where: string,
    directories: Readonly<Record<Side, string>>,
    streams: ReadonlyArray<Stream>,
    parameters: string,
    messages: number
  ): Promise<void> => {
    for (const stream of streams) {
      const channel = `aeron:udp?endpoint=localhost:${await freePort()}|term-length=${termLengthOf(stream)}${parameters}`
      await check(context, titleOf(where, stream), () =>
        runStream(
          {
            publisherDirectory: directories[stream.publisher],
            subscriberDirectory: directories[stream.subscriber],
            channel,
            streamId: ++streamId,
            count: messages
          },
          stream
        )
      )
    }
  }
  const runBoth = async (
    where: string,
    messages: number,
    properties: Partial<Record<Side, Readonly<Record<string, string>>>> = {}
  ): Promise<void> =>
    withDrivers(
      ["java", "millrace"],
      async (theirs, ours) => {
        const directories = { java: theirs, millrace: ours }
        await runBetween(where, directories, both, "", messages)
        await runBetween(`${where}, cc=cubic`, directories, both.filter(isPlain), "|cc=cubic", messages / 10)
      },
      properties
    )
  await runBoth("udp", count)
  await runBoth(`udp, java loses ${LOSS_RATE * 100} %`, count / 10, { java: { ...loss, ...debugEndpoints } })
  await runBoth(`udp, millrace loses ${LOSS_RATE * 100} %`, count / 10, { millrace: loss })
}
