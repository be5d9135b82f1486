import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Recorder from "@millrace/store/Recorder"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Publication from "@millrace/transport/Publication"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import { record } from "../../src/commands/record.ts"
import { replay } from "../../src/commands/replay.ts"
import * as Presenter from "../../src/output/Presenter.ts"
import * as InProcess from "../support/InProcess.ts"
import * as Millrace from "../support/Millrace.ts"

const driver = Client.layer.pipe(Layer.provideMerge(MediaDriver.layerEmbedded({ threading: "invoker" })))

const LOG = ["--config", "mappedFileSizeCommitLog=1048576"]

const bytesOf = (text: string): Uint8Array => Buffer.from(text)
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

/** The last line of what a command printed, which is an object. */
const lastLine = (output: string): Record<string, unknown> => JSON.parse(output.trimEnd().split("\n").at(-1)!)

const publish = (streamId: number, from: number, to: number) =>
  Effect.gen(function* () {
    const publication = yield* Publication.make({ channel: "aeron:ipc", streamId })
    yield* publication.publishMany(Array.from({ length: to + 1 - from }, (_, index) => bytesOf(`${from + index}`)))
    return publication
  })

/** What arrives on a stream while `effect` runs: so many messages. */
const arriving = Effect.fnUntraced(function* <A, E, R>(
  streamId: number,
  count: number,
  effect: Effect.Effect<A, E, R>
) {
  const subscription = yield* Subscription.make({ channel: "aeron:ipc", streamId })
  const reading = yield* Effect.forkScoped(Stream.runCollect(Stream.take(subscription.stream, count)))
  const result = yield* effect
  return [(yield* Fiber.join(reading)).map(textOf), result] as const
}, Effect.scoped)

const textRange = (from: number, to: number) => Array.from({ length: to + 1 - from }, (_, index) => `${from + index}`)

const linesOf = (from: number, to: number): string =>
  textRange(from, to)
    .map((text) => `${text}\n`)
    .join("")

