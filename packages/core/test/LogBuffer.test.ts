import { once } from "node:events"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CoreError, type CoreErrorReason } from "../src/CoreError.ts"
import * as IdleStrategy from "../src/IdleStrategy.ts"
import * as LogBuffer from "../src/LogBuffer.ts"
import { LogBuffers } from "../src/logbuffer/LogBuffers.ts"
import { packTail } from "../src/logbuffer/TermTail.ts"
import * as Region from "../src/Region.ts"
import { startScript } from "@millrace/testkit/runScript"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const TERM_LENGTH = 64 * 1024

const idle = IdleStrategy.yielding

const reasonOf = (exit: Exit.Exit<unknown, CoreError>): CoreErrorReason => {
  assert(Exit.isFailure(exit))
  const error = Cause.squash(exit.cause)
  assert(error instanceof CoreError)
  return error.reason
}

const numbered = (value: number, length = 4): Uint8Array => {
  const bytes = new Uint8Array(length)
  new DataView(bytes.buffer).setInt32(0, value, true)
  return bytes
}

const numberOf = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true)

/** Waits for a reader to be let in, so that nothing is published before it. */
const connected = (log: LogBuffer.LogBuffer) =>
  Effect.gen(function* () {
    while (!(yield* LogBuffer.isConnected(log))) {
      yield* Effect.yieldNow
    }
  })

const SCRIPTS = {
  owningProcess: new URL("logbuffer/fixtures/owningProcess.ts", import.meta.url),
  publishingProcess: new URL("logbuffer/fixtures/publishingProcess.ts", import.meta.url),
  readingProcess: new URL("logbuffer/fixtures/readingProcess.ts", import.meta.url),
  readingWorker: new URL("logbuffer/fixtures/readingWorker.ts", import.meta.url)
}

