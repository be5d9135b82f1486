import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as MessageStore from "../src/MessageStore.ts"
import * as Recorder from "../src/Recorder.ts"
import * as Replayer from "../src/Replayer.ts"
import { sent } from "./fixtures/SentMessages.ts"

const memory = MessageStore.layerMemory({ mappedFileSizeCommitLog: 256 * 1024, mappedFileSizeConsumeQueue: 20 * 1000 })

const numbersOf = (elements: ReadonlyArray<Replayer.Element>): ReadonlyArray<number | string> =>
  elements.map((element) => (element._tag === "Gap" ? "gap" : element.position / 64))

const range = (from: number, to: number): Array<number> =>
  Array.from({ length: to + 1 - from }, (_, index) => from + index)

/** Lets every other fiber have a few turns. */
const turns = (count: number) => Effect.yieldNow.pipe(Effect.repeat({ times: count }))

describe("a replay that goes over into a live stream", () => {
  it.effect("drops live messages that were replayed, and ends when the live stream does", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      yield* recorder.record(sent(1, 10))
      const replayer = yield* Replayer.make("trades")
      const merged = (from: Replayer.From, live: ReadonlyArray<Recorder.StreamMessage>) =>
        Effect.map(Stream.runCollect(replayer.merge(Stream.fromIterable(live), { from })), numbersOf)
      assert.deepStrictEqual(yield* merged("earliest", sent(5, 20)), range(1, 20))
      assert.deepStrictEqual(yield* merged("earliest", sent(11, 20)), range(1, 20))
      assert.deepStrictEqual(yield* merged({ position: 7 * 64 }, sent(9, 12)), range(8, 12))
      assert.deepStrictEqual(yield* merged("latest", sent(9, 12)), range(11, 12))
      // What was recorded behind the end of the live stream belongs to it.
      assert.deepStrictEqual(yield* merged("earliest", sent(5, 6)), range(1, 10))
      assert.deepStrictEqual(yield* merged("earliest", []), range(1, 10))
      // A place beyond what is recorded is waited for, by position on either side.
      yield* recorder.record(sent(11, 12))
      assert.deepStrictEqual(yield* merged({ position: 14 * 64 }, sent(12, 16)), [15, 16])
      // Without a word of where they begin, messages are joined by one that both have.
      const bare = sent(9, 12).map(({ startPosition: _startPosition, ...message }) => message)
      assert.deepStrictEqual(yield* merged("earliest", bare), range(1, 12))
    }).pipe(Effect.provide(memory))
  )

  it.effect("begins live where nothing was sent before, without a recording", () =>
    Effect.gen(function* () {
      const replayer = yield* Replayer.make("trades")
      const merged = replayer.merge(Stream.fromIterable(sent(1, 5)), { from: "earliest" })
      assert.deepStrictEqual(numbersOf(yield* Stream.runCollect(merged)), range(1, 5))
    }).pipe(Effect.provide(memory))
  )

  it.effect("holds live messages until the recording has come to them, and fails when it does not", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      yield* recorder.record(sent(1, 3))
      const replayer = yield* Replayer.make("trades")
      const live = Stream.concat(Stream.fromIterable(sent(7, 9)), Stream.never)
      const seen: Array<number | string> = []
      const merge = (options: Partial<Replayer.MergeOptions> = {}) =>
        replayer.merge(live, { from: "earliest", ...options }).pipe(
          Stream.runForEach((element) => Effect.sync(() => seen.push(...numbersOf([element])))),
          Effect.flip,
          Effect.forkScoped({ startImmediately: true })
        )
      const failing = yield* merge()
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(seen, [1, 2, 3])
      yield* recorder.record(sent(4, 5))
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(seen, [1, 2, 3, 4, 5])
      yield* TestClock.adjust("1 second")
      const { reason } = yield* Fiber.join(failing)
      assert.deepInclude(reason, {
        _tag: "RecordingBehind",
        sessionId: 7,
        recordedPosition: 5 * 64,
        livePosition: 6 * 64,
        waitedMs: 5000
      })
      seen.length = 0
      const going = yield* merge({ patience: "1 minute" })
      yield* TestClock.adjust("10 seconds")
      yield* recorder.record(sent(6, 6))
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(seen, range(1, 9))
      yield* Fiber.interrupt(going)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("needs no recorder once it goes on live, and holds the live stream up instead of losing of it", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      yield* recorder.record(sent(1, 10))
      const replayer = yield* Replayer.make("trades")
      let pulled = 0
      const live = Stream.fromIterable(sent(8, 2000)).pipe(
        Stream.rechunk(1),
        Stream.tap(() => Effect.sync(() => pulled++))
      )
      const seen: Array<number | string> = []
      let most = 0
      yield* replayer.merge(live, { from: "earliest", liveBytesMax: 6500 }).pipe(
        Stream.runForEach((element) => {
          seen.push(...numbersOf([element]))
          most = Math.max(most, pulled + 7 - seen.length)
          return turns(1)
        })
      )
      assert.deepStrictEqual(seen, range(1, 2000))
      // A hundred messages of 65 bytes wait, those of one array are on their way, and one more was pulled.
      assert.isAtMost(most, 100 + 256 + 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("reads from the recording what does not fit, and holds up nobody as long as that goes on", () =>
    Effect.gen(function* () {
      const replayer = yield* Replayer.make("trades")
      const recorder = yield* Recorder.make("trades")
      const queue = yield* Queue.bounded<Recorder.StreamMessage>(16)
      const seen: Array<number | string> = []
      const gate = yield* Queue.unbounded<void>()
      const merged = yield* replayer.merge(Stream.fromQueue(queue), { from: "earliest", liveBytesMax: 1000 }).pipe(
        Stream.rechunk(1),
        Stream.takeUntil((element) => element._tag === "Message" && element.position === 64 * 3000),
        Stream.runForEach((element) => {
          seen.push(...numbersOf([element]))
          return seen.length === 1 ? Queue.take(gate) : Effect.void
        }),
        Effect.forkScoped
      )
      // The consumer stands still: all of this goes by.
      for (let number = 1; number <= 3000; number += 10) {
        const messages = sent(number, number + 9)
        yield* recorder.record(messages)
        yield* Queue.offerAll(queue, messages)
      }
      assert.isAtMost(seen.length, 1)
      yield* Queue.offer(gate, undefined)
      yield* Fiber.join(merged)
      assert.deepStrictEqual(seen, range(1, 3000))
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("gives what it has and then the error of the live stream", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades")
      yield* recorder.record(sent(1, 3))
      const replayer = yield* Replayer.make("trades")
      const live = Stream.concat(Stream.fromIterable(sent(3, 5)), Stream.fail("lost" as const))
      const seen: Array<number | string> = []
      const failing = replayer
        .merge(live, { from: "earliest" })
        .pipe(Stream.runForEach((element) => Effect.sync(() => seen.push(...numbersOf([element])))))
      assert.strictEqual(yield* Effect.flip(failing), "lost")
      assert.deepStrictEqual(seen, range(1, 5))
    }).pipe(Effect.provide(memory))
  )

  it.effect("shows a gap of the recording, or fails before it", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.make("trades", { onGap: "record" })
      yield* recorder.record([...sent(1, 2), ...sent(5, 6)])
      const replayer = yield* Replayer.make("trades")
      const live = Stream.fromIterable(sent(6, 8))
      const shown = yield* Stream.runCollect(replayer.merge(live, { from: "earliest", onGap: "element" }))
      assert.deepStrictEqual(numbersOf(shown), [1, 2, "gap", 5, 6, 7, 8])
      const failed = yield* Effect.flip(Stream.runDrain(replayer.merge(live, { from: "earliest" })))
      assert.strictEqual(failed.reason._tag, "RecordingGap")
    }).pipe(Effect.provide(memory))
  )
})
