/**
 * What idling costs, and how soon it is over: processor time of a process from the fifth second without a message on,
 * then how long one message takes. The operation is that message.
 *
 * Of a driver with a connected UDP stream on which nothing is said, the message goes from the offer through it to the poll
 * of another socket, which never rests; of a client, from the offer over shared memory to the stream that waits for it.
 * Each run has processes of its own, since a driver that never rests takes the processor from all others.
 */
import { group, type Bench, type Case, type Measurement } from "#harness/Group"
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
import * as Layer from "effect/Layer"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

const STREAM_ID = 1001
const SILENCE_MS = 5_000
const WINDOW_MS = 2_000
/** Of a run under `--smoke`, whose count is this. */
const SMOKE_COUNT = 1
const SMOKE_MS = 100
const COUNT = 2

interface DriverForm {
  readonly idle: string
  readonly media?: string
  readonly threading?: string
}

/** Somebody who idles, and the way of a message to them. */
interface Idler {
  readonly process: Peer
  /** Nanoseconds from the offer to the arrival. */
  readonly passMessage: () => number | Promise<number>
}

const freePort = async (): Promise<number> => {
  const socket = createSocket("udp4").bind(0, "127.0.0.1")
  await once(socket, "listening")
  const { port } = socket.address()
  socket.close()
  return port
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const cpuMicros = async (peer: Peer): Promise<number> => {
  peer.send({})
  return (await peer.receive<{ readonly cpuMicros: number }>()).cpuMicros
}

const offer = (publication: Publication.Publication): void => {
  while (publication.offerUnsafe(new Uint8Array(32)) < 0) {
    // The driver moves the limit.
  }
}

/** The client learns of its image in turns of the event loop. */
const connected = async (publication: Publication.Publication): Promise<void> => {
  while (!Effect.runSync(publication.isConnected)) {
    await sleep(1)
  }
}

/** All processes and files of one run; they end in the opposite order. */
class Scene {
  readonly directory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "millrace-bench-"))
  private readonly scope = Effect.runSync(Scope.make())
  private readonly peers: Array<Peer> = []

  async fork(role: string, ...args: ReadonlyArray<string>): Promise<Peer> {
    const peer = forkPeer(import.meta.url, "./idle.child.ts", [role, join(this.directory, "driver"), ...args])
    this.peers.push(peer)
    await peer.receive()
    return peer
  }

  forkDriver({ idle, media = "native", threading = "shared" }: DriverForm): Promise<Peer> {
    return this.fork("driver", idle, media, threading)
  }

  async withClient<A, E>(effect: Effect.Effect<A, E, Client.Client | Scope.Scope>): Promise<A> {
    const layer = Client.layerWith({ directory: join(this.directory, "driver") })
    const client = await Effect.runPromise(Layer.buildWithScope(layer, this.scope))
    return Effect.runPromise(effect.pipe(Effect.provide(client), Scope.provide(this.scope)))
  }

  async end(): Promise<void> {
    await Effect.runPromise(Scope.close(this.scope, Exit.void))
    for (const peer of this.peers.toReversed()) {
      peer.kill()
      await peer.exited.catch(() => {})
    }
    rmSync(this.directory, { recursive: true, force: true })
  }
}

const openDriver = async (scene: Scene, form: DriverForm): Promise<Idler> => {
  const process_ = await scene.forkDriver(form)
  const channel = `aeron:udp?endpoint=127.0.0.1:${await freePort()}`
  const { publication, subscription } = await scene.withClient(
    Effect.gen(function* () {
      const subscription = yield* Subscription.make({ channel, streamId: STREAM_ID })
      return { publication: yield* Publication.make({ channel, streamId: STREAM_ID }), subscription }
    })
  )
  const isHere = (): boolean => Effect.runSync(subscription.poll(() => {}, 1)) > 0
  await connected(publication)
  offer(publication)
  while (!isHere()) {
    await sleep(1)
  }
  return {
    process: process_,
    passMessage: () => {
      const startNs = process.hrtime.bigint()
      offer(publication)
      while (!isHere()) {
        // The message is on its way.
      }
      return Number(process.hrtime.bigint() - startNs)
    }
  }
}

const openClient = async (scene: Scene): Promise<Idler> => {
  await scene.forkDriver({ idle: "park" })
  const channel = "aeron:ipc"
  const publication = await scene.withClient(Publication.make({ channel, streamId: STREAM_ID }))
  const client = await scene.fork("client", channel, String(STREAM_ID))
  await connected(publication)
  const passMessage = async (): Promise<number> => {
    const startNs = process.hrtime.bigint()
    offer(publication)
    const { atNs } = await client.receive<{ readonly atNs: bigint }>()
    return Number(atNs - startNs)
  }
  await passMessage()
  return { process: client, passMessage }
}

const measure = async ({ passMessage, process: peer }: Idler, isSmoke: boolean): Promise<Measurement> => {
  await sleep(isSmoke ? SMOKE_MS : SILENCE_MS)
  const windowMs = isSmoke ? SMOKE_MS : WINDOW_MS
  const before = await cpuMicros(peer)
  await sleep(windowMs)
  const cpu = (await cpuMicros(peer)) - before
  const elapsedNs = await passMessage()
  return {
    operations: 1,
    elapsedNs,
    figures: { "cpu %": cpu / windowMs / 10, "first message us": elapsedNs / 1000 }
  }
}

const inScenes = (open: (scene: Scene) => Promise<Idler>): Bench => ({
  run: async (count) => {
    const scene = new Scene()
    try {
      return await measure(await open(scene), count === SMOKE_COUNT)
    } finally {
      await scene.end()
    }
  }
})

const caseOf = (open: (scene: Scene) => Promise<Idler>, goal?: string): Case => ({
  count: COUNT,
  smokeCount: SMOKE_COUNT,
  warmUp: false,
  ...(goal === undefined ? {} : { goal }),
  open: () => inScenes(open)
})

const driver = (form: DriverForm, goal?: string): Case => caseOf((scene) => openDriver(scene, form), goal)

export default group("transport/idle", {
  cases: {
    park: driver({ idle: "park" }, "under 1 % of a core"),
    "park-portable": driver({ idle: "park", media: "portable" }, "under 1 % of a core"),
    "park-dedicated": driver({ idle: "park", threading: "dedicated" }),
    backoff: driver({ idle: "backoff" }),
    sleeping: driver({ idle: "sleeping" }),
    yielding: driver({ idle: "yielding" }),
    busySpin: driver({ idle: "busySpin" }),
    client: caseOf(openClient, "under 1 % of a core")
  }
})
