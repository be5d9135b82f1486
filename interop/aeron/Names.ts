/** Aeron's driver and ours tell each other their names, and streams go by them, both ways. */
import * as Inspector from "../../packages/transport/src/Inspector.ts"
import * as Effect from "effect/Effect"
import type { Context } from "../Part.ts"
import { check, freePort, type Peer, runStream, type Side, streamsOf, titleOf, withDrivers } from "./Streams.ts"

const NEIGHBORS_TYPE_ID = 15
/** C's driver is told to be a resolver, the others are when they have an interface for it. Ours takes that, too. */
const SUPPLIER = { "aeron.name.resolver.supplier": "driver" }
const SUPPLIERS: Readonly<Record<Side, Readonly<Record<string, string>>>> = {
  java: {},
  c: SUPPLIER,
  millrace: SUPPLIER
}
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
const runFrom = async (context: Context, peer: Peer, first: Side, count: number): Promise<void> => {
  const ports: Partial<Record<Side, number>> = { [peer]: await freePort(), millrace: await freePort() }
  const properties = (side: Side): Readonly<Record<string, string>> => ({
    ...SUPPLIERS[side],
    "aeron.driver.resolver.name": side,
    "aeron.driver.resolver.interface": `localhost:${ports[side]}`,
    ...(side === first ? {} : { "aeron.driver.resolver.bootstrap.neighbor": `localhost:${ports[first]}` })
  })
  await withDrivers(
    [peer, "millrace"],
    async (theirs, ours) => {
      await untilNeighbors([theirs, ours])
      const streams = streamsOf([
        [peer, "millrace"],
        ["millrace", peer]
      ])
      let streamId = 3000
      for (const stream of streams.filter(({ isExclusive }) => !isExclusive)) {
        const channel = `aeron:udp?endpoint=${stream.subscriber}:${await freePort()}`
        const publisherDirectory = stream.publisher === "millrace" ? ours : theirs
        const subscriberDirectory = stream.subscriber === "millrace" ? ours : theirs
        const place = { publisherDirectory, subscriberDirectory, channel, streamId: ++streamId, count }
        await check(context, titleOf(`by name, ${first} first`, stream), () => runStream(place, stream))
      }
    },
    { [peer]: properties(peer), millrace: properties("millrace") }
  )
}

export const run = async (context: Context, count: number, peer: Peer): Promise<void> => {
  await runFrom(context, peer, peer, Math.ceil(count / 10))
  await runFrom(context, peer, "millrace", Math.ceil(count / 10))
}
