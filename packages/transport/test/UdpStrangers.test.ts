/** A stranger who sends odd and malformed frames to a real socket of a driver, while a stream comes by the same socket. */
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import type { MediaDriverOptions } from "../src/MediaDriverConfig.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { STREAM } from "./client/HeapClient.ts"
import { malformedFrame, randomFrame, SESSIONS, unsolicitedFrame } from "./driver/HostileFrames.ts"
import { seeded } from "./driver/HeapNetwork.ts"
import { bytesOf, embedded, freePort, textOf } from "./fixtures/embedded.ts"

type Media = NonNullable<MediaDriverOptions["media"]>
const medias: ReadonlyArray<Media> = process.platform === "linux" ? ["native", "portable"] : ["portable"]

const BURSTS = 40
const FRAMES_PER_BURST = 50
const MESSAGES = 400
const ANSWER_LENGTH_MAX = 44

/** A socket that counts what it is answered, by the session that the answer is for. */
const openStranger = Effect.acquireRelease(
  Effect.promise(async () => {
    const socket = createSocket("udp4").bind(0, "127.0.0.1")
    await once(socket, "listening")
    const lengths = new Map<number, Array<number>>()
    socket.on("message", (datagram) => {
      const session = StatusMessageFrame.sessionId(frameBuffer(datagram), 0)
      lengths.set(session, [...(lengths.get(session) ?? []), datagram.length])
    })
    return { socket, lengths }
  }),
  ({ socket }) => Effect.sync(() => socket.close())
)

describe.each(medias)("a stranger at a %s socket", (media) => {
  it.live("hears one frame a session and second, and holds up nobody", () =>
    Effect.gen(function* () {
      const port = yield* freePort()
      const channel = `aeron:udp?endpoint=127.0.0.1:${port}|term-length=64k`
      const subscription = yield* Subscription.make({ channel, streamId: STREAM })
      const publication = yield* Publication.make({ channel: `${channel}|session-id=77`, streamId: STREAM })
      const texts = Array.from({ length: MESSAGES }, (_, index) => `${index}`.padEnd(500))
      const publishing = yield* Effect.forkScoped(
        Effect.forEach(texts, (text) => publication.publish(bytesOf(text)), { discard: true })
      )
      const receiving = yield* Effect.forkScoped(
        subscription.stream.pipe(
          Stream.map(textOf),
          Stream.filter((text) => /^\d+ *$/.test(text)),
          Stream.take(MESSAGES),
          Stream.runCollect
        )
      )
      const { lengths, socket } = yield* openStranger
      const random = seeded(1)
      const startMs = performance.now()
      for (let burst = 0; burst < BURSTS; burst++) {
        for (let count = 0; count < FRAMES_PER_BURST; count++) {
          const kind = random()
          const make = kind < 0.4 ? unsolicitedFrame : kind < 0.8 ? randomFrame : malformedFrame
          const [frame, length] = make(random)
          socket.send(frame.bytes.subarray(0, length), port, "127.0.0.1")
        }
        yield* Effect.sleep(1)
      }
      assert.deepStrictEqual(yield* Fiber.join(receiving), texts)
      yield* Fiber.join(publishing)
      const seconds = Math.ceil((performance.now() - startMs) / 1000)
      assert.isAbove(lengths.size, 10)
      for (const [session, answered] of lengths) {
        if (!SESSIONS.includes(session)) {
          assert.isAtMost(answered.length, seconds, `session ${session}`)
          assert.isAtMost(Math.max(...answered), ANSWER_LENGTH_MAX)
        }
      }
      const { counters } = yield* Client.Client
      const invalid = (yield* counters).find(({ label }) => label.startsWith("Invalid packets"))
      assert.isAbove(Number(invalid!.value), 0)
    }).pipe(Effect.scoped, Effect.provide(embedded({ media })))
  )
})
