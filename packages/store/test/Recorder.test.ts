import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as MessageStore from "../src/MessageStore.ts"
import * as Recorder from "../src/Recorder.ts"
import * as Replayer from "../src/Replayer.ts"
import { sent } from "./fixtures/SentMessages.ts"
import * as Temporary from "./fixtures/Temporary.ts"

const memory = MessageStore.layerMemory()

const numbersOf = Effect.fnUntraced(function* (topic: string, options: Replayer.ReplayOptions<"element">) {
  const replayer = yield* Replayer.make(topic)
  const elements = yield* Stream.runCollect(replayer.stream(options))
  return elements.map((element) =>
    element._tag === "Gap" ? `${element.fromPosition}-${element.toPosition}` : element.payload[0]
  )
})

const all = { from: "earliest", onGap: "element" } as const

describe("a recorder", () => {
  it.effect("keeps payload, session, stream and positions of each message", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      const messages = [...sent(1, 3), ...sent(1, 2, { sessionId: -5 }), ...sent(1, 1, { streamId: -9 })]
      yield* Stream.run(Stream.fromIterable(messages), recorder.sink)
      const replayer = yield* Replayer.make("trades")
      const replayed = yield* Stream.runCollect(replayer.stream({ from: "earliest" }))
      assert.deepStrictEqual(
        replayed.map(({ _tag, recordedAt: _recordedAt, ...message }) => message),
        messages
      )
      const store = yield* MessageStore.MessageStore
      const { messages: stored } = yield* store.get({ topic: "trades", queueId: 1, offset: 0 })
      assert.strictEqual(stored[1]!.tags, "-5")
      assert.deepInclude(
        { ...stored[1]!.properties },
        {
          STREAM_ID: "1001",
          SESSION_ID: "-5",
          STREAM_START: "64",
          STREAM_POSITION: "128"
        }
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("takes an empty payload, and messages that do not say where they begin", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      const bare = { payload: new Uint8Array(0), sessionId: 7, streamId: 1001 }
      yield* recorder.record([
        { ...bare, position: 64 },
        { ...bare, position: 192 }
      ])
      const replayer = yield* Replayer.make("trades")
      const replayed = yield* Stream.runCollect(replayer.stream({ from: "earliest" }))
      assert.deepStrictEqual(
        replayed.map(({ payload, position, startPosition }) => [payload.length, startPosition, position]),
        [
          [0, undefined, 64],
          [0, 64, 192]
        ]
      )
    }).pipe(Effect.provide(memory))
  )

  it.live("goes on exactly where the recording ends when it is made again", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      const store = MessageStore.layer({ directory, mappedFileSizeCommitLog: 1024 * 1024 })
      const record = (from: number, to: number) =>
        Effect.flatMap(Recorder.make("trades"), (recorder) =>
          Effect.andThen(Stream.run(Stream.fromIterable(sent(from, to)), recorder.sink), recorder.progress)
        ).pipe(Effect.provide(store))
      yield* record(1, 5)
      // Those before the end come again, as a publisher that does not know it sends them.
      const [progress] = yield* record(3, 9)
      assert.deepInclude(progress, { startPosition: 0, recordedPosition: 9 * 64, queueId: 0 })
      assert.deepStrictEqual(yield* numbersOf("trades", all).pipe(Effect.provide(store)), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }).pipe(Effect.scoped)
  )

  it.live("is whole for who reads it at once, however far its queue is behind the log", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      yield* recorder.record(sent(1, 9))
      const store = yield* MessageStore.MessageStore
      const info = yield* store.topic("trades")
      assert.isBelow(info!.queues[0]!.maxOffset, 9)
      assert.deepStrictEqual(yield* numbersOf("trades", all), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }).pipe(Effect.provide(MessageStore.layerMemory({ transientStorePoolEnable: true })))
  )

  it.effect("fails before a gap, after what comes before it, or keeps the gap", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      const { reason } = yield* Effect.flip(recorder.record([...sent(1, 2), ...sent(5, 6)]))
      assert.deepInclude(reason, { _tag: "RecordingGap", fromPosition: 128, toPosition: 256, sessionId: 7 })
      assert.deepStrictEqual(yield* numbersOf("trades", all), [1, 2])
      const lenient = yield* Recorder.make("trades", { onGap: "record" })
      yield* lenient.record([...sent(5, 6), ...sent(9, 9)])
      assert.deepStrictEqual(yield* numbersOf("trades", all), [1, 2, "128-256", 5, 6, "384-512", 9])
      // What is sent again of a gap has no place any more.
      yield* lenient.record(sent(3, 10))
      assert.deepStrictEqual(yield* numbersOf("trades", all), [1, 2, "128-256", 5, 6, "384-512", 9, 10])
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses another stream under a session id that it knows", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      yield* recorder.record(sent(1, 9))
      const restarted = [...sent(1, 2), { ...sent(3, 3)[0]!, payload: Uint8Array.of(99) }, ...sent(4, 20)]
      const differs = yield* Effect.flip(recorder.record(restarted))
      assert.deepInclude(differs.reason, { _tag: "RecordingDiffers", position: 192, recordedPosition: 576 })
      const astride = { ...sent(9, 9)[0]!, startPosition: 560, position: 600 }
      assert.strictEqual((yield* Effect.flip(recorder.record([astride]))).reason._tag, "RecordingDiffers")
      const between = { ...sent(9, 9)[0]!, startPosition: 500, position: 530 }
      assert.strictEqual((yield* Effect.flip(recorder.record([between]))).reason._tag, "RecordingDiffers")
      assert.strictEqual((yield* numbersOf("trades", all)).length, 9)
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses what is no place, a topic that is no recording, and more sessions than it may have", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades", { sessionsMax: 2 })
      for (const wrong of [{ position: 0.5 }, { position: -1 }, { sessionId: 2 ** 31 }, { streamId: Number.NaN }]) {
        const refused = yield* Effect.flip(recorder.record([{ ...sent(1, 1)[0]!, ...wrong }]))
        assert.strictEqual(refused.reason._tag, "MessageIllegal")
      }
      yield* recorder.record([...sent(1, 1, { sessionId: 1 }), ...sent(1, 1, { sessionId: 2 })])
      const third = yield* Effect.flip(recorder.record(sent(1, 1, { sessionId: 3 })))
      assert.deepInclude(third.reason, { _tag: "TooManySessions", limit: 2 })
      const store = yield* MessageStore.MessageStore
      yield* store.put({ topic: "orders", body: Uint8Array.of(1) })
      const foreign = yield* Effect.flip(Recorder.make("orders"))
      assert.deepInclude(foreign.reason, { _tag: "NotARecording", topic: "orders", queueOffset: 0 })
      const replayer = yield* Replayer.make("orders")
      const unread = yield* Effect.flip(Stream.runDrain(replayer.stream({ from: "earliest" })))
      assert.strictEqual(unread.reason._tag, "NotARecording")
    }).pipe(Effect.provide(memory))
  )

  it.live.each([{}, { transientStorePoolEnable: true }, { flushDiskType: "SYNC_FLUSH" as const }])(
    "leaves its place as it is when a put fails, and knows it again for the next one (%o)",
    (options) =>
      Effect.gen(function* () {
        const recorder = yield* Recorder.make("trades")
        yield* recorder.record(sent(1, 3))
        const long = { ...sent(4, 4)[0]!, payload: new Uint8Array(5 * 1024 * 1024) }
        assert.strictEqual((yield* Effect.flip(recorder.record([long]))).reason._tag, "MessageIllegal")
        yield* recorder.record(sent(2, 5))
        assert.deepStrictEqual(yield* numbersOf("trades", all), [1, 2, 3, 4, 5])
      }).pipe(Effect.provide(MessageStore.layerMemory({ ...options, mappedFileSizeCommitLog: 1024 * 1024 })))
  )

  it.live("knows what a put has stored that was interrupted", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      yield* recorder.record(sent(1, 3))
      const waiting = yield* Effect.forkScoped(recorder.record(sent(4, 5)), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* recorder.record(sent(4, 6))
      assert.deepStrictEqual(yield* numbersOf("trades", all), [1, 2, 3, 4, 5, 6])
      const [progress] = yield* recorder.progress
      assert.strictEqual(progress!.durablePosition, progress!.recordedPosition)
    }).pipe(Effect.scoped, Effect.provide(MessageStore.layerMemory({ flushDiskType: "SYNC_FLUSH" })))
  )

  it.live("says what is on the device: all of it with synchronous flush, what was flushed without", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      yield* recorder.record(sent(1, 3))
      yield* recorder.record(sent(4, 4, { sessionId: 8 }))
      const before = yield* recorder.progress
      assert.deepStrictEqual(
        before.map(({ recordedPosition }) => recordedPosition),
        [192, 256]
      )
      const store = yield* MessageStore.MessageStore
      yield* store.flush
      yield* recorder.record(sent(4, 4))
      const [first, second] = yield* recorder.progress
      assert.isTrue(first!.durablePosition === 192 || first!.durablePosition === 256)
      assert.strictEqual(second!.durablePosition, 256)
      assert.strictEqual(first!.recordedPosition, 256)
    }).pipe(Effect.provide(memory))
  )

  it.effect("has one recording however many recorders are made of it, and takes turns", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([Recorder.make("trades"), Recorder.make("trades")])
      yield* Effect.all([one.record(sent(1, 300)), other.record(sent(1, 300))], { concurrency: 2 })
      const replayer = yield* Replayer.make("trades")
      assert.strictEqual(yield* Stream.runCount(replayer.stream({ from: "earliest" })), 300)
    }).pipe(Effect.provide(memory))
  )
})
