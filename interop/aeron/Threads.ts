/** Our driver with its agents on several threads, with Java's driver over UDP and with Java's clients over IPC. */
import type { Context } from "../Part.ts"
import { check, freePort, runStream, streamsOf, titleOf, withDrivers } from "./Streams.ts"

const runMode = async (context: Context, mode: string, count: number): Promise<void> => {
  const streams = streamsOf([
    ["java", "millrace"],
    ["millrace", "java"]
  ])
  await withDrivers(
    ["java", "millrace"],
    async (java, millrace) => {
      const directories = { java, millrace }
      let streamId = 4000
      for (const stream of streams) {
        const udp = {
          publisherDirectory: directories[stream.publisher],
          subscriberDirectory: directories[stream.subscriber],
          channel: `aeron:udp?endpoint=localhost:${await freePort()}|term-length=256k`,
          streamId: ++streamId,
          count
        }
        await check(context, titleOf(`${mode}, udp`, stream), () => runStream(udp, stream))
        const ipc = { publisherDirectory: millrace, subscriberDirectory: millrace, channel: "aeron:ipc", count }
        await check(context, titleOf(`${mode}, ipc`, stream), () => runStream({ ...ipc, streamId: ++streamId }, stream))
      }
    },
    { millrace: { "aeron.threading.mode": mode } }
  )
}

export const run = async (context: Context, count: number): Promise<void> => {
  for (const mode of ["SHARED_NETWORK", "DEDICATED"]) {
    await runMode(context, mode, Math.ceil(count / 10))
  }
}
