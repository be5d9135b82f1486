/**
 * A recorder, publishers, a replayer and a driver in processes of their own, killed at any time and started again. What the recorder
 * has acknowledged is in the store, once and in order, and what a replayer had done is not done again.
 */
import { describe, it } from "@effect/vitest"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Replayer from "@millrace/store/Replayer"
import { freePort } from "@millrace/testkit/freePort"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Subscription from "@millrace/transport/Subscription"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { check, kill, lineOf, pause, randomOf, Recorders, start } from "./KilledProcesses.ts"
import { decode } from "./Numbered.ts"

const SHORT = 1
const KILLS_MAX = 200
const KILLS = Math.min(KILLS_MAX, Number(process.env["MILLRACE_COUNT"] ?? SHORT))
const SEED = Number(process.env["MILLRACE_SEED"] ?? 1)
const LIMIT = KILLS === SHORT ? 180_000 : 0

const CHANNEL = "aeron:ipc?term-length=64k"
/** Messages of a publisher that is not killed. */
const COUNT = 4000

/** A driver that misses a killed client after so long, and keeps for the next one what that had not read until then. */
const driverOf = (clientLivenessTimeout: Duration.Input) =>
  Client.layer.pipe(
    Layer.provideMerge(MediaDriver.layerEmbedded({ clientLivenessTimeout, publicationLingerTimeout: "1 second" }))
  )

describe("recorders, publishers and replayers that are killed", () => {
  it.live(
    "lose nothing that was acknowledged, and repeat nothing",
    () =>
      Effect.gen(function* () {
        const { directory } = yield* MediaDriver.MediaDriver
        const root = temporaryDirectory()
        const store = join(root, "store")
        const random = randomOf(SEED)
        random()
        const recorders = new Recorders(directory, CHANNEL, store)
        let recorder = yield* recorders.start()
        let publisher = start("publisher", directory, CHANNEL, String(COUNT))
        for (let round = 0; round < KILLS; round++) {
          yield* lineOf(publisher, "flowing", recorder)
          yield* pause(random() * 200)
          if (round % 2 === 0) {
            yield* kill(recorder)
            recorder = yield* recorders.start()
          } else {
            yield* kill(publisher)
            publisher = start("publisher", directory, CHANNEL, String(COUNT))
          }
        }
        const sessionId = Number((yield* lineOf(publisher, "session", recorder)).split(" ")[1])
        yield* lineOf(publisher, "published", recorder)
        yield* kill(recorder)
        const counts = yield* check(recorders.acknowledged).pipe(
          Effect.provide(MessageStore.layer({ directory: store }))
        )
        assert.isTrue(recorders.acknowledged.has(sessionId))
        assert.strictEqual(counts.get(sessionId), COUNT)

        const file = join(root, "replayed")
        for (let round = 0; round < Math.ceil(KILLS / 2); round++) {
          const replayer = start("replayer", store, String(sessionId), file)
          yield* lineOf(replayer, "at")
          yield* pause(random() * 20)
          yield* kill(replayer)
        }
        yield* lineOf(start("replayer", store, String(sessionId), file), "done")
        const lines = fs.readFileSync(file, "latin1").trimEnd().split("\n")
        assert.deepStrictEqual(
          lines.map((line) => Number(line.split(" ")[0])),
          Array.from({ length: COUNT }, (_, index) => index)
        )
      }).pipe(Effect.scoped, Effect.provide(driverOf("12 seconds"))),
    LIMIT
  )

  it.live(
    "do not disturb a late joiner, who had the past while the publisher ran at full speed, and a gap is told",
    () =>
      Effect.gen(function* () {
        const { directory } = yield* MediaDriver.MediaDriver
        const store = join(temporaryDirectory(), "store")
        const recorders = new Recorders(directory, CHANNEL, store)
        const recorder = yield* recorders.start()
        const publisher = start("publisher", directory, CHANNEL, "0")
        yield* lineOf(publisher, "flowing", recorder)
        // Who only reads takes the sizes of files from those that are there.
        yield* lineOf(recorder, "ack", publisher)
        const live = yield* Subscription.make({ channel: CHANNEL, streamId: 1001 })
        const context = yield* Layer.build(MessageStore.layer({ directory: store, readOnly: true }))
        const replayer = yield* Effect.provide(Replayer.make("recording"), context)
        const seen = { number: -1, position: 0 }
        const joining = replayer.merge(live.messages, { from: "earliest", patience: "1 minute" }).pipe(
          Stream.runForEach(({ payload, position }) => {
            assert.strictEqual(decode(payload), seen.number + 1)
            seen.number++
            seen.position = position
            return Effect.void
          })
        )
        const joiner = yield* Effect.forkScoped(joining)
        const until = (condition: () => boolean) =>
          Effect.raceFirst(
            Effect.sync(condition).pipe(Effect.delay("10 millis"), Effect.repeat({ until: (holds) => holds })),
            Effect.andThen(Fiber.join(joiner), Effect.die(new Error("the joiner has ended")))
          )
        yield* until(() => seen.number > COUNT)
        yield* kill(recorder)
        const [[, acknowledged]] = [...recorders.acknowledged] as [[number, number]]
        // The joiner keeps the publisher going, though nobody records.
        yield* until(() => seen.position > acknowledged + 500_000)
        const again = start("recorder", directory, CHANNEL, store)
        assert.strictEqual(yield* lineOf(again, "failed"), "failed RecordingGap")
        const end = seen.number
        yield* until(() => seen.number > end + COUNT)
        yield* Fiber.interrupt(joiner)
        yield* kill(publisher)
      }).pipe(Effect.scoped, Effect.provide(driverOf("4 seconds"))),
    LIMIT
  )
})

