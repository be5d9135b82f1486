import { assert, describe, it } from "@effect/vitest"
import { freePort } from "@millrace/testkit/freePort"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"

const LONG = 60_000

describe("millrace capture", { timeout: LONG }, () => {
  it.live("is a driver whose frames of every kind are in the file", () =>
    Effect.gen(function* () {
      const temporary = yield* Millrace.directory
      const directory = path.join(temporary, "driver")
      const file = path.join(temporary, "frames.pcap")
      const capture = yield* Millrace.start(["capture", file, "--dir", directory], { temporary })
      yield* capture.says("its frames go to")
      const port = yield* Effect.promise(() => freePort())
      const stream = ["--dir", directory, "--channel", `aeron:udp?endpoint=localhost:${port}`, "--stream", "7"]
      const subscriber = yield* Millrace.start(["subscribe", ...stream, "--count", "2"], { temporary })
      const publisher = yield* Millrace.run(["publish", ...stream], { temporary, stdin: "one\ntwo\n" })
      assert.strictEqual(publisher.code, 0, publisher.stderr)
      assert.strictEqual((yield* subscriber.ended).stdout, "one\ntwo\n")
      yield* capture.kill("SIGINT")
      const ended = yield* capture.ended
      assert.strictEqual(ended.code, 130)
      assert.match(ended.stdout, /frames\.pcap has [\d.]+ k?B\n$/)
      const { stdout } = yield* Millrace.run(["frames", file, "--json"], { temporary })
      const frames: ReadonlyArray<{ readonly _tag: string; readonly streamId: number }> = stdout
        .trimEnd()
        .split("\n")
        .flatMap((line) => JSON.parse(line).frames)
      assert.containsAllKeys(
        Object.groupBy(frames, ({ _tag }) => _tag),
        ["Setup", "StatusMessage", "Data"]
      )
      assert.isTrue(frames.every(({ streamId }) => streamId === 7))
    }).pipe(Effect.scoped)
  )

  it.live("does not take the place of a driver that runs, and names a file that cannot be written", () =>
    Effect.gen(function* () {
      const temporary = yield* Millrace.directory
      const directory = path.join(temporary, "driver")
      const driver = yield* Millrace.start(["driver", "--dir", directory], { temporary })
      yield* driver.says("is ready")
      const active = yield* Millrace.run(["capture", path.join(temporary, "a.pcap"), "--dir", directory], { temporary })
      assert.strictEqual(active.code, 2, active.stderr)
      assert.include(active.stderr, `a media driver runs there (pid ${driver.pid})`)
      const unwritable = yield* Millrace.run(["capture", "/no/such/a.pcap", "--dir", `${directory}2`], { temporary })
      assert.strictEqual(unwritable.code, 2, unwritable.stderr)
      assert.match(unwritable.stderr, /\/no\/such\/a\.pcap: must be a file that can be written: ENOENT/)
    }).pipe(Effect.scoped)
  )
})
