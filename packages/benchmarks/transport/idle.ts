/**
 * What an idle driver costs, and how soon it is back: a driver in a process of its own, with a connected UDP stream on
 * which nothing is said. Its processor time is taken over 10 seconds from the fifth second without a message on; then
 * one message goes through it, from the offer to the poll of another thread's socket. The operation is that message.
 */
import { group, type Bench, type Case } from "#harness/Group"
import { forkPeer, type Peer } from "#harness/Peer"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Client from "@millrace/transport/Client"
import * as Publication from "@millrace/transport/Publication"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

const SILENCE_MS = 5_000
const WINDOW_MS = 10_000
/** Of a run under `--smoke`, whose count is this. */
const SMOKE_COUNT = 1
const SMOKE_MS = 100
const COUNT = 2

const freePort = async (): Promise<number> => {
  const socket = createSocket("udp4").bind(0, "127.0.0.1")
  await once(socket, "listening")
  const { port } = socket.address()
  socket.close()
  return port
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const cpuMicros = async (driver: Peer): Promise<number> => {
  driver.send({})
  return (await driver.receive<{ readonly cpuMicros: number }>()).cpuMicros
}

const open = async (idle: string, media: string, threading: string): Promise<Bench> => {
  const directory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "millrace-bench-"))
  const driver = forkPeer(import.meta.url, "./idle.child.ts", [join(directory, "driver"), idle, media, threading])
  await driver.receive()
  const scope = Effect.runSync(Scope.make())
  const streamOf = Effect.gen(function* () {
    const channel = `aeron:udp?endpoint=127.0.0.1:${yield* Effect.promise(freePort)}`
    const subscription = yield* Subscription.make({ channel, streamId: 1001 })
    const publication = yield* Publication.make({ channel, streamId: 1001 })
    return { publication, subscription }
  })
  const client = await Effect.runPromise(
    Layer.buildWithScope(Client.layerWith({ directory: join(directory, "driver") }), scope)
  )
  const { publication, subscription } = await Effect.runPromise(
    streamOf.pipe(Effect.provide(client), Scope.provide(scope))
  )
  const isAccepted = (): boolean => Effect.runSync(publication.offer(new Uint8Array(32)))._tag === "Accepted"
  const isHere = (): boolean => Effect.runSync(subscription.poll(() => {}, 1)) > 0
  /** Microseconds from the offer to the poll. */
  const firstMessage = (): number => {
    const startNs = process.hrtime.bigint()
    while (!isAccepted()) {
      // The driver moves the limit.
    }
    while (!isHere()) {
      // The message is on its way.
    }
    return Number(process.hrtime.bigint() - startNs) / 1000
  }
  // The client learns of its image in turns of the event loop.
  while (!isAccepted()) {
    await sleep(1)
  }
  while (!isHere()) {
    await sleep(1)
  }
  return {
    run: async (count) => {
      const isSmoke = count === SMOKE_COUNT
      await sleep(isSmoke ? SMOKE_MS : SILENCE_MS)
      const windowMs = isSmoke ? SMOKE_MS : WINDOW_MS
      const before = await cpuMicros(driver)
      await sleep(windowMs)
      const cpu = (await cpuMicros(driver)) - before
      const micros = firstMessage()
      return {
        operations: 1,
        elapsedNs: micros * 1000,
        figures: { "cpu %": cpu / windowMs / 10, "first message us": micros }
      }
    },
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      driver.kill()
      await driver.exited.catch(() => {})
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

const caseOf = (idle: string, media = "native", threading = "shared", goal?: string): Case => ({
  count: COUNT,
  smokeCount: SMOKE_COUNT,
  ...(goal === undefined ? {} : { goal }),
  open: () => open(idle, media, threading)
})

export default group("transport/idle", {
  cases: {
    park: caseOf("park", "native", "shared", "under 1 % of a core"),
    "park-portable": caseOf("park", "portable", "shared", "under 1 % of a core"),
    "park-dedicated": caseOf("park", "native", "dedicated"),
    backoff: caseOf("backoff"),
    sleeping: caseOf("sleeping"),
    yielding: caseOf("yielding"),
    busySpin: caseOf("busySpin")
  }
})
