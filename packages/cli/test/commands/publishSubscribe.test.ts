import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"

const LONG = 120_000

/** One driver for all tests of this file. */
class Driver extends Context.Service<Driver, { readonly directory: string; readonly temporary: string }>()(
  "millrace/test/Driver"
) {
  static readonly layer = Layer.effect(
    Driver,
    Effect.gen(function* () {
      const temporary = yield* Millrace.directory
      const directory = path.join(temporary, "aeron")
      // A subscriber that was killed is missed after four seconds, not ten.
      const args = ["driver", "--dir", directory, "-Daeron.client.liveness.timeout=4s"]
      const driver = yield* Millrace.start(args, { temporary })
      yield* driver.says("is ready in")
      return { directory, temporary }
    })
  )
}

let streamCount = 0

/** Commands on a stream of its own. */
const line = Effect.gen(function* () {
  const { directory, temporary } = yield* Driver
  const streamId = ++streamCount
  const flags = ["--dir", directory, "--stream", String(streamId)]
  return {
    streamId,
    publish: (stdin: string | Uint8Array | null, ...more: ReadonlyArray<string>) =>
      Millrace.start(["publish", ...flags, ...more], { temporary, stdin }),
    subscribe: (...more: ReadonlyArray<string>) => Millrace.start(["subscribe", ...flags, ...more], { temporary })
  }
})

layer(Driver.layer, { excludeTestServices: true, timeout: "60 seconds" })("millrace publish and subscribe", (it) => {
  it.effect(
    "carry lines as they are: empty ones, long ones, the last one without its line feed",
    () =>
      Effect.gen(function* () {
        const { publish, subscribe } = yield* line
        const lines = ["first", "", "São ✈ 東京", "x".repeat(100_000), " \tlast\r"]
        const subscriber = yield* subscribe("--count", String(lines.length))
        const publisher = yield* publish(lines.join("\n"))
        assert.deepInclude(yield* publisher.ended, { code: 0, stderr: "" })
        assert.deepInclude(yield* subscriber.ended, { code: 0, stderr: "", stdout: `${lines.join("\n")}\n` })
      }),
    LONG
  )

  it.effect(
    "carry bytes that are not text, and show them in hex and in JSON",
    () =>
      Effect.gen(function* () {
        const { publish, streamId, subscribe } = yield* line
        const bytes = Uint8Array.from([0xff, 0x00, 0x0a, 0x41])
        const inHex = yield* subscribe("--count", "2", "--hex")
        const first = yield* publish(bytes, "--json")
        const published = yield* first.ended
        assert.strictEqual(published.code, 0)
        assert.deepInclude(JSON.parse(published.stdout), { messages: 2, bytes: 3 })
        assert.strictEqual((yield* inHex.ended).stdout, "ff00\n41\n")

        const inJson = yield* subscribe("--count", "2", "--json")
        const second = yield* publish(bytes)
        assert.strictEqual((yield* second.ended).code, 0)
        const lines = (yield* inJson.ended).stdout.trimEnd().split("\n")
        const [binary, text] = lines.map((line) => JSON.parse(line))
        assert.deepInclude(binary, { streamId, base64: "/wA=" })
        assert.deepInclude(text, { streamId, text: "A" })
      }),
    LONG
  )

  it.effect(
    "carry numbered messages of one length, in order, more than a log holds",
    () =>
      Effect.gen(function* () {
        const { publish, subscribe } = yield* line
        const subscriber = yield* subscribe("--count", "1000000")
        const publisher = yield* publish("", "--count", "1000000", "--length", "8")
        assert.deepInclude(yield* publisher.ended, { code: 0, stderr: "" })
        const { code, stdout } = yield* subscriber.ended
        assert.strictEqual(code, 0)
        const lines = stdout.trimEnd().split("\n")
        assert.strictEqual(lines.length, 1_000_000)
        assert.isTrue(lines.every((text, index) => text.length === 8 && Number(text) === index))
      }),
    LONG
  )

  it.effect(
    "send a line at once, not when the input ends",
    () =>
      Effect.gen(function* () {
        const { publish, subscribe } = yield* line
        const subscriber = yield* subscribe("--count", "2")
        const publisher = yield* publish(null)
        publisher.process.stdin!.write("one\ntw")
        yield* subscriber.says("one\n")
        publisher.process.stdin!.end("o")
        assert.strictEqual((yield* subscriber.ended).stdout, "one\ntwo\n")
        assert.strictEqual((yield* publisher.ended).code, 0)
      }),
    LONG
  )

  it.effect(
    "say why fewer messages came than were asked for",
    () =>
      Effect.gen(function* () {
        const { publish, subscribe } = yield* line
        const impatient = yield* subscribe("--count", "3", "--timeout", "0.2")
        assert.deepInclude(yield* impatient.ended, {
          code: 1,
          stderr: "millrace: 0.2 s have passed after 0 of 3 messages\n"
        })
        const subscriber = yield* subscribe("--count", "3")
        const publisher = yield* publish("a\nb\n")
        assert.strictEqual((yield* publisher.ended).code, 0)
        assert.deepInclude(yield* subscriber.ended, {
          code: 1,
          stdout: "a\nb\n",
          stderr: "millrace: the publisher ended after 2 of 3 messages\n"
        })
      }),
    LONG
  )

  it.effect(
    "end well when the subscriber has what it asked for, and fail when none comes",
    () =>
      Effect.gen(function* () {
        const { publish, streamId, subscribe } = yield* line
        const lonely = yield* publish("a\n", "--timeout", "0.2")
        const none = yield* lonely.ended
        assert.strictEqual(none.code, 1)
        assert.include(none.stderr, `millrace: no subscriber of stream ${streamId} on aeron:ipc for `)

        const subscriber = yield* subscribe("--count", "1")
        const publisher = yield* publish(null)
        publisher.process.stdin!.write("a\n")
        assert.strictEqual((yield* subscriber.ended).code, 0)
        publisher.process.stdin!.end()
        assert.deepInclude(yield* publisher.ended, { code: 0, stderr: "" })
      }),
    LONG
  )

  it.effect(
    "say that the subscriber died before it had read everything",
    () =>
      Effect.gen(function* () {
        const { publish, streamId, subscribe } = yield* line
        const subscriber = yield* subscribe()
        const publisher = yield* publish(null)
        publisher.process.stdin!.write("read\n")
        yield* subscriber.says("read")
        yield* subscriber.kill("SIGSTOP")
        publisher.process.stdin!.end("not read\n")
        yield* Effect.sleep("500 millis")
        yield* subscriber.kill("SIGKILL")
        const { code, stderr } = yield* publisher.ended
        assert.strictEqual(code, 1)
        assert.strictEqual(
          stderr,
          `millrace: the last subscriber of stream ${streamId} on aeron:ipc left before it had read everything: 64 bytes of the log are unread\n`
        )
      }),
    LONG
  )

  it.effect(
    "refuse a line that is longer than a message can be, and a channel that is none",
    () =>
      Effect.gen(function* () {
        const { publish, subscribe } = yield* line
        yield* subscribe()
        const tooLong = yield* publish(`ok\n${"x".repeat(17 * 1024 * 1024)}\n`)
        const { code, stderr } = yield* tooLong.ended
        assert.strictEqual(code, 2)
        assert.match(stderr, /^millrace: standard input: line 2: longer than [\d,]+ bytes/)
        const unknown = yield* subscribe("--channel", "aeron:pigeon")
        const refused = yield* unknown.ended
        assert.strictEqual(refused.code, 2)
        assert.match(refused.stderr, /^millrace: channel aeron:pigeon: /)
      }),
    LONG
  )
})