/** Who is killed, in turn. */
const VICTIMS = ["driver", "recorder", "publisher"] as const

/** Over the network, with every twentieth datagram lost, of data and of what controls it. */
const LOSS = "0.05"

/** How long clients wait for signs of life of a driver that was killed. */
const DRIVER_TIMEOUT = "4 seconds"

describe("recorders and publishers over UDP, with loss, of whom one after the other and their driver are killed", () => {
  it.live(
    "lose nothing that was acknowledged, tell every gap, and have a late joiner go on with the live stream",
    () =>
      Effect.gen(function* () {
        const root = temporaryDirectory()
        const directory = join(root, "driver")
        const store = join(root, "store")
        const channel = `aeron:udp?endpoint=127.0.0.1:${yield* Effect.promise(() => freePort())}|term-length=64k`
        const random = randomOf(SEED)
        const recorders = new Recorders(directory, channel, store, "record", DRIVER_TIMEOUT)
        const startDriver = Effect.gen(function* () {
          const child = start("driver", directory, LOSS)
          yield* lineOf(child, "ready")
          return child
        })
        const startPublisher = () => start("publisher", directory, channel, "0", DRIVER_TIMEOUT)
        /** Waits until a recorder has acknowledged something of a publisher, and gives its session. */
        const flowing = Effect.fnUntraced(function* () {
          const session = (yield* lineOf(publisher, "session", driver, recorder)).split(" ")[1]!
          yield* lineOf(recorder, `ack ${session}`, driver, publisher)
          return Number(session)
        })
        let driver = yield* startDriver
        let recorder = yield* recorders.start()
        let publisher = startPublisher()
        for (let round = 0; round < Math.max(VICTIMS.length, KILLS); round++) {
          yield* flowing()
          yield* pause(random() * 100)
          switch (VICTIMS[round % VICTIMS.length]!) {
            case "driver": {
              yield* kill(driver)
              const [ended] = yield* Effect.promise(() => Promise.all([recorder.ended, publisher.ended]))
              assert.match(ended.stdout, /^failed /m)
              driver = yield* startDriver
              recorder = yield* recorders.start()
              publisher = startPublisher()
              break
            }
            case "recorder":
              yield* kill(recorder)
              recorder = yield* recorders.start()
              break
            case "publisher":
              yield* kill(publisher)
              publisher = startPublisher()
              break
          }
        }
        const sessionId = yield* flowing()
        const seen = { number: -1, live: 0 }
        yield* Effect.gen(function* () {
          const live = yield* Subscription.make({ channel, streamId: 1001 })
          const replayer = yield* Replayer.make("recording")
          yield* replayer.merge(live.messages, { from: "earliest", sessionId, patience: "1 minute" }).pipe(
            Stream.takeUntil(({ payload, recordedAt }) => {
              assert.strictEqual(decode(payload), ++seen.number)
              seen.live += recordedAt === undefined ? 1 : 0
              return seen.number > COUNT && seen.live > 0
            }),
            Stream.runDrain
          )
        }).pipe(
          Effect.scoped,
          Effect.provide([Client.layerWith({ directory }), MessageStore.layer({ directory: store, readOnly: true })])
        )
        for (const child of [publisher, recorder, driver]) {
          yield* kill(child)
        }
        yield* check(recorders.acknowledged, "element").pipe(Effect.provide(MessageStore.layer({ directory: store })))
        assert.isTrue(recorders.acknowledged.has(sessionId))
      }).pipe(Effect.scoped),
    LIMIT
  )
})
