/** What was accepted reaches its subscribers, although the driver that sends it ends right after. */
import { createSocket, type RemoteInfo } from "node:dgram"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { MediaDriverOptions } from "../src/MediaDriverConfig.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, freePort, textOf, until } from "./fixtures/embedded.ts"

const options: MediaDriverOptions = { termBufferLength: 64 * 1024 }

/** A program with a driver of its own, which ends when all is accepted. */
const publishing = (channel: string, messages: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const publication = yield* Publication.make({ channel, streamId: 1001 })
    yield* until(publication.isConnected)
    yield* publication.publishMany(messages.map(bytesOf))
  }).pipe(Effect.scoped, Effect.provide(embedded(options), { local: true }))

const numbered = (count: number, length: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, "."))

const numbers = (messages: ReadonlyArray<string>): ReadonlyArray<number> =>
  messages.map((message) => Number.parseInt(message, 10))

/**
 * Stands between a sender and a receiver and loses each data frame the first time that it comes. Control frames, set-ups
 * and heartbeats pass.
 */
const lossyRelay = (receiverPort: number): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const lost = new Set<string>()
    const socket = createSocket("udp4").bind(0, "127.0.0.1")
    let sender: RemoteInfo | undefined
    const isLost = (datagram: Buffer): boolean => {
      const frame = frameBuffer(datagram)
      if (HeaderDescriptor.type(frame, 0) !== FrameType.DATA || HeaderDescriptor.frameLength(frame, 0) === 0) {
        return false
      }
      const place = `${DataFrame.termId(frame, 0)} ${DataFrame.termOffset(frame, 0)}`
      return lost.size !== lost.add(place).size
    }
    socket.on("message", (datagram, from) => {
      if (from.port === receiverPort) {
        socket.send(datagram, sender!.port, sender!.address)
      } else {
        sender = from
        if (!isLost(datagram)) {
          socket.send(datagram, receiverPort, "127.0.0.1")
        }
      }
    })
    yield* Effect.promise(() => once(socket, "listening"))
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.close()))
    return socket.address().port
  })

describe("the end of an embedded driver", () => {
  it.live("waits until what it accepted for UDP is sent", () =>
    Effect.gen(function* () {
      const channel = `aeron:udp?endpoint=127.0.0.1:${yield* freePort()}`
      const messages = numbered(100, 1000)
      const subscription = yield* Subscription.make({ channel, streamId: 1001, batchCountMax: 4 })
      const received: Array<number> = []
      // Slower than the publisher: the receiver's window holds the sender back until the end.
      const receiving = yield* Effect.forkScoped(
        subscription.batches.pipe(
          Stream.tap(() => Effect.sleep(20)),
          Stream.runForEachWhile((batch) =>
            Effect.sync(() => {
              for (let index = 0; index < batch.count; index++) {
                received.push(Number.parseInt(textOf(batch.message(index)), 10))
              }
              return received.length < messages.length
            })
          )
        )
      )
      yield* publishing(channel, messages)
      yield* until(
        Effect.map(subscription.isConnected, (isConnected) => !isConnected || receiving.pollUnsafe() !== undefined)
      )
      assert.deepStrictEqual(received, numbers(messages))
    }).pipe(Effect.scoped, Effect.provide(embedded(options)))
  )

  it.live("waits until receivers of UDP have what they asked for again", () =>
    Effect.gen(function* () {
      const receiverPort = yield* freePort()
      const relayPort = yield* lossyRelay(receiverPort)
      const messages = numbered(20, 1000)
      const subscription = yield* Subscription.make({
        channel: `aeron:udp?endpoint=127.0.0.1:${receiverPort}`,
        streamId: 1001
      })
      const receiving = yield* Effect.forkScoped(Stream.runCollect(Stream.take(subscription.stream, messages.length)))
      yield* publishing(`aeron:udp?endpoint=127.0.0.1:${relayPort}`, messages)
      yield* until(
        Effect.map(subscription.isConnected, (isConnected) => !isConnected || receiving.pollUnsafe() !== undefined)
      )
      const received = yield* Fiber.interrupt(receiving).pipe(Effect.andThen(Fiber.await(receiving)))
      assert.strictEqual(received._tag, "Success")
    }).pipe(Effect.scoped, Effect.provide(embedded(options)))
  )
})
