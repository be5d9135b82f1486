import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"
import * as Remains from "../support/Remains.ts"

const LONG = 120_000

const startDriver = Effect.fnUntraced(function* (directory: string, temporary: string) {
  const driver = yield* Millrace.start(["driver", "--dir", directory], { temporary })
  yield* driver.says("is ready in")
  return driver
})

// They wait for timeouts of three seconds, and may do so together.
describe.concurrent("millrace driver", () => {
  it.live(
    "ends with the number of the signal, as aeronmd does",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        for (const [signal, expected] of [
          ["SIGINT", 2],
          ["SIGTERM", 15]
        ] as const) {
          const driver = yield* startDriver(path.join(temporary, signal), temporary)
          yield* driver.kill(signal)
          const { code, stderr } = yield* driver.ended
          assert.strictEqual(code, expected)
          assert.strictEqual(stderr, "")
        }
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "takes its directory from AERON_DIR and says it as JSON",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const directory = path.join(temporary, "aeron")
        const env = { AERON_DIR: directory }
        const driver = yield* Millrace.start(["driver", "--json"], { temporary, env })
        const output = yield* driver.says("}\n")
        assert.deepStrictEqual(JSON.parse(output), { directory, pid: driver.pid })
        assert.include(Remains.filesIn(directory), "cnc.dat")
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "refuses the directory of a driver that lives, naming its process, and takes over that of one that was killed",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const directory = path.join(temporary, "aeron")
        const first = yield* startDriver(directory, temporary)
        const second = yield* Millrace.run(["driver", "--dir", directory], { temporary })
        assert.strictEqual(second.code, 1)
        assert.include(second.stderr, `millrace: a media driver with pid ${first.pid} is active in ${directory}`)
        yield* first.kill("SIGKILL")
        yield* first.ended
        // It waits for three heartbeats that do not come, where the process is gone; else for the driver timeout.
        const third = yield* startDriver(directory, temporary)
        yield* third.kill("SIGTERM")
        assert.strictEqual((yield* third.ended).code, 15)
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "that is killed ends its clients with a reason within the driver timeout",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const directory = path.join(temporary, "aeron")
        const driver = yield* startDriver(directory, temporary)
        const options = { temporary, env: { AERON_DRIVER_TIMEOUT: "3000" } }
        const subscriber = yield* Millrace.start(["subscribe", "--dir", directory], options)
        const publisher = yield* Millrace.start(["publish", "--dir", directory], { ...options, stdin: null })
        publisher.process.stdin!.write("a line\n")
        yield* subscriber.says("a line")
        yield* driver.kill("SIGKILL")
        for (const client of [subscriber, publisher]) {
          const { code, stderr } = yield* client.ended
          assert.strictEqual(code, 1)
          assert.match(
            stderr,
            /^millrace: the media driver in .* gave no sign of life for \d+ ms, the limit is 3000 ms/
          )
        }
      }).pipe(Effect.scoped),
    LONG
  )
})
