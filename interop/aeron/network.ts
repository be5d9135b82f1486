/** Java's driver and ours with each other over UDP, both ways, on a whole network and on one that loses. */
import { createSocket } from "node:dgram"
import { once } from "node:events"
import type { Context } from "../Part.ts"
import { java } from "./Process.ts"
import { check, runStream, type Stream, streamsOf, titleOf, withDrivers } from "./Streams.ts"

const LOSS_RATE = 0.1

/** Java's own means to lose what it would send or has received: data on one side, control frames on the other. */
const lossProperties: Readonly<Record<string, string>> = {
  "aeron.SendChannelEndpoint.supplier": "io.aeron.driver.ext.DebugSendChannelEndpointSupplier",
  "aeron.ReceiveChannelEndpoint.supplier": "io.aeron.driver.ext.DebugReceiveChannelEndpointSupplier",
  ...Object.fromEntries(
    ["send.data", "send.control", "receive.data", "receive.control"].flatMap((what) => [
      [`aeron.debug.${what}.loss.rate`, String(LOSS_RATE)],
      [`aeron.debug.${what}.loss.seed`, "42"]
    ])
  )
}

/** Short, so that they wrap many times; a message is at most an eighth of one. */
const termLengthOf = ({ lengths }: Stream): string => (lengths.includes("20000") ? "256k" : "64k")

const freePort = async (): Promise<number> => {
  const socket = createSocket("udp4").bind(0, "127.0.0.1")
  await once(socket, "listening")
  const { port } = socket.address()
  socket.close()
  return port
}

const both: ReadonlyArray<Stream> = streamsOf([
  ["java", "millrace"],
  ["millrace", "java"]
])

/** Aeron's tools, and what they print of streams that have just ended. */
const tools = [
  ["StreamStat", "snd-pos:"],
  ["BacklogStat", "sessionId="],
  ["LossStat", "loss entries"],
  ["ErrorStat", "0 distinct errors observed."]
] as const

export const runNetwork = async (context: Context, count: number): Promise<void> => {
  let streamId = 2000
  const runBetween = async (
    where: string,
    directories: Readonly<Record<"java" | "millrace", string>>,
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
  await withDrivers(["java", "millrace"], async (theirs, ours) => {
    const directories = { java: theirs, millrace: ours }
    await runBetween("udp", directories, both, "", count)
    await runBetween("udp, cc=cubic", directories, both.slice(0, 1), "|cc=cubic", count / 10)
    await runBetween("udp, cc=cubic", directories, both.slice(4, 5), "|cc=cubic", count / 10)
    for (const [tool, expected] of tools) {
      await check(context, `udp: ${tool} reads our directory`, async () => {
        const stat = java(tool, `io.aeron.samples.${tool}`, [], { "aeron.dir": ours })
        await stat.end(expected)
      })
    }
  })
  await withDrivers(
    ["java", "millrace"],
    async (theirs, ours) => {
      const where = `udp, java loses ${LOSS_RATE * 100} %`
      await runBetween(where, { java: theirs, millrace: ours }, both, "", count / 10)
    },
    lossProperties
  )
}
