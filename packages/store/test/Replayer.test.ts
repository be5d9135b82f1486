import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as MessageStore from "../src/MessageStore.ts"
import * as Recorder from "../src/Recorder.ts"
import * as Replayer from "../src/Replayer.ts"
import { sent } from "./fixtures/SentMessages.ts"

const memory = MessageStore.layerMemory()

const A = { sessionId: 7, streamId: 1001 }
const B = { sessionId: -8, streamId: 1001 }
const OTHER = { sessionId: 7, streamId: 2 }

/** Sessions as letters and messages as numbers, gaps as two positions. */
const textOf = (element: Replayer.Element): string => {
  const name = element.streamId === OTHER.streamId ? "o" : element.sessionId === A.sessionId ? "a" : "b"
  return element._tag === "Gap"
    ? `${name}[${element.fromPosition}-${element.toPosition}]`
    : name + element.position / 64
}

const replayed = Effect.fnUntraced(function* (options: Replayer.ReplayOptions<"element" | "fail">) {
  const replayer = yield* Replayer.make("trades")
  const elements = yield* Stream.runCollect(replayer.stream(options))
  return elements.map(textOf).join(" ")
})

/** Two sessions of a stream and one of another, a second apart. */
const recorded = Effect.gen(function* () {
  const recorder = yield* Recorder.make("trades", { onGap: "record" })
  for (const messages of [sent(1, 2, A), sent(1, 2, B), sent(3, 3, A), sent(1, 1, OTHER), sent(4, 4, A)]) {
    yield* TestClock.adjust("1 second")
    yield* recorder.record(messages)
  }
  return recorder
})

