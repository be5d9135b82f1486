/** Java's driver and ours tell each other their names, and streams go by them, both ways. */
import * as Inspector from "../../packages/transport/src/Inspector.ts"
import * as Effect from "effect/Effect"
import type { Context } from "../Part.ts"
import { check, freePort, runStream, type Side, streamsOf, titleOf, withDrivers } from "./Streams.ts"

const NEIGHBORS_TYPE_ID = 15
const LOOK_MS = 100
const PATIENCE_MS = 20_000

/** Whether the driver in a directory has heard of another; its own counters say so. */
const hasNeighbor = (directory: string): Promise<boolean> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(Inspector.open({ directory }), ({ counters }) =>
        Effect.map(counters, (all) => all.some(({ typeId, value }) => typeId === NEIGHBORS_TYPE_ID && value > 0n))
      )
    )
  )

const untilNeighbors = async (directories: ReadonlyArray<string>): Promise<void> => {
  const deadlineMs = Date.now() + PATIENCE_MS
  for (const directory of directories) {
    while (!(await hasNeighbor(directory))) {
      if (Date.now() > deadlineMs) {
        throw new Error(`the driver in ${directory} has no neighbor after ${PATIENCE_MS} ms`)
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}

/** `first` is the neighbor that the other begins with. */
const runFrom = async (context: Context, first: Side, count: number): Promise<void> => {
  const ports = { java: await freePort(), millrace: await freePort() }
  const properties = (side: Side): Readonly<Record<string, string>> => ({
    "aeron.driver.resolver.name": side,
    "aeron.driver.resolver.interface": `localhost:${ports[side]}`,
    ...(side === first ? {} : { "aeron.driver.resolver.bootstrap.neighbor": `localhost:${ports[first]}` })
  })
  await withDrivers(
    ["java", "millrace"],
    async (java, millrace) => {
      await untilNeighbors([java, millrace])
      const directories = { java, millrace }
      const streams = streamsOf([
        ["java", "millrace"],
        ["millrace", "java"]
      ])
      let streamId = 3000
      for (const stream of streams.filter(({ isExclusive }) => !isExclusive)) {
        const channel = `aeron:udp?endpoint=${stream.subscriber}:${await freePort()}`
        const publisherDirectory = directories[stream.publisher]
        const subscriberDirectory = directories[stream.subscriber]
        const place = { publisherDirectory, subscriberDirectory, channel, streamId: ++streamId, count }
        await check(context, titleOf(`by name, ${first} first`, stream), () => runStream(place, stream))
      }
    },
    { java: properties("java"), millrace: properties("millrace") }
  )
}

export const run = async (context: Context, count: number): Promise<void> => {
  await runFrom(context, "java", Math.ceil(count / 10))
  await runFrom(context, "millrace", Math.ceil(count / 10))
}
