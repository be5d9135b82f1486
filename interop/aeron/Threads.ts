/** Our driver with its agents on several threads, with Aeron's driver over UDP and with Aeron's clients over IPC. */
import type { Context } from "../Part.ts"
import { check, freePort, type Peer, runStream, streamsOf, titleOf, withDrivers } from "./Streams.ts"

const runMode = async (context: Context, mode: string, count: number, peer: Peer): Promise<void> => {
  const streams = streamsOf([
    [peer, "millrace"],
    ["millrace", peer]
  ])
  await withDrivers(
    [peer, "millrace"],
    async (theirs, ours) => {
      let streamId = 4000
      for (const stream of streams) {
        const udp = {
          publisherDirectory: stream.publisher === "millrace" ? ours : theirs,
          subscriberDirectory: stream.subscriber === "millrace" ? ours : theirs,
          channel: `aeron:udp?endpoint=localhost:${await freePort()}|term-length=256k`,
          streamId: ++streamId,
          count
        }
        await check(context, titleOf(`${mode}, udp`, stream), () => runStream(udp, stream))
        const ipc = { publisherDirectory: ours, subscriberDirectory: ours, channel: "aeron:ipc", count }
        await check(context, titleOf(`${mode}, ipc`, stream), () => runStream({ ...ipc, streamId: ++streamId }, stream))
      }
    },
    { millrace: { "aeron.threading.mode": mode } }
  )
}

export const run = async (context: Context, count: number, peer: Peer): Promise<void> => {
  for (const mode of ["SHARED_NETWORK", "DEDICATED"]) {
    await runMode(context, mode, Math.ceil(count / 10), peer)
  }
}
