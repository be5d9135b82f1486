/**
 * What a Node program would take to move messages to another process or thread, each as a row of a benchmark: a run sends
 * `count` messages and ends when the other side has counted all of them.
 */
import { Worker } from "node:worker_threads"
import { createServer, type Server, type Socket } from "node:net"
import { once } from "node:events"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Publication from "@millrace/transport/Publication"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Push } from "zeromq"
import type { Bench } from "#harness/Group"
import { forkPeer, type Peer } from "#harness/Peer"
import * as Framing from "./framing.shared.ts"

/** Messages of one array, where an interface takes arrays. */
export const ARRAY_COUNT = 256

const temporaryFolder = (): string => fs.mkdtempSync(join(tmpdir(), "millrace-bench-"))

const elapsed = (startNs: bigint): number => Number(process.hrtime.bigint() - startNs)

/** Starts a run in the peer, sends, and waits for the peer to have it all. */
const measured = async (peer: Peer, count: number, send: () => Promise<void>) => {
  peer.send({ count })
  await peer.receive()
  const startNs = process.hrtime.bigint()
  await send()
  await peer.receive()
  return { operations: count, elapsedNs: elapsed(startNs) }
}

const endOf = async (peer: Peer): Promise<void> => {
  peer.send({ count: 0 })
  await peer.exited
}

const accept = async (server: Server): Promise<Socket> => {
  const [socket] = await once(server, "connection")
  return socket
}

/** Messages with their length before them; as many as fit go into one write, as a careful program does. */
export const unixSocket = async (length: number): Promise<Bench> => {
  const folder = temporaryFolder()
  const path = join(folder, "socket")
  const server = createServer().listen(path)
  await once(server, "listening")
  const peer = forkPeer(import.meta.url, "./pipes.child.ts", ["unixSocket", path, String(length)])
  const socket = await accept(server)
  await peer.receive()
  const message = new Uint8Array(length)
  return {
    run: (count) =>
      measured(peer, count, async () => {
        for (let sent = 0; sent < count; sent += ARRAY_COUNT) {
          const chunk = Framing.encode(message, Math.min(ARRAY_COUNT, count - sent))
          if (!socket.write(chunk)) {
            await once(socket, "drain")
          }
        }
      }),
    close: async () => {
      await endOf(peer)
      socket.destroy()
      server.close()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }
}

export const zeromq = async (length: number): Promise<Bench> => {
  const folder = temporaryFolder()
  const address = `ipc://${join(folder, "socket")}`
  const push = new Push()
  await push.bind(address)
  const peer = forkPeer(import.meta.url, "./pipes.child.ts", ["zeromq", address, String(length)])
  await peer.receive()
  const message = new Uint8Array(length)
  return {
    run: (count) =>
      measured(peer, count, async () => {
        for (let sent = 0; sent < count; sent++) {
          await push.send(message)
        }
      }),
    close: async () => {
      await endOf(peer)
      push.close()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Messages to a thread of the same process: a program that has no need of another process. */
export const postMessage = async (length: number): Promise<Bench> => {
  const worker = new Worker(new URL("./pipes.worker.ts", import.meta.url))
  await once(worker, "message")
  const message = new Uint8Array(length)
  return {
    run: async (count) => {
      const startNs = process.hrtime.bigint()
      // Nothing holds the sender back, so it waits by itself before what it has sent fills the memory.
      for (let sent = 0; sent < count;) {
        const end = Math.min(count, sent + ARRAY_COUNT * ARRAY_COUNT)
        worker.postMessage({ count: end - sent })
        for (; sent < end; sent++) {
          worker.postMessage(message)
        }
        await once(worker, "message")
      }
      return { operations: count, elapsedNs: elapsed(startNs) }
    },
    close: async () => {
      await worker.terminate()
    }
  }
}

/** Within one thread: no bytes move at all, only references. */
export const pubSub = async (length: number): Promise<Bench> => {
  const scope = Effect.runSync(Scope.make())
  const pubsub = await Effect.runPromise(PubSub.bounded<Uint8Array>(ARRAY_COUNT * 16))
  const subscription = await Effect.runPromise(PubSub.subscribe(pubsub).pipe(Scope.provide(scope)))
  const messages = Array.from({ length: ARRAY_COUNT }, () => new Uint8Array(length))
  return {
    run: async (count) => {
      const receive = Stream.fromSubscription(subscription).pipe(Stream.take(count), Stream.runDrain)
      const publish = Effect.gen(function* () {
        for (let sent = 0; sent < count; sent += ARRAY_COUNT) {
          const rest = count - sent
          yield* PubSub.publishAll(pubsub, rest < ARRAY_COUNT ? messages.slice(0, rest) : messages)
        }
      })
      const startNs = process.hrtime.bigint()
      await Effect.runPromise(Effect.all([receive, publish], { concurrency: 2, discard: true }))
      return { operations: count, elapsedNs: elapsed(startNs) }
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Ours, by the Sink and the Stream that a program would take; a driver in a worker of this process. */
export const millrace = async (channel: string, length: number): Promise<Bench> => {
  const scope = Effect.runSync(Scope.make())
  const layer = Layer.provideMerge(Client.layer, MediaDriver.layerEmbedded())
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const run = <A, E>(effect: Effect.Effect<A, E, Client.Client | Scope.Scope>): Promise<A> =>
    Effect.runPromise(effect.pipe(Scope.provide(scope), Effect.provide(context)))
  const { directory } = await Effect.runPromise(Effect.provide(MediaDriver.MediaDriver, context))
  const publication = await run(Publication.make({ channel, streamId: 1001 }))
  const peer = forkPeer(import.meta.url, "./pipes.child.ts", ["millrace", directory, String(length), channel])
  await peer.receive()
  const message = new Uint8Array(length)
  return {
    run: (count) =>
      measured(peer, count, () =>
        run(
          Stream.range(1, count).pipe(
            Stream.map(() => message),
            Stream.run(publication.sink)
          )
        )
      ),
    close: async () => {
      await endOf(peer)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