describe("LogBuffer", () => {
  it.live("passes every message to every reader, in order, through small terms", () =>
    Effect.gen(function* () {
      const log = yield* LogBuffer.heap("numbers", { termLength: TERM_LENGTH, mtuLength: 256, idle })
      const count = 5000
      // Every hundredth message is longer than a frame.
      const lengthOf = (value: number): number => (value % 100 === 0 ? 1000 : 4 + (value % 60))
      const reading = LogBuffer.stream(log, { idle }).pipe(Stream.map(numberOf), Stream.runCollect)
      const readers = yield* Effect.forkScoped(Effect.all([reading, reading], { concurrency: "unbounded" }))
      yield* connected(log)
      yield* Stream.range(1, count).pipe(
        Stream.map((value) => numbered(value, lengthOf(value))),
        Stream.run(LogBuffer.sink(log, { idle, end: true }))
      )
      const expected = Array.from({ length: count }, (_, index) => index + 1)
      assert.deepStrictEqual(yield* Fiber.join(readers), [expected, expected])
    }).pipe(Effect.scoped)
  )

  it.live("answers an offer by what stands in its way", () =>
    Effect.gen(function* () {
      const log = yield* LogBuffer.heap("offers", { termLength: TERM_LENGTH, idle })
      assert.deepStrictEqual(yield* LogBuffer.offer(log, numbered(1)), { _tag: "NotConnected" })
      const reader = yield* Effect.forkScoped(
        Stream.runDrain(LogBuffer.borrowedBatches(log, { idle: IdleStrategy.sleeping(100_000_000) }))
      )
      yield* connected(log)
      assert.deepStrictEqual(yield* LogBuffer.offer(log, numbered(1)), { _tag: "Accepted", position: 64 })
      const many = yield* LogBuffer.offerMany(
        log,
        Array.from({ length: 1000 }, (_, index) => numbered(index))
      )
      assert.strictEqual(many.result._tag, "BackPressured")
      assert.isAtLeast(many.accepted, TERM_LENGTH / 2 / 64 - 1)
      assert.strictEqual((yield* LogBuffer.offer(log, numbered(1)))._tag, "BackPressured")
      const tooLong = new Uint8Array(log.maxMessageLength + 1)
      assert.deepInclude(reasonOf(yield* Effect.exit(LogBuffer.offer(log, tooLong))), {
        _tag: "MessageTooLong",
        length: TERM_LENGTH / 8 + 1,
        lengthMax: TERM_LENGTH / 8
      })
      assert.strictEqual(
        reasonOf(yield* Effect.exit(LogBuffer.offerMany(log, [numbered(1), tooLong])))._tag,
        "MessageTooLong"
      )
      yield* LogBuffer.end(log)
      assert.deepStrictEqual(yield* LogBuffer.offer(log, numbered(1)), { _tag: "Ended" })
      yield* Fiber.interrupt(reader)
    }).pipe(Effect.scoped)
  )

  it.live("holds a sink back while its reader is slow, and loses nothing", () =>
    Effect.gen(function* () {
      const log = yield* LogBuffer.heap("slow", { termLength: TERM_LENGTH, publishers: "one", idle })
      const reader = yield* LogBuffer.borrowedBatches(log, { batchMax: 100, idle }).pipe(
        Stream.mapEffect((batch) =>
          Effect.as(
            Effect.yieldNow,
            Array.from({ length: batch.count }, (_, index) => numberOf(batch.message(index)))
          )
        ),
        Stream.runCollect,
        Effect.forkScoped
      )
      yield* Stream.range(1, 3000).pipe(
        Stream.map((value) => numbered(value, 100)),
        Stream.run(LogBuffer.sink(log, { idle, end: true }))
      )
      const batches = yield* Fiber.join(reader)
      assert.isTrue(batches.every((batch) => batch.length <= 100))
      assert.deepStrictEqual(
        batches.flat(),
        Array.from({ length: 3000 }, (_, index) => index + 1)
      )
    }).pipe(Effect.scoped)
  )

  it.live("gives batches that may be kept", () =>
    Effect.gen(function* () {
      const log = yield* LogBuffer.heap("kept", { termLength: TERM_LENGTH, sessionId: 5, streamId: 6, idle })
      const reader = yield* LogBuffer.batches(log, { idle }).pipe(Stream.runCollect, Effect.forkScoped)
      yield* connected(log)
      yield* Stream.range(1, 4000).pipe(
        Stream.map((value) => numbered(value)),
        Stream.run(LogBuffer.sink(log, { idle, end: true }))
      )
      const batches = yield* Fiber.join(reader)
      assert.isTrue(batches.every((batch) => batch.isOwned && batch.sessionId === 5 && batch.streamId === 6))
      assert.deepStrictEqual(
        batches.flatMap((batch) => Array.from({ length: batch.count }, (_, index) => numberOf(batch.message(index)))),
        Array.from({ length: 4000 }, (_, index) => index + 1)
      )
      assert.strictEqual(batches.at(-1)!.positions.at(-1)! % 32, 0)
    }).pipe(Effect.scoped)
  )

  it.live("lets publishers go when a reader is interrupted", () =>
    Effect.gen(function* () {
      const log = yield* LogBuffer.heap("left", { termLength: TERM_LENGTH, idle })
      const reader = yield* Effect.forkScoped(Stream.runDrain(LogBuffer.stream(log, { idle })))
      yield* connected(log)
      yield* Fiber.interrupt(reader)
      assert.isFalse(yield* LogBuffer.isConnected(log))
      assert.deepStrictEqual(yield* LogBuffer.offer(log, numbered(1)), { _tag: "NotConnected" })
    }).pipe(Effect.scoped)
  )

  it.live("fails a sink on a stream that was ended, and at the last position of one", () =>
    Effect.gen(function* () {
      const region = yield* Region.heap("last", LogBuffer.regionLength(TERM_LENGTH))
      const log = yield* LogBuffer.make(region, { termLength: TERM_LENGTH, idle })
      yield* Effect.forkScoped(Stream.runDrain(LogBuffer.stream(log, { idle })))
      yield* connected(log)
      const publish = Stream.run(Stream.make(numbered(1)), LogBuffer.sink(log, { idle }))
      const { metadata } = new LogBuffers(region)
      const before = metadata.bytes.slice(0, 32)
      const lastTerm = 2 ** 31 - 1
      metadata.int64[lastTerm % 3] = packTail(lastTerm, TERM_LENGTH)
      metadata.int32[6] = lastTerm
      const reason = reasonOf(yield* Effect.exit(publish))
      assert.deepInclude(reason, { _tag: "MaxPositionExceeded", positionMax: 2 ** 47 })
      assert.include(reason.message, "has reached its last position, 140737488355328")
      assert.deepStrictEqual(yield* LogBuffer.offer(log, numbered(1)), { _tag: "MaxPositionExceeded" })
      metadata.bytes.set(before)
      yield* LogBuffer.end(log)
      assert.strictEqual(reasonOf(yield* Effect.exit(publish))._tag, "Closed")
    }).pipe(Effect.scoped)
  )

  it.live("fails with Closed after its scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const log = yield* Scope.provide(LogBuffer.heap("closed", { termLength: TERM_LENGTH, idle }), scope)
      yield* Scope.close(scope, Exit.void)
      const uses: ReadonlyArray<Effect.Effect<unknown, CoreError>> = [
        LogBuffer.offer(log, numbered(1)),
        LogBuffer.offerMany(log, [numbered(1)]),
        LogBuffer.end(log),
        LogBuffer.isConnected(log),
        Stream.runDrain(LogBuffer.stream(log)),
        Stream.runDrain(LogBuffer.borrowedBatches(log)),
        Stream.run(Stream.make(numbered(1)), LogBuffer.sink(log))
      ]
      for (const use of uses) {
        assert.strictEqual(reasonOf(yield* Effect.exit(use))._tag, "Closed")
      }
    })
  )

  it.live("refuses a region that is no log, that is used, or of another length", () =>
    Effect.gen(function* () {
      const region = yield* Region.heap("region", LogBuffer.regionLength(TERM_LENGTH))
      assert.strictEqual(reasonOf(yield* Effect.exit(LogBuffer.open(region)))._tag, "InvalidFormat")
      assert.strictEqual(reasonOf(yield* Effect.exit(LogBuffer.make(region)))._tag, "InvalidFormat")
      yield* LogBuffer.make(region, { termLength: TERM_LENGTH })
      const again = reasonOf(yield* Effect.exit(LogBuffer.make(region, { termLength: TERM_LENGTH })))
      assert.include(again.message, "it holds a log already")
      const short = yield* Region.heap("short", 100)
      assert.strictEqual(reasonOf(yield* Effect.exit(LogBuffer.make(short)))._tag, "InvalidFormat")
      const wrongMtu = yield* Region.heap("mtu", LogBuffer.regionLength(TERM_LENGTH))
      assert.include(
        reasonOf(yield* Effect.exit(LogBuffer.make(wrongMtu, { termLength: TERM_LENGTH, mtuLength: 100 }))).message,
        "mtu length is 100"
      )
    }).pipe(Effect.scoped)
  )

  it.live("reports a log that was overwritten instead of reading on", () =>
    Effect.gen(function* () {
      const region = yield* Region.heap("overwritten", LogBuffer.regionLength(TERM_LENGTH))
      const log = yield* LogBuffer.make(region, { termLength: TERM_LENGTH, idle })
      const reader = yield* Effect.forkScoped(Effect.exit(Stream.runDrain(LogBuffer.stream(log, { idle }))))
      yield* connected(log)
      new LogBuffers(region).terms[0].int32[0] = 7
      const reason = reasonOf(yield* Fiber.join(reader))
      assert.strictEqual(reason._tag, "InvalidFormat")
      assert.include(reason.message, "is 7 bytes long")
    }).pipe(Effect.scoped)
  )

  it.live("gives a worker what the thread that made the log publishes", () =>
    Effect.gen(function* () {
      const region = yield* Region.heap("shared", LogBuffer.regionLength(TERM_LENGTH))
      const log = yield* LogBuffer.make(region, { termLength: TERM_LENGTH, idle: IdleStrategy.backoff() })
      const worker = new Worker(SCRIPTS.readingWorker, { workerData: region.memory })
      yield* Stream.range(1, 20_000).pipe(
        Stream.map(() => Uint8Array.of(1)),
        Stream.run(LogBuffer.sink(log, { end: true }))
      )
      const [sum] = yield* Effect.promise(() => once(worker, "message"))
      assert.strictEqual(sum, 20_000)
    }).pipe(Effect.scoped)
  )

  it.live("passes messages from process to process, and ends them when the owner closes", () =>
    Effect.gen(function* () {
      const path = join(temporaryDirectory(), "log")
      const scope = yield* Scope.make()
      const log = yield* Scope.provide(
        LogBuffer.create(path, { termLength: TERM_LENGTH, idle: IdleStrategy.backoff() }),
        scope
      )
      const readers = [0, 1].map(() => startScript(SCRIPTS.readingProcess, [path]))
      yield* connected(log)
      const publishers = [0, 1].map((index) =>
        startScript(SCRIPTS.publishingProcess, [path, String(index * 5000), String((index + 1) * 5000)])
      )
      yield* Effect.promise(() => Promise.all(publishers.map((publisher) => publisher.line("done"))))
      yield* Scope.close(scope, Exit.void)
      const ended = yield* Effect.promise(() => Promise.all(readers.map((reader) => reader.ended)))
      for (const { code, stderr } of ended) {
        assert.deepStrictEqual([code, stderr], [0, ""])
      }
      // One of them was there from the start; the other may have come later.
      assert.include(ended.map(({ stdout }) => stdout).join(""), "count 10000")
    })
  )

  it.live("goes on without a reader that was killed", () =>
    Effect.gen(function* () {
      const path = join(temporaryDirectory(), "log")
      const log = yield* LogBuffer.create(path, {
        termLength: TERM_LENGTH,
        livenessTimeout: "300 millis",
        idle: IdleStrategy.backoff()
      })
      const doomed = startScript(SCRIPTS.readingProcess, [path])
      yield* connected(log)
      yield* LogBuffer.offer(log, numbered(1))
      yield* Effect.promise(() => doomed.line("reading"))
      doomed.process.kill("SIGKILL")
      yield* Effect.promise(() => doomed.ended)
      const reader = yield* LogBuffer.stream(log).pipe(Stream.runCount, Effect.forkScoped)
      yield* Stream.range(1, 5000).pipe(
        Stream.map((value) => numbered(value)),
        Stream.run(LogBuffer.sink(log, { end: true }))
      )
      assert.isAtLeast(yield* Fiber.join(reader), 5000)
    }).pipe(Effect.scoped)
  )

  it.live("tells its users that the owner was killed", () =>
    Effect.gen(function* () {
      const path = join(temporaryDirectory(), "log")
      const owner = startScript(SCRIPTS.owningProcess, [path])
      yield* Effect.promise(() => owner.line("ready"))
      const reader = startScript(SCRIPTS.readingProcess, [path, "500"])
      yield* Effect.promise(() => reader.line("reading"))
      owner.process.kill("SIGKILL")
      assert.include((yield* Effect.promise(() => reader.ended)).stdout, "lost owner")
      const log = yield* LogBuffer.map(path, { livenessTimeout: "100 millis" })
      const run = Stream.run(Stream.forever(Stream.make(numbered(1))), LogBuffer.sink(log))
      assert.deepInclude(reasonOf(yield* Effect.exit(run)), { _tag: "LivenessLost", role: "owner" })
    }).pipe(Effect.scoped)
  )
})
