/**
 * A recorder, publishers and a replayer in processes of their own, killed at any time and started again. What the recorder
 * has acknowledged is in the store, once and in order, and what a replayer had done is not done again.
 */
import { describe, it } from "@effect/vitest"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Replayer from "@millrace/store/Replayer"
import { type Child, startScript } from "@millrace/testkit/runScript"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { createInterface } from "node:readline"
import { join } from "node:path"
import { assert } from "vitest"
import { decode } from "./Numbered.ts"

const SHORT = 1
const KILLS_MAX = 200
const KILLS = Math.min(KILLS_MAX, Number(process.env["MILLRACE_COUNT"] ?? SHORT))
const SEED = Number(process.env["MILLRACE_SEED"] ?? 1)
const LIMIT = KILLS === SHORT ? 120_000 : 0

const CHANNEL = "aeron:ipc?term-length=64k"
/** Messages of a publisher that is not killed. */
const COUNT = 4000

const compileCache = join(tmpdir(), "millrace-compile-cache")

const scripts = {
  publisher: new URL("publisher.ts", import.meta.url),
  recorder: new URL("recorder.ts", import.meta.url),
  replayer: new URL("replayer.ts", import.meta.url)
}

const start = (role: keyof typeof scripts, ...args: ReadonlyArray<string>): Child =>
  startScript(scripts[role], args, { NODE_COMPILE_CACHE: compileCache })

/** A killed client is missed after four seconds. */
const driver = Client.layer.pipe(
  Layer.provideMerge(
    MediaDriver.layerEmbedded({ clientLivenessTimeout: "4 seconds", publicationLingerTimeout: "1 second" })
  )
)

/** xorshift32. */
const randomOf = (seed: number): (() => number) => {
  let state = seed * 2654435761 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 0x1_0000_0000
  }
}

const pause = (ms: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, ms)))

/** Waits for a line of a process; one that ends by itself, this or another that must go on, is a defect. */
const lineOf = (child: Child, start: string, ...others: ReadonlyArray<Child>) =>
  Effect.promise(() => Promise.race([child.line(start), ...others.map(hasNotEnded)]))

const hasNotEnded = async ({ ended }: Child): Promise<never> => {
  const { code, stderr, stdout } = await ended
  throw new Error(`a process that must go on has ended with ${code}: ${stdout.split("\n").at(-2)} ${stderr}`)
}

const kill = (child: Child) =>
  Effect.promise(() => {
    child.process.kill("SIGKILL")
    return child.ended
  })

/** Recorders of one store, one after the other, and what all of them have acknowledged. */
class Recorders {
  readonly acknowledged = new Map<number, number>()
  readonly #args: ReadonlyArray<string>

  constructor(directory: string, store: string) {
    this.#args = [directory, CHANNEL, store]
  }

  start(): Effect.Effect<Child> {
    const child = start("recorder", ...this.#args)
    createInterface({ input: child.process.stdout! }).on("line", (line) => {
      const [word, session, position] = line.split(" ")
      if (word === "ack") {
        this.acknowledged.set(Number(session), Number(position))
      }
    })
    return Effect.as(lineOf(child, "ready"), child)
  }
}

/** What a recording has, session by session: numbers from 0 on without a hole, and all that was acknowledged. */
const check = Effect.fnUntraced(function* (acknowledged: ReadonlyMap<number, number>) {
  const replayer = yield* Replayer.make("recording")
  const counts = new Map<number, number>()
  const ends = new Map<number, number>()
  yield* replayer.stream({ from: "earliest" }).pipe(
    Stream.runForEach(({ payload, position, sessionId }) =>
      Effect.sync(() => {
        const next = counts.get(sessionId) ?? 0
        assert.strictEqual(decode(payload), next)
        counts.set(sessionId, next + 1)
        ends.set(sessionId, position)
      })
    )
  )
  for (const [sessionId, position] of acknowledged) {
    assert.isAtLeast(ends.get(sessionId) ?? 0, position, `session ${sessionId} was acknowledged up to ${position}`)
  }
  return counts
})

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
        const recorders = new Recorders(directory, store)
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
      }).pipe(Effect.scoped, Effect.provide(driver)),
    LIMIT
  )

  it.live(
    "do not disturb a late joiner, who had the past while the publisher ran at full speed, and a gap is told",
    () =>
      Effect.gen(function* () {
        const { directory } = yield* MediaDriver.MediaDriver
        const store = join(temporaryDirectory(), "store")
        const recorders = new Recorders(directory, store)
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
      }).pipe(Effect.scoped, Effect.provide(driver)),
    LIMIT
  )
})