describe("millrace record and replay", () => {
  it.live("record a stream, go on with it, and send it again, whole or from a position or a time", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const store = temporaryDirectory()
      const on = [store, "--dir", directory, ...LOG]
      const recording = (count: number) =>
        Effect.forkScoped(InProcess.run(record, ...on, "--stream", "7", "--count", `${count}`, "--json"), {
          startImmediately: true
        })
      const first = yield* recording(50)
      const publication = yield* publish(7, 1, 50)
      assert.deepInclude(lastLine(yield* Fiber.join(first)), { topic: "stream-7", messages: 50, bytes: 91 })
      const second = yield* recording(10)
      yield* publication.publishMany(textRange(51, 60).map(bytesOf))
      const { sessions } = lastLine(yield* Fiber.join(second)) as { sessions: ReadonlyArray<object> }
      const end = yield* publication.position
      assert.lengthOf(sessions, 1)
      assert.deepInclude(sessions[0], {
        streamId: 7,
        sessionId: publication.sessionId,
        startPosition: 0,
        recordedPosition: end
      })
      assert.property(sessions[0], "durablePosition")

      const replaying = (...more: ReadonlyArray<string>) => InProcess.run(replay, ...on, "--stream", "8", ...more)
      const [all, told] = yield* arriving(8, 60, replaying("--json"))
      assert.deepStrictEqual(all, textRange(1, 60))
      assert.deepInclude(lastLine(told), { topic: "stream-7", messages: 60, bytes: 111, gaps: 0 })
      const [some, text] = yield* arriving(8, 5, replaying("--from-position", `${end - 20 * 64}`, "--count", "5"))
      assert.deepStrictEqual(some, textRange(41, 45))
      assert.strictEqual(text, "replayed 5 messages, 10 B, of topic stream-7 to stream 8 on aeron:ipc\n")
      const bounds = ["--session", `${publication.sessionId}`, "--from-time", "2020-01-01T00:00:00Z"]
      const [early] = yield* arriving(8, 3, replaying(...bounds, "--to-position", `${3 * 64}`))
      assert.deepStrictEqual(early, ["1", "2", "3"])
      const none = yield* replaying("--from-time", "2200-01-01T00:00:00Z", "--json")
      assert.deepInclude(lastLine(none), { messages: 0, position: 0 })
    }).pipe(Effect.scoped, Effect.provide(driver))
  )

  it.live("print a recording without a driver, and with one go on with the live stream", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const store = temporaryDirectory()
      const on = [store, "--dir", directory, "--stream", "7"]
      const recording = (count: number) =>
        Effect.forkScoped(InProcess.run(record, ...on, ...LOG, "--count", `${count}`), { startImmediately: true })
      const first = yield* recording(30)
      const publication = yield* publish(7, 1, 30)
      yield* Fiber.join(first)

      const print = (...more: ReadonlyArray<string>) => InProcess.run(replay, store, ...more)
      assert.strictEqual(yield* print(), linesOf(1, 30))
      assert.strictEqual(yield* print("--print", "--from-position", "640", "--count", "5"), linesOf(11, 15))
      assert.strictEqual(yield* print("--to-position", "128", "--hex"), "31\n32\n")
      const { recordedAt, ...place } = lastLine(yield* print("--json"))
      assert.deepStrictEqual(place, { streamId: 7, sessionId: publication.sessionId, position: 30 * 64, text: "30" })
      assert.isAtMost(recordedAt as number, Date.now())
      const early = yield* Effect.flip(print("--follow", "--count", "31", "--timeout", "0.05"))
      assert.match((early as Error).message, /^0.05 s have passed after 30 of 31 messages$/)

      const send = (from: number) => publication.publishMany(textRange(from, from + 99).map(bytesOf))
      const second = yield* recording(5000)
      yield* send(31)
      const merging = yield* Effect.forkScoped(InProcess.run(replay, ...on, "--merge", "--count", "5030"), {
        startImmediately: true
      })
      for (let from = 131; from <= 5030; from += 100) {
        yield* send(from)
      }
      assert.strictEqual(yield* Fiber.join(merging), linesOf(1, 5030))
      yield* Fiber.join(second)
    }).pipe(Effect.scoped, Effect.provide(driver))
  )

  it.live("print what a gap left, and tell the gap", () =>
    Effect.gen(function* () {
      const store = temporaryDirectory()
      yield* Effect.gen(function* () {
        const recorder = yield* Recorder.make("gaps", { onGap: "record" })
        const at = (startPosition: number) => ({
          payload: bytesOf(`${startPosition}`),
          startPosition,
          position: startPosition + 64,
          sessionId: 3,
          streamId: 7
        })
        yield* recorder.record([at(0), at(640)])
      }).pipe(Effect.provide(MessageStore.layer({ directory: store, mappedFileSizeCommitLog: 1 << 20 })))
      const lines = (yield* InProcess.run(replay, store, "--on-gap", "skip", "--json")).trimEnd().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => (JSON.parse(line) as { text?: string; missingFrom?: number }).text),
        ["0", undefined, "640"]
      )
      assert.deepStrictEqual(JSON.parse(lines[1]!), { streamId: 7, sessionId: 3, missingFrom: 64, missingTo: 640 })
      assert.strictEqual(yield* InProcess.run(replay, store, "--on-gap", "skip"), "0\n640\n")
      const failed = yield* Effect.flip(InProcess.run(replay, store))
      assert.match((failed as Error).message, /^positions 64 to 640 of session 3/)
    })
  )

  it.live("refuse what has no meaning, and say what is missing", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const store = temporaryDirectory()
      const on = [store, "--dir", directory]
      const refused = (...args: ReadonlyArray<string>) =>
        Command.runWith(replay, { version: "0.0.0" })([...on, ...args]).pipe(
          Effect.provide(Layer.merge(NodeServices.layer, Presenter.layer)),
          Effect.flip,
          Effect.map((error) => (error as Error).message)
        )
      assert.match(yield* refused("--from-position", "0", "--from-time", "0"), /leave out --from-time/)
      assert.match(yield* refused("--follow", "--to-position", "64"), /--follow: has no end/)
      assert.match(yield* refused(), /is not a store: it is empty/)
      assert.match(yield* refused("--print", "--stream", "8"), /^--print: publishes nothing/)
      assert.match(yield* refused("--hex", "--channel", "aeron:ipc"), /^--hex: says how messages are printed/)
      assert.match(yield* refused("--merge", "--follow"), /^--merge: goes on with the live stream/)

      const recording = yield* Effect.forkScoped(
        InProcess.run(record, ...on, ...LOG, "--stream", "7", "--topic", "kept", "--count", "2", "--flush", "sync"),
        { startImmediately: true }
      )
      const publication = yield* publish(7, 1, 2)
      assert.match(
        yield* Fiber.join(recording),
        /^topic kept has 1 session\nsession -?\d+ of stream 7: positions 0 to 128$/m
      )
      assert.match(yield* refused("--topic", "lost"), /has no topic lost; it has kept/)
      // Another subscriber keeps the stream going while nobody records.
      const other = yield* Subscription.make({ channel: "aeron:ipc", streamId: 7 })
      yield* publication.publishMany(["3", "4"].map(bytesOf))
      yield* Stream.runDrain(Stream.take(other.stream, 2))
      const gap = InProcess.run(record, ...on, ...LOG, "--stream", "7", "--topic", "kept", "--count", "1")
      const failing = yield* Effect.forkScoped(Effect.flip(gap), { startImmediately: true })
      yield* publication.publishMany([bytesOf("5")])
      const error = yield* Fiber.join(failing)
      assert.match(
        (error as Error).message,
        /^positions 128 to 256 of session -?\d+ of stream 7 are not in recording kept/
      )
    }).pipe(Effect.scoped, Effect.provide(driver))
  )

  it.live("understand the examples of their help", () =>
    Effect.gen(function* () {
      for (const command of [record, replay]) {
        assert.lengthOf(command.examples, 2)
        for (const { command: example } of command.examples) {
          let isUnderstood = false
          const handled = Command.withHandler(command as Command.Command<string, unknown, object, never, never>, () =>
            Effect.sync(() => {
              isUnderstood = true
            })
          )
          const args = Millrace.wordsOf(example).slice(2)
          yield* Command.runWith(handled, { version: "0.0.0" })(args).pipe(Effect.provide(NodeServices.layer))
          assert.isTrue(isUnderstood, example)
        }
      }
    })
  )
})
