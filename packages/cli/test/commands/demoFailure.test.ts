import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"
import * as Remains from "../support/Remains.ts"

const LONG = 120_000

/** A demo that has much more to do than any test waits for. */
const LONG_DEMO = ["demo", "--repeat", "500"]

/** Waits until the children of the demo are there. */
const children = (running: Millrace.Running) =>
  Effect.gen(function* () {
    for (;;) {
      const found = Remains.childrenOf(running.pid)
      const recorder = found.find(({ command }) => command.includes("demo/recorder"))
      const publisher = found.find(({ command }) => command.includes("demo/publisher"))
      if (recorder !== undefined && publisher !== undefined) {
        return { recorder: recorder.pid, publisher: publisher.pid }
      }
      yield* Effect.sleep("20 millis")
    }
  })

const assertNothingIsLeft = (running: Millrace.Running, temporary: string, pids: ReadonlyArray<number>) => {
  assert.deepStrictEqual(Remains.filesIn(temporary), [], "files in the temporary directory")
  assert.deepStrictEqual(Remains.sharedMemoryOf(running.pid), [], "directories in shared memory")
  assert.deepStrictEqual(pids.filter(Remains.isAlive), [], "processes")
}

describe("millrace demo that is disturbed", () => {
  it.live(
    "says who died and how much was received when its publisher is killed, and that all of it is stored intact",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const running = yield* Millrace.start(["demo", "--repeat", "20"], { temporary })
        const { publisher, recorder } = yield* children(running)
        yield* running.says("streaming: ")
        process.kill(publisher, "SIGKILL")
        const { code, stderr } = yield* running.ended
        assert.strictEqual(code, 1)
        const report =
          /^millrace: the publisher process \(pid (\d+)\) was killed by SIGKILL; the stream ended without its end record: ([\d,]+) of 400,000 records were received; all ([\d,]+) are stored and intact\n$/
        const [, pid, received, intact] = report.exec(stderr) ?? assert.fail(stderr)
        assert.strictEqual(Number(pid), publisher)
        assert.strictEqual(received, intact)
        assert.notStrictEqual(received, "0")
        assertNothingIsLeft(running, temporary, [publisher, recorder])
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "says that its recorder was killed, and ends the publisher",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const running = yield* Millrace.start([...LONG_DEMO, "--json"], { temporary })
        const { publisher, recorder } = yield* children(running)
        process.kill(recorder, "SIGKILL")
        const { code, stderr, stdout } = yield* running.ended
        assert.strictEqual(code, 1)
        assert.strictEqual(stdout, "")
        assert.strictEqual(stderr, `millrace: the recorder process (pid ${recorder}) was killed by SIGKILL\n`)
        assertNothingIsLeft(running, temporary, [publisher, recorder])
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "stops everything at a signal, whenever it comes, and reports nothing",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const moments: ReadonlyArray<readonly [NodeJS.Signals, number, number]> = [
          ["SIGINT", 130, 300],
          ["SIGINT", 130, 1000],
          ["SIGINT", 130, 1700],
          ["SIGINT", 130, 4000],
          ["SIGTERM", 143, 3000],
          ["SIGHUP", 129, 2400]
        ]
        for (const [signal, expected, delayMs] of moments) {
          const running = yield* Millrace.start(LONG_DEMO, { temporary })
          yield* Effect.sleep(delayMs)
          const started = Remains.childrenOf(running.pid).map(({ pid }) => pid)
          yield* running.kill(signal)
          const { code, signal: killer, stderr } = yield* running.ended
          // Before the first line of JavaScript runs, the signal itself ends the process; a shell shows the same number.
          const isBeforeStart = code === null && started.length === 0
          assert.deepStrictEqual([code, killer], isBeforeStart ? [null, signal] : [expected, null])
          assert.strictEqual(stderr, "")
          assertNothingIsLeft(running, temporary, started)
        }
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "keeps what is stored in a directory that it was given when it is stopped, and the store opens again",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const store = path.join(temporary, "store")
        const running = yield* Millrace.start(["demo", "--repeat", "20", "--dir", store], { temporary })
        yield* running.says("streaming: ")
        yield* running.kill("SIGINT")
        assert.strictEqual((yield* running.ended).code, 130)
        const { code, stdout } = yield* Millrace.run(["store", "topics", store, "--json"], { temporary })
        assert.strictEqual(code, 0)
        const [{ messages, topic }] = JSON.parse(stdout)
        assert.strictEqual(topic, "flights")
        assert.isAbove(messages, 0)
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "leaves no process behind when it is killed itself",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const running = yield* Millrace.start(LONG_DEMO, { temporary })
        const { publisher, recorder } = yield* children(running)
        yield* running.kill("SIGKILL")
        yield* running.ended
        while ([publisher, recorder].some(Remains.isAlive)) {
          yield* Effect.sleep("50 millis")
        }
        Remains.removeSharedMemoryOf(running.pid)
      }).pipe(Effect.scoped),
    LONG
  )
})
