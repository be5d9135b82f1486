import { assert, describe, it } from "@effect/vitest"
import * as Inspector from "@millrace/transport/Inspector"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"
import * as Remains from "../support/Remains.ts"

const LONG = 120_000

const lastLine = (stdout: string) => JSON.parse(stdout.trimEnd().split("\n").at(-1)!)

const run = (...args: ReadonlyArray<string>) =>
  Effect.scoped(Effect.flatMap(Millrace.directory, (temporary) => Millrace.run(args, { temporary })))

/** Waits until pings go through the driver in a directory. */
const untilPinging = Effect.fnUntraced(function* (directory: () => string) {
  const inspector = yield* Effect.suspend(() => Inspector.open({ directory: directory() })).pipe(
    Effect.retry(Schedule.spaced("20 millis"))
  )
  const isPinging = Effect.map(inspector.streams, (streams) =>
    streams.some(({ counters, streamId }) => streamId === 1002 && counters.some(({ value }) => value > 0n))
  )
  yield* isPinging.pipe(Effect.delay("20 millis"), Effect.repeat({ until: (isPinging) => isPinging }))
})

describe("millrace throughput", { timeout: LONG }, () => {
  it.live("moves messages between two processes beside a driver of its own, and says how fast", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run("throughput", "--messages", "20000", "--length", "100", "--json")
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      const { bytesPerSecond, messagesPerSecond, ...counts } = lastLine(stdout)
      assert.deepStrictEqual(counts, { messages: 20_000, lost: 0 })
      assert.isAbove(messagesPerSecond, 0)
      assert.closeTo(bytesPerSecond / messagesPerSecond, 100, 1)
    })
  )

  it.live("refuses messages that are longer than the stream takes", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run("throughput", "--messages", "2", "--length", "100000000")
      assert.strictEqual(code, 2)
      assert.match(stderr, /--length: 100000000 bytes are more than 524288, the longest message of this stream/)
    })
  )
})

describe("millrace ping", { timeout: LONG }, () => {
  it.live("measures beside a driver of its own with a pong of its own, fragmented messages too", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run("ping", "--messages", "100", "--length", "5000", "--json")
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      const times = lastLine(stdout)
      assert.hasAllKeys(times, ["p50Us", "p99Us", "p999Us"])
      assert.isAbove(times.p50Us, 0)
      assert.isAtLeast(times.p99Us, times.p50Us)
      assert.isAtLeast(times.p999Us, times.p99Us)
    })
  )

  it.live("is answered by a running pong, over a running driver, whose other programs go on", () =>
    Effect.gen(function* () {
      const temporary = yield* Millrace.directory
      const directory = path.join(temporary, "driver")
      const driver = yield* Millrace.start(["driver", "--dir", directory], { temporary })
      yield* driver.says("is ready")
      const pong = yield* Millrace.start(["pong", "--dir", directory], { temporary })
      yield* pong.says("answering stream 1002")
      const ping = yield* Millrace.start(["ping", "--dir", directory, "--messages", "20000000"], { temporary })
      yield* untilPinging(() => directory)
      assert.lengthOf(Remains.childrenOf(ping.pid), 0)
      yield* ping.kill("SIGINT")
      assert.strictEqual((yield* ping.ended).code, 130)
      const again = yield* Millrace.run(["ping", "--dir", directory, "--messages", "100"], { temporary })
      assert.match(again.stdout, /^100 round trips on aeron:ipc: half within [\d.]+ µs, 99 % within/)
      yield* pong.kill("SIGTERM")
      assert.strictEqual((yield* pong.ended).code, 143)
    }).pipe(Effect.scoped)
  )

  it.live("says that whoever answered has gone", () =>
    Effect.gen(function* () {
      const temporary = yield* Millrace.directory
      const ping = yield* Millrace.start(["ping", "--messages", "40000000"], { temporary })
      yield* untilPinging(() => path.join("/dev/shm", Remains.sharedMemoryOf(ping.pid)[0] ?? "not yet"))
      const [pong] = Remains.childrenOf(ping.pid)
      assert.include(pong!.command, "pong")
      process.kill(pong!.pid, "SIGKILL")
      const { code, stderr } = yield* ping.ended
      assert.strictEqual(code, 1)
      assert.match(stderr, /the pong process \(pid \d+\) was killed by SIGKILL/)
    }).pipe(Effect.scoped)
  )

  it.live("refuses messages that have no room for their number, and more than it can keep", () =>
    Effect.gen(function* () {
      assert.match((yield* run("ping", "--length", "7")).stderr, /--length: 7 is less than the 8 bytes/)
      const { code, stderr } = yield* run("ping", "--messages", "50000001")
      assert.strictEqual(code, 2)
      assert.match(stderr, /--messages: 50,000,001 is more than 50,000,000/)
    })
  )
})