describe("a replay", () => {
  it.effect("gives sessions in the order in which they were recorded, all or those that are chosen", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* replayed({ from: "earliest" }), "")
      yield* recorded
      assert.strictEqual(yield* replayed({ from: "earliest" }), "a1 a2 b1 b2 a3 o1 a4")
      assert.strictEqual(yield* replayed({ from: "earliest", streamId: 1001 }), "a1 a2 b1 b2 a3 a4")
      assert.strictEqual(yield* replayed({ from: "earliest", sessionId: 7 }), "a1 a2 a3 o1 a4")
      assert.strictEqual(yield* replayed({ from: "earliest", sessionId: 7, streamId: 2 }), "o1")
      assert.strictEqual(yield* replayed({ from: "latest" }), "")
    }).pipe(Effect.provide(memory))
  )

  it.effect("begins and ends at positions and times", () =>
    Effect.gen(function* () {
      yield* recorded
      assert.strictEqual(yield* replayed({ from: { position: 128 }, streamId: 1001 }), "a3 a4")
      assert.strictEqual(yield* replayed({ from: { position: 100 }, to: { position: 192 }, ...A }), "a2 a3")
      assert.strictEqual(yield* replayed({ from: { position: 128, ...A }, to: { position: 64, ...B } }), "b1 a3 o1 a4")
      assert.strictEqual(
        yield* replayed({
          from: [
            { position: 192, ...A },
            { position: 64, ...B }
          ]
        }),
        "b2 o1 a4"
      )
      assert.strictEqual(yield* replayed({ from: new Date(2000) }), "b1 b2 a3 o1 a4")
      assert.strictEqual(yield* replayed({ from: new Date(1500), to: new Date(3500) }), "b1 b2 a3")
      assert.strictEqual(yield* replayed({ from: new Date(9000) }), "")
      assert.strictEqual(yield* replayed({ from: { position: 1 << 20 } }), "")
    }).pipe(Effect.provide(memory))
  )

  it.effect("goes on behind the last message of each session that was seen", () =>
    Effect.gen(function* () {
      yield* recorded
      const replayer = yield* Replayer.make("trades")
      for (let count = 0; count <= 7; count++) {
        const first = yield* Stream.runCollect(Stream.take(replayer.stream({ from: "earliest" }), count))
        const rest = yield* replayed({ from: first })
        assert.strictEqual([...first.map(textOf), ...(rest === "" ? [] : [rest])].join(" "), "a1 a2 b1 b2 a3 o1 a4")
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("shows gaps, or fails before them", () =>
    Effect.gen(function* () {
      const recorder = yield* recorded
      yield* recorder.record([...sent(7, 8, A), ...sent(4, 4, B)])
      const gaps = yield* replayed({ from: { position: 192 }, streamId: 1001, onGap: "element" })
      assert.strictEqual(gaps, "a4 a[256-384] a7 a8 b4")
      const replayer = yield* Replayer.make("trades")
      const seen: Array<string> = []
      const failing = replayer
        .stream({ from: { position: 192 }, ...A })
        .pipe(Stream.runForEach((message) => Effect.sync(() => seen.push(textOf(message)))))
      const { reason } = yield* Effect.flip(failing)
      assert.deepInclude(reason, { _tag: "RecordingGap", fromPosition: 256, toPosition: 384, ...A })
      assert.deepStrictEqual(seen, ["a4"])
      // A place before everything that is kept is missed as well; the beginning of what is kept is not.
      yield* (yield* Recorder.make("late")).record(sent(5, 6, A))
      const late = yield* Replayer.make("late")
      const missed = yield* Stream.runCollect(late.stream({ from: { position: 0 }, onGap: "element" }))
      assert.strictEqual(missed.map(textOf).join(" "), "a[0-256] a5 a6")
      assert.strictEqual((yield* Stream.runCollect(late.stream({ from: "earliest" }))).length, 2)
    }).pipe(Effect.provide(memory))
  )

  it.effect("follows the recording, sessions that come later among it", () =>
    Effect.gen(function* () {
      const recorder = yield* recorded
      const replayer = yield* Replayer.make("trades")
      const follow = (from: Replayer.From, count: number) =>
        Effect.forkScoped(Stream.runCollect(Stream.take(replayer.stream({ from, to: "live" }), count)), {
          startImmediately: true
        })
      const all = yield* follow("earliest", 12)
      const rest = yield* follow("latest", 5)
      yield* recorder.record([...sent(5, 6, A), ...sent(3, 3, B)])
      yield* recorder.record([...sent(1, 2, { sessionId: 9, streamId: 2 })])
      const texts = (yield* Fiber.join(all)).map(textOf)
      assert.deepStrictEqual(texts.slice(7), ["a5", "a6", "b3", "o1", "o2"])
      assert.deepStrictEqual((yield* Fiber.join(rest)).map(textOf), texts.slice(7))
      const later = yield* Effect.forkScoped(
        Stream.runHead(replayer.stream({ from: { position: 10 * 64 }, to: "live", ...A })),
        { startImmediately: true }
      )
      yield* recorder.record(sent(10, 11, A))
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(later)).position, 11 * 64)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("goes into a sink, or whatever else takes payloads", () =>
    Effect.gen(function* () {
      yield* recorded
      const replayer = yield* Replayer.make("trades")
      const options = { from: "earliest", ...A } as const
      assert.strictEqual(yield* replayer.replayTo(Sink.count, options), 4)
      const taken: Array<number> = []
      const offer = (payloads: ReadonlyArray<Uint8Array>) =>
        Effect.sync(() => taken.push(...payloads.map(([number]) => number!)))
      yield* replayer.replayTo(offer, options)
      assert.deepStrictEqual(taken, [1, 2, 3, 4])
    }).pipe(Effect.provide(memory))
  )

  it.effect("says which sessions there are", () =>
    Effect.gen(function* () {
      yield* recorded
      const replayer = yield* Replayer.make("trades")
      const sessions = yield* replayer.sessions
      assert.deepStrictEqual(sessions[0], {
        ...A,
        queueId: 0,
        messageCount: 4,
        startPosition: 0,
        position: 256,
        firstRecordedAt: 1000,
        lastRecordedAt: 5000
      })
      assert.deepStrictEqual(
        sessions.map(({ position, queueId }) => [queueId, position]),
        [
          [0, 256],
          [1, 128],
          [2, 64]
        ]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("unpacks what the store has compressed", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      const payload = new Uint8Array(50_000).fill(5)
      yield* recorder.record(Array.from(sent(1, 200), (message) => ({ ...message, payload })))
      // What comes again is compared unpacked.
      yield* recorder.record([{ ...sent(7, 7)[0]!, payload }])
      const replayer = yield* Replayer.make("trades")
      const lengths = yield* Stream.runCollect(
        Stream.map(replayer.stream({ from: "earliest" }), (m) => m.payload.length)
      )
      assert.strictEqual(lengths.length, 200)
      assert.isTrue(lengths.every((length) => length === payload.length))
      const store = yield* MessageStore.MessageStore
      assert.isBelow((yield* store.status).maxPosition, 200_000)
    }).pipe(Effect.provide(MessageStore.layerMemory({ compressType: "ZLIB" })))
  )
})
